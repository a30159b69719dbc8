"""A small finished run, made once per process: what reports, interface and pages are tested on."""

import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

SETTINGS = {
    "data.transitions": 600,
    "model.bits": 12,
    "model.actions": 60,
    "model.encoder": "mlp:width=100",
    "model.decoder": "mlp:width=100",
    "model.action_width": 60,
    "train.epochs": 60,
    "train.batch": 50,
}
ARGUMENTS = [
    *("--domain", "lightsout:size=2", "--length", "2", "--instances", "4"),
    *("--planner", "fd-lmcut", "--planner", "pyperplan-bfs"),
    *(word for key, value in SETTINGS.items() for word in ("--set", f"{key}={value}")),
]


def cube(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cubespace.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="cubespace-")
    answer = cube("run", *ARGUMENTS, "-o", "run", cwd=Path(folder.name))
    assert answer.returncode == 0, answer.stderr
    return folder


def copy_run(folder: Path) -> Path:
    """Return a copy of the run in a folder: one that may be spoiled."""
    return shutil.copytree(Path(_made().name) / "run", folder / "run")


@pytest.fixture
def tiny_run(tmp_path) -> Path:
    """A run of the test's own."""
    return copy_run(tmp_path)
