"""Planners that try to outlive their search: leaving the group or the session, orphans, killing who watches them."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest
from script_planner import Script, eventually_dead, one_step_task, plan

from cubespace.search.planner import Limits, Outcome
from cubespace.search.planner_process import run_planner
from cubespace.search.solver import SearchResult

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finding what left its group needs Linux")

TASK = one_step_task()
# what runs on, with its id in a file; it has closed its output, so that nobody waits for it by accident
STAY = "open(MARK, 'w').write(str(os.getpid())); os.close(1); os.close(2); time.sleep(60)"
ESCAPES = {
    "a child in a session of its own": f"""
        if os.fork() == 0:
            os.setsid(); {STAY}
        """,
    "a daemon: fork, setsid, fork": f"""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                {STAY}
            os._exit(0)
        """,
    "an orphan in a group of its own that ignores requests": f"""
        if os.fork() == 0:
            if os.fork() == 0:
                os.setpgid(0, 0); signal.signal(signal.SIGTERM, signal.SIG_IGN); {STAY}
            os._exit(0)
        """,
    "a command of the shell": """
        os.system(f"setsid sh -c 'echo $$ > {MARK}; exec sleep 60' > /dev/null 2>&1 &")
        """,
}
UNTIL_IT_RUNS = "\nwhile not (os.path.exists(MARK) and open(MARK).read().strip()): time.sleep(0.01)\n"


def run(escape: str, then: str, mark: Path, limits: Limits) -> SearchResult:
    head = f"import os, signal, sys, time\nMARK = {str(mark)!r}\n"
    return run_planner(Script(head + textwrap.dedent(escape) + UNTIL_IT_RUNS + then), TASK, limits)


@pytest.mark.wall_clock
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
def test_what_has_left_the_group_is_ended_when_the_time_is_up(escape: str, tmp_path: Path) -> None:
    result = run(escape, "time.sleep(60)", tmp_path / "pid", Limits(seconds=1, megabytes=500))
    assert result.outcome is Outcome.OUT_OF_TIME
    assert 1 <= result.wall_seconds < 1.1 + 0.1  # 10 %, and what a busy machine takes
    assert eventually_dead(tmp_path / "pid", 0.2)


@pytest.mark.wall_clock
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
def test_what_has_left_the_group_is_ended_after_a_normal_end(escape: str, tmp_path: Path) -> None:
    result = run(escape, plan(TASK, 0), tmp_path / "pid", Limits(seconds=20, megabytes=500))
    assert result.outcome is Outcome.SOLVED, result
    assert eventually_dead(tmp_path / "pid", 0.2)


@pytest.mark.parametrize("victim", ["worker", "guard"])
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
def test_a_planner_that_kills_its_supervisor_gains_nothing(escape: str, victim: str, tmp_path: Path) -> None:
    find = "victim = os.getppid()\n"
    if victim == "guard":
        find = "victim = int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1])\n"
    deed = f"{find}os.kill(victim, 9)\ntime.sleep(60)"
    result = run(escape, deed, tmp_path / "pid", Limits(seconds=10, megabytes=500))
    assert result.outcome is Outcome.CRASHED
    assert "killed" in result.detail
    assert result.wall_seconds < 8
    assert eventually_dead(tmp_path / "pid")


@pytest.mark.wall_clock
def test_many_processes_that_start_others_are_all_ended(tmp_path: Path) -> None:
    script = f"""
        import os, time
        for _ in range(4):
            if os.fork() == 0:
                os.setsid()
        open(os.path.join({str(tmp_path)!r}, str(os.getpid())), "w").write(str(os.getpid()))
        time.sleep(60)
        """
    run_planner(Script(script), TASK, Limits(seconds=2, megabytes=500))
    marks = list(tmp_path.iterdir())
    assert len(marks) == 16
    assert all(eventually_dead(mark, 1) for mark in marks)


@pytest.mark.wall_clock
@pytest.mark.parametrize("seconds", [1.0, 3.0])
def test_a_planner_that_ignores_requests_is_ended_within_a_tenth_of_its_limit(seconds: float) -> None:
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    least = run_planner(Script(script), TASK, Limits(seconds=seconds)).wall_seconds
    if least >= 1.1 * seconds:  # something else was going on
        least = run_planner(Script(script), TASK, Limits(seconds=seconds)).wall_seconds
    assert seconds <= least < 1.1 * seconds


@pytest.mark.wall_clock
def test_a_planner_that_stops_itself_is_ended_in_time() -> None:
    result = run_planner(Script("import os; os.kill(os.getpid(), 19)"), TASK, Limits(seconds=1))
    assert result.outcome is Outcome.OUT_OF_TIME
    assert result.wall_seconds < 2


def test_processes_share_the_memory_limit() -> None:
    script = """
        import os, time
        for _ in range(4):
            if os.fork() == 0:
                break
        block = b"x" * (100 << 20)
        time.sleep(60)
        """
    begun = time.monotonic()
    result = run_planner(Script(script), TASK, Limits(seconds=30, megabytes=300))
    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert time.monotonic() - begun < 20


def test_memory_that_processes_share_counts_once() -> None:
    script = f"""
        import os, time
        block = b"x" * (100 << 20)
        children = [child for child in (os.fork() for _ in range(4)) if child]
        if len(children) < 4:
            time.sleep(1)
            os._exit(0)
        for child in children:
            os.waitpid(child, 0)
        {plan(TASK, 0)}
        """
    assert run_planner(Script(script), TASK, Limits(seconds=30, megabytes=300)).outcome is Outcome.SOLVED


@pytest.mark.parametrize("megabytes", [10**6, 2**42, 10**15, 10**30])
def test_a_memory_limit_beyond_all_memory_is_no_limit(megabytes: int) -> None:
    assert run_planner(Script(plan(TASK, 0)), TASK, Limits(megabytes=megabytes)).outcome is Outcome.SOLVED


@pytest.mark.wall_clock
def test_a_stopped_supervisor_cannot_hang_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cubespace.search.supervised_process.PATIENCE_SECONDS", 1.0)
    mark = tmp_path / "pid"
    guard = "int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1])"
    script = f"""
        import os, time
        open({str(mark)!r}, "w").write(str(os.getpid()))
        os.kill({guard}, {signal.SIGSTOP:d}); os.kill(os.getppid(), {signal.SIGSTOP:d})
        time.sleep(60)
        """
    result = run_planner(Script(script), TASK, Limits(seconds=1))
    assert result.outcome is Outcome.CRASHED
    assert "does not answer" in result.detail
    assert result.wall_seconds < 9
    assert eventually_dead(mark, 1)
    assert run_planner(Script(plan(TASK, 0)), TASK, Limits(seconds=20)).outcome is Outcome.SOLVED


def test_a_search_whose_supervisor_was_killed_is_tried_again_at_once(tmp_path: Path) -> None:
    second = tmp_path / "second"
    script = f"""
        import os, time
        if not os.path.exists({str(second)!r}):
            open({str(second)!r}, "w")
            os.kill(os.getppid(), 9)
            time.sleep(60)
        {plan(TASK, 0)}
        """
    result = run_planner(Script(script), TASK, Limits(seconds=20))
    assert result.outcome is Outcome.SOLVED
    assert os.path.exists(second)
