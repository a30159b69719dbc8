import json
import shutil
from pathlib import Path

import pytest

from cubespace.base.errors import InputError
from cubespace.base.files import write_text
from cubespace.base.observer import Observer
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import RunConfig

DATA = Path(__file__).parents[3] / "data"  # runs of older versions, each made by its version as it was released


class Lines(Observer):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture(params=["run-0.1.0", "run-0.2.0"])
def old(request, tmp_path) -> Path:
    return shutil.copytree(DATA / request.param, tmp_path / "run")


def test_a_run_of_an_older_version_keeps_its_data_and_shows_nothing_else(old) -> None:
    run = RunFolder.load(old)
    assert [name for name in ("data", "train", "extract", "evaluate", "diagnose") if run.finished(name)] == ["data"]
    text = write_report([old], load_plugins()).read_text()
    assert "Nothing has been learned" in text
    assert "Diagnosis" not in text


def test_a_run_of_an_older_version_continues_with_the_same_settings_and_says_so(old) -> None:
    data = (old / "data.npz").read_bytes()
    run = RunFolder.start(old, RunFolder.load(old).config)
    observer = Lines()
    Pipeline(run, load_plugins(), Execution(), observer).until("evaluate")
    assert [line for line in observer.lines if "older version" in line] == [
        "this run was made by an older version: its data set is kept, everything learned is learned again"
    ]
    assert "data: done already" in observer.lines
    assert run.finished("evaluate")
    assert (old / "data.npz").read_bytes() == data
    assert json.loads((old / "manifest.json").read_text())["schema"] == 3
    again = Lines()
    Pipeline(RunFolder.load(old), load_plugins(), Execution(), again).until("evaluate")
    assert not [line for line in again.lines if "older version" in line]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"schema": 4, "stages": {}}', "schema 4, this version reads up to 3"),
        ('{"schema": 2}', "damaged: it has no table of stages"),
        ('{"schema": 3}', "damaged: it has no table of stages"),
        ('{"schema": 2, "stages": {"data": 3}}', "damaged: it has no table of stages"),
        ('{"schema": 2, "stages": {"data": {"key": "x"}}}', "damaged"),
        ('{"schema": 2, "stages": {"data": {"key": 1, "files": [], "more": 0}}}', "damaged"),
        ('{"data": {"files": []}}', "damaged"),
        ("[]", "damaged: it is no table"),
        ("{", "damaged"),
    ],
)
def test_a_manifest_of_another_form_is_refused_in_one_line(tmp_path, content, message) -> None:
    RunFolder.start(tmp_path, RunConfig())
    write_text(tmp_path / "manifest.json", content)
    with pytest.raises(InputError, match=message) as caught:
        RunFolder.load(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_stage_that_this_version_does_not_know_is_no_obstacle(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    write_text(tmp_path / "manifest.json", '{"schema": 3, "stages": {"dream": {"key": "x"}}}')
    assert run.records() == {}
