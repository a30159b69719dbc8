"""The example of a rendered world: its own tests pass where MuJoCo is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from cubespace.plugins.catalogue import load_plugins

PACKAGE = Path(__file__).parents[2] / "examples" / "tabletop"


def test_its_own_tests_pass() -> None:
    if "tabletop" not in load_plugins().names("domain") or importlib.util.find_spec("mujoco") is None:
        pytest.skip("the package is not installed, see examples/tabletop/README.md")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", str(PACKAGE / "tests")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PACKAGE)
    assert answer.returncode == 0, answer.stdout + answer.stderr
