"""The command as a user runs it: a process of its own."""

import subprocess
import sys
from collections.abc import Callable

import pytest

Cube = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cube(tmp_path) -> Cube:
    """Run ``cube`` in an empty folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cubespace.cli", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    return run
