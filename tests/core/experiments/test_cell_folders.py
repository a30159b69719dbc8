"""A matrix that is continued with other axes or settings: its cells keep their names, and what they learned serves."""

import contextlib
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from tiny_matrix import DEFAULTS, InProcess, done, tiny_matrix

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import NoOptions
from cubespace.cli.commands import app
from cubespace.cli.matrix import Axes
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.matrix import Matrix, cells_of
from cubespace.experiments.tables.rows import read_runs
from cubespace.experiments.tables.table import make_table
from cubespace.plugins.catalogue import load_plugins

PLANNERS = ["fd-lmcut", "pyperplan-bfs"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("cells/*"))


def test_a_matrix_with_more_values_of_an_axis_keeps_its_cells(tmp_path) -> None:
    first = tiny_matrix({"seed": "0", "planner": PLANNERS[:1]})
    MatrixRun.of(first, tmp_path).run(InProcess(NoOptions()))
    (begun,) = names(tmp_path)
    assert begun.startswith("lightsout-2-"), "nothing varies yet"

    more = tiny_matrix({"seed": "0-1", "planner": PLANNERS})
    result = MatrixRun.of(more, tmp_path).run(InProcess(NoOptions()))
    assert (result.done, result.before) == (4, 1)
    assert done(tmp_path) == {"data": 2, "train": 2, "extract": 2, "evaluate": 4}
    assert len(names(tmp_path)) == 4
    assert begun in names(tmp_path)
    assert make_table(read_runs([tmp_path])).left_out == "", "tables find the cell under the name that it has"


@pytest.mark.parametrize(
    ("axes", "settings", "again"),
    [
        ({"planner": ["fd-blind"]}, {}, ["evaluate"]),
        ({"planner": PLANNERS}, {}, ["evaluate"]),
        ({"plan.time_limit": [77, 78]}, {}, ["evaluate", "evaluate"]),
        ({"seed": "0"}, {"extract.precondition": "values"}, ["extract", "evaluate"]),
    ],
)
def test_what_a_matrix_learned_before_serves_other_axes_and_settings(tmp_path, axes, settings, again) -> None:
    def run(axes, settings):
        return MatrixRun.of(tiny_matrix(axes, {**DEFAULTS, **settings}), tmp_path).run(InProcess(NoOptions()))

    run({"seed": "0"}, {})
    before = done(tmp_path)
    result = run({"seed": "0", **axes}, settings)
    assert result.done == result.cells
    assert done(tmp_path) - before == Counter(again)


def test_a_matrix_with_other_settings_of_the_diagnosis_diagnoses_its_cells_again(tmp_path) -> None:
    for states in (20, 15):
        matrix = tiny_matrix({"seed": "0"}, {**DEFAULTS, "diagnose.states": states})
        result = MatrixRun.of(matrix, tmp_path).run(InProcess(NoOptions()))
        assert (result.done, result.cells, result.before) == (1, 1, 0)
        (diagnosis,) = tmp_path.glob("cells/*/diagnosis.json")
        assert json.loads(diagnosis.read_text())["states"] == states
    assert done(tmp_path) == {"data": 1, "train": 1, "extract": 1, "evaluate": 1}


def test_a_folder_whose_settings_were_changed_by_hand_lends_nothing_that_differs(tmp_path) -> None:
    MatrixRun.of(tiny_matrix({"seed": "0"}), tmp_path).run(InProcess(NoOptions()))
    (config,) = tmp_path.glob("cells/*/config.toml")
    config.write_text(config.read_text().replace("transitions = 600", "transitions = 601"))
    result = MatrixRun.of(tiny_matrix({"seed": "0-1"}), tmp_path).run(InProcess(NoOptions()))
    assert (result.done, result.failures) == (2, {})
    assert done(tmp_path) == {"data": 3, "train": 3, "extract": 3, "evaluate": 3}


@pytest.mark.parametrize("damage", ["garbage", "missing", "binary"])
def test_settings_that_were_damaged_are_written_again_where_the_results_are_whole(tmp_path, damage) -> None:
    matrix = tiny_matrix({"seed": "0-1"})
    MatrixRun.of(matrix, tmp_path).run(InProcess(NoOptions()))
    config = sorted(tmp_path.glob("cells/*/config.toml"))[0]
    whole, before = config.read_text(), done(tmp_path)
    if damage == "missing":
        config.unlink()
    else:
        config.write_bytes(b"garbage" if damage == "garbage" else b"\xff\x00")
    assert make_table(read_runs([tmp_path])).left_out == "", "matrix and tables agree on what is done"
    result = MatrixRun.of(matrix, tmp_path).run(InProcess(NoOptions()))
    assert (result.done, result.before, result.failures) == (2, 2, {})
    assert config.read_text() == whole
    assert done(tmp_path) == before


def test_a_table_says_how_many_runs_are_of_earlier_axes(tmp_path) -> None:
    for planner in PLANNERS:
        MatrixRun.of(tiny_matrix({"planner": [planner]}), tmp_path).run(InProcess(NoOptions()))
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()) as table:
        app(["tables", str(tmp_path)], standalone_mode=False)
    assert f"1 run is of axes that {tmp_path} had before, and not in the table" in said.getvalue()
    assert PLANNERS[0] not in table.getvalue()


def test_a_cell_is_called_what_tells_it_from_others() -> None:
    axes = {"domain": ["mnist"], "data.transitions": [600], "seed": "0-1", "precondition": ["static", "values"]}
    cells = cells_of(Matrix(axes=axes), Path("runs/m"), load_plugins())
    assert [cell.name for cell in cells][:2] == ["seed 0, static", "seed 0, values"]
    (alone,) = cells_of(Matrix(axes={"domain": ["mnist"], "data.transitions": [600]}), Path("runs/m"), load_plugins())
    assert alone.name == "mnist, data.transitions 600"


def test_mistyped_folders_axes_and_values_are_named(tmp_path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        read_runs([tmp_path / "nowhere"])
    MatrixRun.of(tiny_matrix({"seed": "0"}), tmp_path).run(InProcess(NoOptions()))
    with pytest.raises(InputError, match=r"no axis or setting 'planer'. Did you mean 'planner'\?"):
        make_table(read_runs([tmp_path]), rows=["planer"])
    with pytest.raises(UsageError, match="there is no value"):
        Axes(pairs=["extract.precondition="]).put_on(Matrix())
