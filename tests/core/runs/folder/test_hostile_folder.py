"""A run folder with links, litter or forged records in it, or removed under our hands."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from command import cube
from tiny_run import WORLD

from cubespace.base.errors import InputError
from cubespace.base.files import write_text
from cubespace.base.observer import Observer
from cubespace.cli.run_log import RunLog
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.settings.recipe import Execution


def pipeline(folder: Path) -> Pipeline:
    return Pipeline(RunFolder.load(folder), load_plugins(), Execution(device="cpu"), Observer())


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_opening_a_run_removes_what_killed_processes_left(tiny_run, tmp_path, dead, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    litter = [
        tiny_run / f".config.toml.{dead}-0123abcd.part",
        tiny_run / "problems" / "000" / f".init.png.{dead}-0123abcd.part",
        tmp_path / f"cube-{dead}-0123abcd" / "plan",
    ]
    litter[-1].parent.mkdir()
    for file in litter:
        file.touch()
    pipeline(tiny_run).until("train")
    assert not [file for file in litter if file.exists()]
    assert not litter[-1].parent.exists()


@pytest.mark.parametrize("name", ["problems", "plans", "problems/000"])
def test_nothing_is_written_through_a_linked_folder(tiny_run, tmp_path, name) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.rmtree(tiny_run / name, ignore_errors=True)
    (tiny_run / name).symlink_to(elsewhere)
    with pytest.raises(InputError, match=f"{Path(name).name}' is a link"):
        pipeline(tiny_run).until("evaluate")
    assert not list(elsewhere.iterdir())


def test_the_log_is_not_written_through_a_link(tiny_run, tmp_path) -> None:
    (tmp_path / "victim").write_text("kept")
    (tiny_run / "run.log").unlink()
    (tiny_run / "run.log").symlink_to(tmp_path / "victim")
    with pytest.raises(InputError, match=r"run\.log': it is a link"), RunLog(tiny_run / "run.log"):
        pass
    assert (tmp_path / "victim").read_text() == "kept"


@pytest.mark.parametrize("name", [".lock", "run.log"])
def test_a_folder_in_the_place_of_a_file_is_one_line(tiny_run, name) -> None:
    (tiny_run / name).unlink(missing_ok=True)
    (tiny_run / name).mkdir()
    answer = cube("train", str(tiny_run), "-q")
    assert answer.returncode == 3
    assert answer.stderr.startswith("cube: cannot write")
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "forge",
    [
        lambda record: record.clear(),
        lambda record: record.pop("plan"),
        lambda record: record.update(outcome="won"),
        lambda record: record.update(plan="abc"),
        lambda record: record.update(plan=None),
        lambda record: record.update(plan=["a"]),
        lambda record: record.update(seconds=None),
    ],
    ids=["empty", "no plan", "no outcome", "text", "nothing", "words", "no time"],
)
def test_a_search_whose_record_is_forged_is_done_again(tiny_run, forge) -> None:
    before = json.loads((tiny_run / "results.json").read_text())
    (tiny_run / "results.json").unlink()
    file = tiny_run / "problems" / "000" / "fd-lmcut" / "result.json"
    record = json.loads(file.read_text())
    forge(record)
    file.write_text(json.dumps(record))
    pipeline(tiny_run).until("evaluate")
    after = json.loads((tiny_run / "results.json").read_text())
    rows = ([each["plan"] for each in table["planners"]["fd-lmcut"]["records"]] for table in (before, after))
    assert next(rows) == next(rows)


def test_a_search_whose_record_is_damaged_is_done_again(tiny_run) -> None:
    (tiny_run / "results.json").unlink()
    (tiny_run / "problems" / "000" / "fd-lmcut" / "result.json").write_text("")
    pipeline(tiny_run).until("evaluate")
    assert json.loads((tiny_run / "problems" / "000" / "fd-lmcut" / "result.json").read_text())["plan"]


class Vandal(Observer):
    """Removes the run folder when a stage begins."""

    def __init__(self, folder: Path, stage: str) -> None:
        super().__init__()
        self.folder, self.at = folder, stage

    def stage(self, name: str, about: str) -> None:  # noqa: ARG002
        if name == self.at:
            shutil.rmtree(self.folder)


@pytest.mark.parametrize("stage", ["data", "train", "evaluate"])
def test_a_run_folder_that_is_removed_under_our_hands_is_not_made_anew(tiny_run, stage) -> None:
    for name in ("data.npz", "measures.json", "results.json"):
        if stage == "data" or name != "data.npz":
            (tiny_run / name).unlink()
    done = Pipeline(RunFolder.load(tiny_run), load_plugins(), Execution(device="cpu"), Vandal(tiny_run, stage))
    with pytest.raises(InputError) as caught:
        done.until("evaluate")
    assert "\n" not in str(caught.value)
    assert not tiny_run.exists()


def test_a_file_in_the_place_of_the_run_folder_is_one_line(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    answer = cube("run", *WORLD, "-o", str(tmp_path / "file"))
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1
    assert "file'" in answer.stderr
    assert os.listdir(tmp_path) == ["file"]


def test_a_run_in_a_folder_whose_name_is_no_text_works(tiny_run, tmp_path) -> None:
    odd = tmp_path / "\udcff"
    tiny_run.rename(odd)
    log = RunLog(odd / "run.log")
    with log:
        log.say(f"working in {odd}")
    pipeline(odd).until("evaluate")
    write_text(odd / "x.html", f"<p>{odd}</p>")
    assert "\\udcff" in (odd / "run.log").read_text()
