"""A matrix file, or axes on the command line, becomes cells."""

from pathlib import Path

import pytest

from cubespace.base.errors import UsageError
from cubespace.cli.matrix import Axes
from cubespace.experiments.matrix import Matrix, cells_of, read_matrix, seeds_of
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import RunConfig

FOLDER = Path("runs/m")

FILE = """
about = "what it is for"
preset = "paper"

[settings]
plan.seed = 50505
diagnose.seed = 7
plan.instances = 4
length = 5

[axes]
domain = ["mnist", "board15"]
seed = "0-1"
precondition = ["static", "significant"]

[domains.board15]
domain = "photo:size=4"
length = 14
train.batch = 99

[variants.ours]
[variants.theirs]
preset = "paper"
extract.effects = "differences"

[[exclude]]
domain = "mnist"
variant = ["theirs"]

"""


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "some.toml"
    path.write_text(FILE)
    return path


def test_every_combination_that_is_not_excluded_is_a_cell(file) -> None:
    cells = cells_of(read_matrix(file), FOLDER, load_plugins())
    assert len(cells) == 2 * 2 * 2 * 2 - 4
    assert len({cell.folder for cell in cells}) == len(cells)
    assert [dict(cell.values) for cell in cells[:1]] == [
        {"variant": "ours", "domain": "mnist", "seed": "0", "precondition": "static"}
    ]
    assert not [cell for cell in cells if (cell.values["domain"], cell.values["variant"]) == ("mnist", "theirs")]


def test_settings_are_laid_over_presets_and_the_particular_over_the_general(file) -> None:
    cells = cells_of(read_matrix(file), FOLDER, load_plugins())
    first, board = cells[0].config, cells[-1].config
    assert first.train.batch == 500, "of the preset"
    assert (first.plan.length, board.plan.length) == (5, 14)
    assert (board.domain, board.train.batch, board.extract.effects) == ("photo:size=4", 99, "differences")
    assert {cell.config.plan.seed for cell in cells} == {50505}, "one seed set by its name is not overruled by all"
    assert {cell.config.train.seed for cell in cells} == {0, 1}


def test_a_preset_may_be_named_after_the_domain() -> None:
    matrix = Matrix(axes={"domain": ["mnist:size=2"]}, variants={"x": {"preset": "no-{domain}"}})
    with pytest.raises(UsageError, match="No preset is called 'no-mnist'"):
        cells_of(matrix, FOLDER, load_plugins())


def test_a_matrix_survives_its_own_copy(file, tmp_path) -> None:
    matrix = read_matrix(file)
    (tmp_path / "matrix.toml").write_text(matrix.dump())
    assert read_matrix(tmp_path) == matrix
    assert matrix.diagnose


def test_axes_of_the_command_line_take_the_place_of_those_of_the_file(file, tmp_path) -> None:
    axes = Axes(domain=["photo"], seeds="3", pairs=["train.losses.direct=0,0.02", "train.epochs=none"])
    matrix = axes.put_on(read_matrix(file))
    (tmp_path / "matrix.toml").write_text(matrix.dump())
    cells = cells_of(read_matrix(tmp_path), FOLDER, load_plugins())
    assert len(cells) == 8
    assert {cell.config.train.losses.direct for cell in cells} == {0.0, 0.02}
    assert {cell.config.train.epochs for cell in cells} == {None}
    assert {cell.config.domain for cell in cells} == {"photo"}


def test_a_planner_axis_has_one_planner_in_each_cell() -> None:
    cells = cells_of(Matrix(axes={"planner": ["fd-lmcut", "fd-ms"]}), FOLDER, load_plugins())
    assert [cell.config.plan.planners for cell in cells] == [("fd-lmcut",), ("fd-ms",)]
    assert cells[0].config.key("extract") == cells[1].config.key("extract")


def test_cells_of_equal_settings_share_a_run() -> None:
    bits = RunConfig().autoencoder.bits
    cells = cells_of(Matrix(variants={"one": {}, "other": {"autoencoder": {"bits": bits}}}), FOLDER, load_plugins())
    assert len(cells) == 2
    assert cells[0].folder == cells[1].folder


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"axes": {"seed": "x"}}, "write numbers or ranges"),
        ({"axes": {"domain": []}}, "has no values"),
        ({"axes": {"domain": ["a", "a"]}}, "twice"),
        ({"axes": {"variant": "odd"}, "variants": {"old": {}}}, "Did you mean 'old'"),
        ({"axes": {"domain": "a"}, "exclude": ({"dmain": "a"},)}, "Did you mean 'domain'"),
        ({"axes": {"domain": "a"}, "exclude": ({"domain": "a"},)}, "every cell"),
        ({"axes": {"train.epoch": [1]}}, "epochs"),
        ({"preset": "papper"}, "Did you mean 'paper'"),
    ],
)
def test_a_wrong_matrix_is_one_line_that_names_it(table, complaint) -> None:
    with pytest.raises(UsageError, match=complaint) as error:
        cells_of(Matrix(**table), FOLDER, load_plugins())
    assert "\n" not in str(error.value)


def test_an_unknown_key_of_a_file_is_refused(tmp_path) -> None:
    (tmp_path / "wrong.toml").write_text("axis = {}")
    with pytest.raises(UsageError, match="Did you mean 'axes'"):
        read_matrix(tmp_path / "wrong.toml")


def test_seeds_are_numbers_and_ranges() -> None:
    assert seeds_of("0,3,7-9") == [0, 3, 7, 8, 9]
