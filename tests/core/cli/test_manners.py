"""Completion, quiet and verbose output, the log."""

import os
import subprocess
import sys

import pytest
from tiny_run import ARGUMENTS
from tiny_run import cube as command

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


@pytest.mark.parametrize(("line", "offered"), list(zip(LINES, OFFERED, strict=True)))
def test_the_shell_completes_names(line, offered) -> None:
    lines = ["import sys; sys.argv[0] = 'cube'", "from cubespace.cli import main", "try: main()"]
    code = "\n".join([*lines, "finally: assert 'torch' not in sys.modules"])
    words = {"_CUBE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    answer = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | words, capture_output=True, text=True, check=False
    )
    completed = answer.stdout.split()  # plugins of others may add to ours
    assert set(offered) <= set(completed), answer.stderr
    assert all(name.startswith(line.split()[-1]) for name in completed)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("output")


def test_verbose_says_every_step_quiet_says_none_and_the_log_has_all(folder) -> None:
    quick = [*ARGUMENTS, "--set", "train.epochs=20", "--set", "data.transitions=300", "-o", "run"]
    loud = command("run", *quick, "-v", cwd=folder)
    epochs = [line for line in loud.stderr.splitlines() if line.startswith("train: ") and "joint: loss" in line]
    assert len(epochs) == 20
    log = (folder / "run" / "run.log").read_text()
    assert log.count("joint: loss") == 20
    assert log.startswith("20")
    quiet = command("run", *quick, "-q", cwd=folder)
    assert quiet.returncode == loud.returncode
    assert quiet.stderr == "" or quiet.returncode
    assert "data: done already" in (folder / "run" / "run.log").read_text()[len(log) :]


def test_no_colour_goes_down_a_pipe(cube) -> None:
    for arguments in (["-h"], ["plugins"], ["run", "-h"]):
        assert "\x1b" not in cube(*arguments).stdout
