"""Tables of the paper's evaluation: what was run is said first, with what was not; the best of the seeds by itself."""

import importlib
import json
import tempfile
from functools import cache
from pathlib import Path

import pytest
from tiny_matrix import InProcess, tiny_matrix

from cubespace.base.options import NoOptions
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.matrix import read_matrix

ROOT = Path(__file__).parents[2]
ABOUT = """
Cut: much.
A table.
Command: cube matrix examples/paper/some.toml -o runs/some; then: cube tables runs/some
"""


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="cubespace-")
    axes = {"precondition": ["static"], "planner": ["fd-lmcut"], "seed": "0-1"}
    assert MatrixRun.of(tiny_matrix(axes), Path(folder.name) / "m").run(InProcess(NoOptions())).done == 2
    return folder


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("paper_tables")


def test_every_matrix_of_the_paper_has_a_layout(tables) -> None:
    files = {path.stem for path in (ROOT / "examples" / "paper").glob("*.toml")} - {"smoke", "domains", "tuning"}
    assert set(tables.LAYOUTS) == files
    for name, layout in tables.LAYOUTS.items():
        axes = read_matrix(tables.EXAMPLES / f"{name}.toml").values()
        assert set(layout.down) <= set(axes), name
        assert "out_of_time:sum" in layout.values or "plans" not in layout.values, name


def test_a_table_says_first_what_was_run_and_what_was_not(tables, monkeypatch, tmp_path, capsys) -> None:
    (tmp_path / "some.toml").write_text(
        f'about = """{ABOUT}"""\n[axes]\nprecondition = ["static", "values"]\nseed = "0-1"\n'
    )
    layout = tables.Layout(down=("precondition",), values=("plans", "authors_plans", "recall"), best=True)
    monkeypatch.setattr(tables, "EXAMPLES", tmp_path)
    monkeypatch.setitem(tables.LAYOUTS, "some", layout)
    monkeypatch.setattr("sys.argv", ["paper_tables.py", "some", f"{_made().name}/m", "--output", str(tmp_path)])
    tables.main()
    text = (tmp_path / "paper-some.md").read_text()
    assert text == capsys.readouterr().out.removesuffix("\n")
    said = text.splitlines()[2]
    assert said.startswith("**What was run:** 2 runs, seeds 0, 1; nothing trained by gradient; searches of at most ")
    assert said.endswith("**Not run:** values.")
    assert text.splitlines()[4:7] == ["**Cut:** much.", "", "A table."]
    assert "authors' rule" not in text, "nobody asked for it"
    assert text.count("| static |") == 2
    assert text.index("| static |") < text.index("<details>") < text.index("    cube tables runs/some")
    record = json.loads((tmp_path / "paper-some.json").read_text())
    assert (record["runs"], record["planned"], record["not_run"], record["searches"]) == (2, 2, ["values"], 6)
    assert record["cpu_seconds"] > 0
    assert {each["measure"] for each in record["records"]} == {each["measure"] for each in record["best"]}
