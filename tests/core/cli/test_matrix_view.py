import io

from rich.console import Console

from cubespace.cli.matrix_view import NAME_WIDTH, MatrixView, _short
from cubespace.experiments.executor import ERRORS
from cubespace.experiments.jobs import LOGS


def test_a_job_is_named_by_what_differs() -> None:
    assert _short("minmax-static-a2323f12.train") == "minmax-static.train"
    long = _short("smooth-counterexamples-fd-lmcut-0-93f01234")
    assert long == "…ounterexamples-fd-lmcut-0"
    assert len(long) == NAME_WIDTH


def test_the_table_keeps_stage_time_and_loss_at_80_columns(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    job = "smooth-counterexamples-fd-lmcut-0-93f01234.train"
    folder = tmp_path / LOGS / job
    view = MatrixView([job, "another-0a1b2c3d"], tmp_path)
    folder.mkdir(parents=True)
    line = "train: 118/270, 90 s left, joint: loss 0.1234, Rec 0.0012, Succ 0.0034, Direct 0.0056"
    (folder / ERRORS).write_text(f"data: transitions\n{line}\n")
    console = Console(width=80, file=io.StringIO(), force_terminal=False)
    console.print(view._table())
    shown = console.file.getvalue().splitlines()
    assert shown[0].startswith("0 of 2 jobs, 0 failed")
    assert max(map(len, shown)) <= 80
    assert "lmcut-0.train  train: 118/270, 90 s left, joint: loss 0.1" in shown[1]
    assert len(shown) == 2, "the other job is not at work"
