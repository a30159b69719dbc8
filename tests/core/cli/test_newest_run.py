"""``cube plan`` without a run takes the newest one."""

import os

import pytest

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
