"""The example of a package of its own: its problems are those that its script writes, and its own tests pass."""

from __future__ import annotations

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from cubespace.plugins.catalogue import load_plugins

PACKAGE = Path(__file__).parents[2] / "examples" / "cube-pddlgym"


def test_the_problems_are_those_that_the_script_writes() -> None:
    script = runpy.run_path(str(PACKAGE / "make_problems.py"))
    written = {
        "hanoi-4-4": script["hanoi"](4, 4),
        "hanoi-2-3": script["hanoi"](2, 3),
        "blocks-4": script["blocks"](4),
        "sokoban-1": script["sokoban"](script["LEVEL"]),
    }
    shipped = {file.stem: file.read_text() for file in (PACKAGE / "cube_pddlgym" / "problems").glob("*.pddl")}
    assert shipped == written
    assert sum(sign not in "#\n" for sign in script["LEVEL"]) == 34


def test_its_own_tests_pass() -> None:
    if "pddlgym" not in load_plugins().names("domain") or importlib.util.find_spec("pddlgym") is None:
        pytest.skip("the package is not installed, see examples/cube-pddlgym/README.md")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(PACKAGE),
        str(PACKAGE / "tests"),
    ]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE, check=False)
    assert answer.returncode == 0, answer.stdout
