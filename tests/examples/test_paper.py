"""Every matrix of examples/paper can be run: its settings hold together, and it says what it is and how to call it."""

from pathlib import Path

import pytest

from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.matrix import read_matrix
from cubespace.experiments.tuning.tuning_file import PAPER_SPACE, read_tuning
from cubespace.plugins.catalogue import load_plugins

EXAMPLES = Path(__file__).parents[2] / "examples" / "paper"
TUNING = EXAMPLES / "tuning.toml"
FILES = sorted(set(EXAMPLES.glob("*.toml")) - {TUNING})


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_matrix_holds_together(file, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mandrill.png").touch()
    matrix = read_matrix(file)
    run = MatrixRun.of(matrix, tmp_path / "matrix", load_plugins())
    assert len(run.cells) > 1
    if file.stem not in ("smoke", "domains"):  # which are not about a table of the paper
        assert f"cube matrix examples/paper/{file.name}" in matrix.about
        assert "cube tables" in matrix.about
        assert {cell.config.plan.seed for cell in run.cells} <= {40404, 51515}  # those that nothing was tuned on


def test_the_tuning_is_the_papers_on_a_small_world() -> None:
    tuning = read_tuning(TUNING)
    tuning.check(load_plugins())
    assert (tuning.sampler, tuning.population, tuning.mutation) == ("genetic", 20, 0.3)
    assert set(PAPER_SPACE) <= set(tuning.space)
    config = tuning.configuration({}, load_plugins())
    assert config.data.seed == config.train.seed == 500
