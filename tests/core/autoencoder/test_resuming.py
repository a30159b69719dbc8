import json
import multiprocessing
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import attrs
import pytest
from builders import train_in_a_process, trained_code, training_run
from command import forked
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.checkpoint import CURRENT, save_checkpoint
from cubespace.autoencoder.network_code import NetworkCode
from cubespace.autoencoder.resuming import TrainingRun
from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import in_use
from cubespace.learning.code_file import save_code
from cubespace.settings.recipe import Execution
from cubespace.settings.stages import CODE, METRICS


def start(folder: Path, **train: object) -> TrainingRun:
    return training_run(folder, toggles(100), toggles(20, 1), tiny_recipe(**train), execution=EVERY_EPOCH)


def finish(folder: Path, **train: object) -> NetworkCode:
    """Train to the end, or go on with a training, and write the code."""
    code = trained_code(folder, toggles(100), toggles(20, 1), tiny_recipe(**train), EVERY_EPOCH)
    save_code(folder / CODE, code, "autoencoder")
    return code


def epochs(folder: Path) -> list[int]:
    return [json.loads(line)["epoch"] for line in (folder / METRICS).read_text().splitlines()]


def test_a_training_leaves_metrics(tmp_path) -> None:
    run = start(tmp_path)
    rows = list(run)
    assert run.done == len(rows) <= run.epochs
    assert [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()] == rows


def test_stopped_anywhere_it_ends_with_the_same_bytes(tmp_path) -> None:
    whole = finish(tmp_path / "whole")
    length = len(epochs(tmp_path / "whole"))
    for done in range(0, length + 1, 2):
        folder = tmp_path / f"stopped after {done}"
        for _, _ in zip(range(done), start(folder), strict=False):
            pass
        again = finish(folder)
        assert epochs(folder) == list(range(1, length + 1))
        assert again.training == whole.training  # updates, and what was measured before anything was rewritten
        assert (folder / CODE).read_bytes() == (tmp_path / "whole" / CODE).read_bytes()


def test_a_finished_training_is_not_done_again_but_its_code_is_there(tmp_path) -> None:
    finish(tmp_path)
    length, code = len(epochs(tmp_path)), (tmp_path / CODE).read_bytes()
    (tmp_path / CODE).unlink()
    assert list(start(tmp_path)) == []
    finish(tmp_path)
    assert (tmp_path / CODE).read_bytes() == code
    assert epochs(tmp_path) == list(range(1, length + 1))


def test_rows_after_the_checkpoint_are_done_again_and_not_doubled(tmp_path) -> None:
    run = iter(start(tmp_path))
    next(run)
    with (tmp_path / METRICS).open("a") as metrics:
        metrics.write('{"epoch": 2}\n{"epo')  # written, but killed before the checkpoint
    rest = list(start(tmp_path))
    assert epochs(tmp_path) == list(range(1, len(rest) + 2))


def test_other_settings_or_data_are_refused(tmp_path) -> None:
    next(iter(start(tmp_path)))
    with pytest.raises(UsageError, match=r"train\.epochs \(3 there, 5 now\)"):
        start(tmp_path, epochs=5)
    with pytest.raises(UsageError, match="data"):
        training_run(tmp_path, toggles(100, seed=5), toggles(20, 1), tiny_recipe(), execution=EVERY_EPOCH)
    start(tmp_path)


def test_a_damaged_checkpoint_costs_one_epoch_and_is_said(tmp_path) -> None:
    finish(tmp_path / "whole")
    folder = tmp_path / "damaged"
    for _, _ in zip(range(3), start(folder), strict=False):
        pass
    content = bytearray((folder / CURRENT).read_bytes())
    content[5000] ^= 1
    (folder / CURRENT).write_bytes(content)
    run = start(folder)
    assert run.done == 2
    assert "SHA-256" in run.notes[0]
    finish(folder)
    assert (folder / CODE).read_bytes() == (tmp_path / "whole" / CODE).read_bytes()


def test_checkpoints_are_as_rare_as_wanted_but_the_last_is_always_there(tmp_path) -> None:
    patient = Execution(device="cpu", checkpoint_seconds=1e6)
    trained_code(tmp_path, toggles(100), toggles(20, 1), tiny_recipe(), patient)
    assert (tmp_path / CURRENT).exists()
    assert not (tmp_path / "checkpoint.previous.pt").exists()


def test_pictures_that_do_not_pair_are_refused(tmp_path) -> None:
    odd = attrs.evolve(toggles(10), after=toggles(9).after)
    with pytest.raises(InputError, match="as many"):
        training_run(tmp_path, odd, toggles(20, 1), tiny_recipe())


def train_and_kill(folder: Path, length: int, after: int, delay: float) -> None:
    """Train in a process of its own, wait for an epoch to be over and a bit longer, and kill it."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = forked(train_in_a_process, folder, length, there)  # torch is imported once, not once per kill
    there.close()
    while here.recv() < after:
        pass
    time.sleep(delay)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    ("kills", "length"), [(2, 20), pytest.param(20, 120, marks=pytest.mark.slow)], ids=["2 kills", "20 kills"]
)
def test_killed_at_random_moments_the_weights_are_those_of_an_undisturbed_training(tmp_path, kills, length) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    whole = finish(undisturbed, epochs=length)
    chance = random.Random(0)
    for after in sorted(chance.sample(range(length - 10), kills)):  # early enough that the training is not over
        train_and_kill(killed, length, after, chance.uniform(0.0, 0.03))
    again = finish(killed, epochs=length)
    assert epochs(killed) == epochs(undisturbed) == list(range(1, len(epochs(killed)) + 1))
    assert again.training == whole.training
    assert (killed / CODE).read_bytes() == (undisturbed / CODE).read_bytes()


@pytest.mark.parametrize(
    "forge",
    [
        lambda state: state.pop("trainer"),
        lambda state: state.pop("history"),
        lambda state: state.update(history="[1, 2]"),
        lambda state: state["trainer"].update(stage=99),
        lambda state: state["trainer"].pop("model"),
        lambda state: state["trainer"].update(order="{}"),
        lambda state: state["trainer"].update(optimizer=3),
    ],
    ids=["no trainer", "no history", "no rows", "no such phase", "no model", "no order", "no optimizer"],
)
def test_a_sealed_checkpoint_with_the_wrong_content_is_one_line(tmp_path, forge) -> None:
    run = start(tmp_path)
    next(iter(run))
    state = {"trainer": run.trainer.state(), "history": json.dumps(run.history)}
    forge(state)
    save_checkpoint(tmp_path, state, run.identity)
    with pytest.raises(InputError, match="does not fit this training") as refusal:
        start(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_folder_that_is_removed_while_training_is_one_line_and_is_not_made_anew(tmp_path) -> None:
    folder = tmp_path / "run"
    run = iter(start(folder))
    with in_use(folder):
        next(run)
        shutil.rmtree(folder)
        with pytest.raises(InputError, match="was removed while it was in use"):
            next(run)
    assert not folder.exists()


def test_metrics_are_not_written_to_what_a_link_leads_to(tmp_path) -> None:
    (tmp_path / "victim").write_text("kept")
    run = start(tmp_path / "run")
    (tmp_path / "run" / METRICS).unlink()
    (tmp_path / "run" / METRICS).symlink_to(tmp_path / "victim")
    with pytest.raises(InputError, match="it is a link"):
        next(iter(run))
    assert (tmp_path / "victim").read_text() == "kept"
