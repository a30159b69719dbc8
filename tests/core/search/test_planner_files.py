"""What planners leave behind: only regular files of a sensible size are read, and nothing stays."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from script_planner import Script, one_step_task, plan

from cubespace.search.planner import Answer, Limits, Outcome
from cubespace.search.planner_process import MAX_FILE_BYTES, run_planner

TASK = one_step_task()
LIMITS = Limits(seconds=200, megabytes=500)
ODD = {
    "a pipe": ("os.mkfifo('plan')", "not a regular file"),
    "a pipe that someone else reads": ("os.mkfifo('other'); " + plan(TASK, 0), "not a regular file"),
    "a sparse file": ("open('plan', 'wb').truncate(1 << 40)", "MB"),
    "a file beyond bounds": (f"open('plan', 'wb').truncate({MAX_FILE_BYTES + 1})", "MB"),
    "a link": ("os.symlink('/etc/passwd', 'plan')", "not a regular file"),
    "a link to itself": ("os.symlink('plan', 'plan')", "not a regular file"),
    "a link to an endless file": ("os.symlink('/dev/zero', 'plan')", "not a regular file"),
    "a pipe in a folder": ("os.mkdir('a'); os.mkfifo('a/b')", "'a/b'"),
    "a folder": ("os.mkdir('plan')", "directory"),
    "a socket": ("import socket; socket.socket(socket.AF_UNIX).bind('plan')", "not a regular file"),
    "very many files": ("[open(str(n), 'w').close() for n in range(1100)]", "1000 files"),
}


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """See that each folder is gone after its search."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("deed", "reason"), ODD.values(), ids=ODD)
def test_what_is_no_regular_file_of_sensible_size_is_refused_quickly(deed: str, reason: str) -> None:
    begun = time.monotonic()
    result = run_planner(Script(f"import os; {deed}"), TASK, LIMITS)
    assert result.outcome is Outcome.CRASHED
    assert reason in result.detail
    assert time.monotonic() - begun < 5


def test_the_log_of_a_planner_is_part_of_the_result() -> None:
    result = run_planner(Script("print('first'); print('last words'); raise SystemExit(7)"), TASK, LIMITS)
    assert result.log == "first\nlast words\n"


def test_a_folder_that_a_planner_closes_is_removed() -> None:
    deed = "import os; os.makedirs('a/b'); open('a/b/c', 'w'); os.chmod('a/b', 0); os.chmod('a', 0)"
    assert run_planner(Script(deed), TASK, LIMITS).outcome is Outcome.CRASHED


@pytest.mark.parametrize("plan_of_a_plugin", [None, (10**6,), (-1,), ("a",), (0.5,), 7])
def test_a_backend_that_answers_nonsense_has_crashed(plan_of_a_plugin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = None if plan_of_a_plugin is None else Answer(outcome=Outcome.SOLVED, plan=plan_of_a_plugin)  # type: ignore[arg-type]
    monkeypatch.setattr(Script, "answer", lambda *_: answer)
    assert run_planner(Script("pass"), TASK, LIMITS).outcome is Outcome.CRASHED


@pytest.mark.parametrize("moment", ["command", "answer"])
def test_a_search_killed_before_or_after_the_planner_leaves_no_folder(moment: str, tmp_path: Path) -> None:
    program = f"""
        import os, sys, tempfile
        sys.path.insert(0, {str(Path(__file__).parents[2] / "support")!r})
        tempfile.tempdir = {str(tmp_path)!r}
        from cubespace.search.planner_process import run_planner
        from cubespace.search.solver import Limits
        from script_planner import Script, one_step_task
        def die(self, task, folder, *_):
            open(folder / "file", "w")
            print(folder)
            os.kill(os.getpid(), 9)
        Script.{moment} = die
        run_planner(Script("pass"), one_step_task(), Limits())
        """
    process = subprocess.run(
        [sys.executable, "-u", "-c", textwrap.dedent(program)], check=False, stdout=subprocess.PIPE
    )
    assert process.returncode == -signal.SIGKILL
    assert process.stdout  # there was a folder
    deadline = time.monotonic() + 5
    while list(tmp_path.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("outcome", [None, 7, "done"])
def test_an_outcome_that_is_none_is_a_crash(outcome: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Script, "answer", lambda *_: Answer(outcome=outcome))  # type: ignore[arg-type]
    assert run_planner(Script("pass"), TASK, LIMITS).outcome is Outcome.CRASHED
