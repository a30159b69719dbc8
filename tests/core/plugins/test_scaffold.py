import importlib

import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.evaluation.distances import frontier
from cubespace.plugins.component import KINDS
from cubespace.plugins.scaffold import STARTS, write_plugin


def test_every_kind_has_a_template() -> None:
    assert {start.kind for start in STARTS.values()} == set(KINDS)
    assert set(KINDS) <= set(STARTS)


@pytest.mark.parametrize("start", STARTS)
def test_every_template_compiles(start: str, tmp_path) -> None:
    folder = write_plugin("two-rooms", start, tmp_path / "two")
    modules = {"cube_two_rooms.py", "cube_two_rooms_plugin.py"}
    assert {path.name for path in folder.iterdir()} == {"pyproject.toml", "README.md", "tests", *modules}
    for path in folder.rglob("*.py"):
        compile(path.read_text(), str(path), "exec")
        assert "$" not in path.read_text()


def test_an_existing_folder_is_left_alone(tmp_path) -> None:
    with pytest.raises(InputError, match="already exists"):
        write_plugin("rooms", "domain", tmp_path)


def test_nothing_is_left_where_nothing_can_be_written(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"):
        write_plugin("rooms", "domain", tmp_path / "file" / "rooms")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["", "1st", "Rooms", "two rooms", "two_rooms", "class", "-x"])
def test_bad_names_are_refused(name: str, tmp_path) -> None:
    with pytest.raises(UsageError):
        write_plugin(name, "domain", tmp_path / "x")


def test_the_world_of_a_scaffold_is_worth_planning_in(tmp_path, monkeypatch) -> None:
    folder = write_plugin("garden", "domain", tmp_path / "garden")
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module("cube_garden")
    world = module.Garden(module.Options())
    assert len(world.cells) >= 30
    assert len(frontier(world, world.goal(), 7)) > 1
