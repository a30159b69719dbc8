import subprocess
import sys

import attrs
import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import write_text
from cubespace.runs.folder import RunFolder, default_folder
from cubespace.settings.run_config import RunConfig, load_config


def test_a_run_folder_can_be_opened_again(tmp_path) -> None:
    config = load_config(None, {"train.epochs": 3})
    RunFolder.start(tmp_path / "run", config)
    assert RunFolder.load(tmp_path / "run").config == config
    assert RunFolder.start(tmp_path / "run", config).config == config
    assert (tmp_path / "run" / "environment.json").is_file()


def test_other_training_settings_are_refused_with_their_keys(tmp_path) -> None:
    RunFolder.start(tmp_path, RunConfig())
    with pytest.raises(UsageError, match=r"train\.epochs"):
        RunFolder.start(tmp_path, load_config(None, {"train.epochs": 3}))
    RunFolder.start(tmp_path, load_config(None, {"plan.length": 3}))  # planning may change


def test_a_foreign_folder_is_left_alone(tmp_path) -> None:
    (tmp_path / "precious").touch()
    with pytest.raises(InputError, match="not empty"):
        RunFolder.start(tmp_path, RunConfig())
    with pytest.raises(InputError, match="not a run folder"):
        RunFolder.load(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot write to .*file/run"):
        RunFolder.start(tmp_path / "file" / "run", RunConfig())


def test_a_finished_stage_is_known_until_its_settings_or_files_change(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    assert not run.finished("data")
    with run.stage("data", "data.npz"):
        write_text(run.file("data.npz"), "x")
    assert run.finished("data")
    assert not attrs.evolve(run, config=load_config(None, {"data.seed": 1})).finished("data")
    write_text(run.file("data.npz"), "y")
    assert not run.finished("data")


def test_a_stage_that_fails_is_not_finished_and_redoing_one_undoes_the_later(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    for name in ("data", "train"):
        with run.stage(name):
            pass
    assert run.finished("train")

    def fail() -> None:
        with run.stage("data"):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with run.stage("data"):
        pass
    assert run.finished("data")
    assert not run.finished("train")


def test_two_processes_do_not_work_on_one_run(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    code = f"from cubespace.runs.folder import RunFolder\nwith RunFolder.load({str(tmp_path)!r}).locked(): pass"
    with run.locked():
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "in use by another process" in answer.stderr
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_settings_of_a_run_at_work_are_not_changed(tmp_path) -> None:
    run = RunFolder.start(tmp_path, RunConfig())
    before = run.file("config.toml").read_bytes()
    code = (
        "from pathlib import Path\nfrom cubespace.runs.folder import RunFolder\n"
        "from cubespace.settings.run_config import load_config\n"
        f"RunFolder.start(Path({str(tmp_path)!r}), load_config(None, {{'plan.length': 3}}))"
    )
    with run.locked():
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "in use by another process" in answer.stderr
    assert run.file("config.toml").read_bytes() == before
    subprocess.run([sys.executable, "-c", code], check=True)
    assert RunFolder.load(tmp_path).config.plan.length == 3


def test_the_same_training_has_the_same_folder() -> None:
    assert default_folder(RunConfig()) == default_folder(load_config(None, {"plan.length": 3}))
    assert default_folder(RunConfig()) != default_folder(load_config(None, {"train.epochs": 3}))
