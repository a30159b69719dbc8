"""The command as a user runs it: a process of its own."""

import subprocess
from collections.abc import Callable
from functools import partial

import command
import pytest

Cube = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cube(tmp_path) -> Cube:
    """Run ``cube`` in an empty folder."""
    return partial(command.cube, cwd=tmp_path)
