"""A real ``cube matrix`` on a cluster of machines, one of which is lost while it works: the results are the same."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest
from tiny_matrix import TRAINED, outcome, tiny_matrix

from cubespace.experiments.driver import MatrixRun
from cubespace_executors.local import Local, LocalOptions

pytest.importorskip("ray", reason="the executor ray needs the extra [ray]")

SETTINGS = {**TRAINED, "train.extensions": [], "train.epochs": 300}  # long enough to be hit in the middle
MATRIX = tiny_matrix({"seed": "0-1"}, SETTINGS)
CLUSTER = Path(__file__).parents[2] / "support" / "ray_machines.py"
BEGUN = 20  # epochs that both cells have behind them when a machine is lost
PATIENCE = 240.0

pytestmark = pytest.mark.slow


class Machines:
    """The cluster, as a process that is told which machine is lost."""

    def __init__(self, process: subprocess.Popen[str], temporary: Path) -> None:
        self.process, self.temporary = process, temporary
        self.address = self._answer()

    def _answer(self) -> str:
        return _pipe(self.process.stdout).readline().strip()

    def tell(self, line: str) -> None:
        _pipe(self.process.stdin).write(f"{line}\n")
        _pipe(self.process.stdin).flush()
        assert self._answer() == "done"


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@pytest.fixture
def machines(tmp_path) -> Iterator[Machines]:
    """Two machines of one core each; their temporary files are in a folder of the test."""
    temporary = tmp_path / "of-machines"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "RAY_TMPDIR": "/tmp"}  # a socket's path must be short
    command = [sys.executable, str(CLUSTER)]
    log = (tmp_path / "cluster.txt").open("w")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
    ) as process:
        yield Machines(process, temporary)
        _pipe(process.stdin).close()
        process.wait(60)
    log.close()


@pytest.fixture(scope="module")
def calm(tmp_path_factory) -> Path:
    """The same matrix without any loss, on this machine."""
    folder = tmp_path_factory.mktemp("calm") / "m"
    assert MatrixRun.of(MATRIX, folder).run(Local(LocalOptions(jobs=1))).done == 2
    return folder


def command(file: Path, folder: Path, executor: str) -> list[str]:
    cube = [sys.executable, "-P", "-m", "cubespace.cli", "matrix", str(file), "-o", str(folder)]
    return [*cube, "--executor", executor, "--checkpoint-seconds", "0"]


def wait_for(happened: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, "it ended before a machine could be lost"
        assert time.monotonic() < deadline, "it did not get that far"
        time.sleep(0.05)


def begun(folder: Path) -> bool:
    """Return whether both cells are in the middle of their training."""
    lengths = [len(path.read_bytes().splitlines()) for path in folder.glob("**/cells/*/metrics.jsonl")]
    return len(lengths) == 2 and all(BEGUN <= length < SETTINGS["train.epochs"] // 2 for length in lengths)


def continued(folder: Path) -> list[int]:
    """Return the epochs after which trainings went on."""
    logs = "".join(path.read_text() for path in folder.glob("cells/*/run.log"))
    return [int(epoch) for epoch in re.findall(r"going on after epoch (\d+)", logs)]


def test_a_machine_is_lost_and_its_cell_goes_on_elsewhere_from_its_checkpoint(tmp_path, machines, calm) -> None:
    (tmp_path / "m.toml").write_text(MATRIX.dump())
    executor = f"ray:address={machines.address}"
    with (tmp_path / "said.txt").open("w") as said:
        process = subprocess.Popen(command(tmp_path / "m.toml", tmp_path / "m", executor), stdout=said, stderr=said)
        wait_for(lambda: begun(tmp_path / "m"), process)
        machines.tell("lose 1")
        assert process.wait(PATIENCE) == 0, (tmp_path / "said.txt").read_text()
    assert outcome(tmp_path / "m") == outcome(calm)
    (epoch,) = continued(tmp_path / "m")
    assert epoch >= BEGUN, "the cell of the other machine was not touched, the lost one lost at most an epoch"


def can_hide_folders() -> bool:
    """Return whether a process may have a view of the file system of its own, as Linux allows root."""
    trial = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(trial, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not can_hide_folders(), reason="needs root on Linux: the driver's files are hidden from machines")
def test_machines_that_see_none_of_the_drivers_files_do_the_same_and_one_may_be_lost(tmp_path, machines, calm) -> None:
    """The driver alone sees its folder: it is mounted for no other process."""
    hidden, copied = tmp_path / "hidden", tmp_path / "copied"
    hidden.mkdir()
    (tmp_path / "m.toml").write_text(MATRIX.dump())
    words = command(tmp_path / "m.toml", hidden / "m", f"ray:address={machines.address},files=driver")
    script = 'mount -t tmpfs none "$1" && a="$1" b="$2" && shift 2 && "$@"; code=$?; cp -r "$a/m" "$b"; exit $code'
    with (tmp_path / "said.txt").open("w") as said:
        process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", script, "sh", str(hidden), str(copied), *words], stdout=said, stderr=said
        )
        wait_for(lambda: begun(machines.temporary), process)
        machines.tell("lose 1")
        machines.tell("add 3")
        assert process.wait(PATIENCE) == 0, (tmp_path / "said.txt").read_text()
    assert not list(hidden.iterdir()), "nobody but the driver has seen the folder"
    assert outcome(copied) == outcome(calm)
    assert continued(copied) == [], "what the lost machine had done was lost with it, and done anew"
