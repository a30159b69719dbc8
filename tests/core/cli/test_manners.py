"""Completion, quiet and verbose output, the log."""

import os
import subprocess
import sys

import pytest
from tiny_run import HASTY, WORLD, words

LINES = [
    "cube run --domain m",
    "cube plugins a",
    "cube plugins apply bt",
    "cube plan --planner fd-l",
    "cube run --preset p",
    "cube show m",
    "cube data h",
    "cube run --set train.l",
    "cube matrix --set plan.time",
]
OFFERED = [["mandrill", "mnist"], ["apply"], ["btl"], ["fd-lama", "fd-lmcut"], ["paper"], ["mandrill", "mnist"]]
OFFERED += [["hanoi"], ["train.learning_rate=", "train.losses.direct="], ["plan.time_limit="]]


def asked(line: str) -> dict[str, str]:
    """Return the environment in which the shell asks for words that complete a line."""
    asking = {"_CUBE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    return {**os.environ, **asking}


@pytest.mark.parametrize(("line", "offered"), list(zip(LINES, OFFERED, strict=True)))
def test_the_shell_completes_names(cube, line, offered) -> None:
    completed = cube(env=asked(line)).stdout.split()  # plugins of others may add to ours
    assert set(offered) <= set(completed)
    assert all(name.startswith(line.split()[-1]) for name in completed)


def test_completion_does_not_import_torch() -> None:
    lines = ["import sys; sys.argv[0] = 'cube'", "from cubespace.cli import main", "try: main()"]
    code = "\n".join([*lines, "finally: assert 'torch' not in sys.modules"])
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, env=asked(LINES[0]), capture_output=True, text=True, check=False)
    assert set(OFFERED[0]) <= set(answer.stdout.split()), answer.stderr
    assert answer.stderr == ""


def test_verbose_says_every_step_quiet_says_none_and_the_log_has_all(cube, tmp_path) -> None:
    quick = [*WORLD, *words({**HASTY, "train.epochs": 20}), "--instances", "1", "-o", "run"]
    loud = cube("run", *quick, "-v")
    epochs = [line for line in loud.stderr.splitlines() if line.startswith("train: ") and "joint: loss" in line]
    assert len(epochs) == 20
    log = (tmp_path / "run" / "run.log").read_text()
    assert log.count("joint: loss") == 20
    assert log.startswith("20")
    quiet = cube("run", *quick, "-q")
    assert quiet.returncode == loud.returncode
    assert quiet.stderr == "" or quiet.returncode
    assert "data: done already" in (tmp_path / "run" / "run.log").read_text()[len(log) :]


def test_no_colour_goes_down_a_pipe(cube) -> None:
    for arguments in (["-h"], ["plugins"], ["run", "-h"]):
        assert "\x1b" not in cube(*arguments).stdout
