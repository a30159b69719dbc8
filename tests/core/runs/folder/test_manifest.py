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

OLD = Path(__file__).parents[3] / "data" / "run-0.1.0"  # made by that version, as it was released


@pytest.fixture
def old(tmp_path) -> Path:
    return shutil.copytree(OLD, tmp_path / "run")


def test_a_run_of_the_version_before_keeps_its_data_and_shows_nothing_else(old) -> None:
    run = RunFolder.load(old)
    assert [name for name in ("data", "train", "extract", "evaluate", "diagnose") if run.finished(name)] == ["data"]
    text = write_report([old], load_plugins()).read_text()
    assert "Nothing has been learned" in text
    assert "Diagnosis" not in text


def test_a_run_of_the_version_before_goes_on_with_the_same_settings(old) -> None:
    data = (old / "data.npz").read_bytes()
    run = RunFolder.start(old, RunFolder.load(old).config)
    Pipeline(run, load_plugins(), Execution(), Observer()).until("evaluate")
    assert run.finished("evaluate")
    assert (old / "data.npz").read_bytes() == data
    assert json.loads((old / "manifest.json").read_text())["schema"] == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"schema": 3, "stages": {}}', "schema 3, this version reads up to 2"),
        ('{"schema": 2}', "damaged: it has no table of stages"),
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
    write_text(tmp_path / "manifest.json", '{"schema": 2, "stages": {"dream": {"key": "x"}}}')
    assert run.records() == {}
