"""Where instances and plans are, below a run folder."""

from pathlib import Path

from cubespace.runs.folder.plan_files import plan_folder, planner_folder, problem_folder


def test_plans_are_below_their_instance() -> None:
    assert problem_folder(Path("run"), "003") == Path("run/problems/003")
    assert plan_folder(Path("run"), "003", "fd-lmcut") == Path("run/problems/003/fd-lmcut")


def test_every_planner_has_a_folder_of_its_own() -> None:
    assert planner_folder("fd-lmcut") == "fd-lmcut"
    one, other = planner_folder("fd:search=astar(blind())"), planner_folder("fd:search=astar(blind)")
    assert one != other
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.") for name in (one, other))
    assert len(planner_folder("fd:" + "x" * 500)) < 60
