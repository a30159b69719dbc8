"""``cube plan``, ``studio``, ``report``, ``diagnose`` and ``lift`` without a run take the newest one."""

import os

import pytest
from command import cube

from cubespace.base.errors import UsageError
from cubespace.runs.folder.newest import newest_run
from cubespace.settings.stages import STRIPS


def test_the_run_whose_model_was_extracted_last_is_the_newest(tmp_path) -> None:
    for number, name in enumerate(("older", "newer", "unfinished")):
        (tmp_path / name).mkdir()
        if name != "unfinished":
            (tmp_path / name / STRIPS).touch()
            os.utime(tmp_path / name / STRIPS, (number, number))
    assert newest_run(tmp_path) == tmp_path / "newer"


def test_without_any_run_it_says_how_to_get_one(tmp_path) -> None:
    with pytest.raises(UsageError, match="learn one with cube run"):
        newest_run(tmp_path)


@pytest.mark.parametrize("command", ["report", "diagnose", "lift", "studio", "plan"])
def test_a_command_without_a_run_says_which_one_it_takes(command, tmp_path) -> None:
    unreadable = tmp_path / "runs" / "newest"
    unreadable.mkdir(parents=True)
    (unreadable / STRIPS).touch()
    done = cube(command, *(["a.png", "b.png"] if command == "plan" else []), cwd=tmp_path)
    assert done.returncode != 0  # nothing was learned there
    assert "with the newest run, runs/newest" in done.stderr
