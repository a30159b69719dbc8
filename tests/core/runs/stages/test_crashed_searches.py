"""Searches that were killed: told, shown as crashed, never kept as finished, and done again by the next call."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import cube
from tiny_run import copy_run

from cubespace import Run

FAKE = """
import os, runpy, sys
mark = {mark!r}
if len(os.listdir(mark)) < {kills}:
    open(os.path.join(mark, str(os.getpid())), "w").close()
    print("about to be killed", flush=True)
    os.kill({victim}, 9)
    import time; time.sleep(600)
sys.path.remove({here!r})
del sys.modules["pyperplan"]
sys.argv[0] = "pyperplan"
runpy.run_module("pyperplan", run_name="__main__", alter_sys=True)
"""


def fake_planner(folder: Path, *, kills: int, victim: str) -> dict[str, str]:
    """Return an environment in which pyperplan, or its supervisor, is killed in its first searches."""
    package, mark = folder / "path" / "pyperplan", folder / "mark"
    package.mkdir(parents=True)
    mark.mkdir()
    (package / "__init__.py").touch()
    here = str(package.parent)
    (package / "__main__.py").write_text(FAKE.format(mark=str(mark), kills=kills, victim=victim, here=here))
    return {**os.environ, "PYTHONPATH": here}


def evaluate(run: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    arguments = ["evaluate", str(run), "--planner", "pyperplan-bfs", "--instances", "2", "--memory-limit", "999"]
    return cube(*arguments, env=environment)


def test_a_killed_search_is_told_and_done_again_by_the_next_call(tmp_path: Path) -> None:
    run = copy_run(tmp_path, "default")
    environment = fake_planner(tmp_path, kills=1, victim="os.getpid()")
    first = evaluate(run, environment)
    assert first.returncode == 1, first.stderr
    assert "evaluate: pyperplan-bfs crashed on instance 000: ended by signal 9: about to be killed" in first.stderr
    assert "1 search crashed" in first.stderr
    assert Run.load(run).results["planners"]["pyperplan-bfs"]["outcomes"] == {"crashed": 1, "solved": 1}
    folder = run / "problems" / "000" / "pyperplan-bfs"
    assert (folder / "planner.log").read_text() == "about to be killed\n"
    kept = (folder.parents[1] / "001" / "pyperplan-bfs" / "result.json").read_text()
    second = evaluate(run, environment)
    assert second.returncode == 0, second.stderr
    assert json.loads((folder / "result.json").read_text())["outcome"] == "solved"
    assert not (folder / "planner.log").exists()
    assert (folder.parents[1] / "001" / "pyperplan-bfs" / "result.json").read_text() == kept
    third = evaluate(run, environment)
    assert third.returncode == 0
    assert "evaluate: done already" in third.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="a planner whose supervisor was killed ends on Linux only")
def test_a_search_whose_supervisor_was_killed_once_is_as_if_nothing_had_happened(tmp_path: Path) -> None:
    run = copy_run(tmp_path, "default")
    answer = evaluate(run, fake_planner(tmp_path, kills=1, victim="os.getppid()"))
    assert answer.returncode == 0, answer.stderr
    assert "crashed" not in answer.stderr
    assert Run.load(run).results["planners"]["pyperplan-bfs"]["outcomes"] == {"solved": 2}
