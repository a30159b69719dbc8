"""Somebody follows one search from another thread: hears what it says, and ends it and no other."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from planning_tasks import eight_puzzle
from script_planner import Script, eventually_dead, one_step_task, plan

from cubespace.search.best_first import best_first, path_length
from cubespace.search.planner_process import run_planner
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult
from cubespace.search.watching import Watch, present_watch, watched

LIMITS = Limits(seconds=30, megabytes=500)
SLEEPER = "import os, time; open({marker!r}, 'w').write(str(os.getpid())); print('busy', flush=True); time.sleep(60)"


def search(watch: Watch, planner: Script) -> SearchResult:
    with watched(watch):
        return run_planner(planner, one_step_task(), LIMITS)


def wait_for(watch: Watch, line: str) -> None:
    deadline = time.monotonic() + 10
    while watch.last_line != line:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_search_is_ended_with_its_process_and_another_one_goes_on(tmp_path: Path) -> None:
    marker, (first, second) = tmp_path / "process", (Watch(), Watch())
    other = Script(f"import time; time.sleep(1); {plan(one_step_task(), 0)}")
    with ThreadPoolExecutor(2) as pool:
        ended = pool.submit(search, first, Script(SLEEPER.format(marker=str(marker))))
        solved = pool.submit(search, second, other)
        wait_for(first, "busy")
        first.end()
        assert ended.result().outcome is Outcome.CRASHED
        assert eventually_dead(marker)
        assert solved.result().outcome is Outcome.SOLVED
    assert run_planner(Script(plan(one_step_task(), 0)), one_step_task(), LIMITS).outcome is Outcome.SOLVED


def test_a_search_that_is_ended_before_it_begins_does_not_begin(tmp_path: Path) -> None:
    watch = Watch()
    watch.end()
    watch.end()
    begun = time.monotonic()
    assert search(watch, Script("import time; time.sleep(60)")).outcome is Outcome.CRASHED
    assert time.monotonic() - begun < 10


def test_a_request_that_comes_too_late_harms_no_later_search() -> None:
    watch = Watch()
    assert search(watch, Script(plan(one_step_task(), 0))).outcome is Outcome.SOLVED
    watch.end()
    assert search(Watch(), Script(plan(one_step_task(), 0))).outcome is Outcome.SOLVED


def test_the_last_line_is_a_whole_one() -> None:
    watch = Watch()
    assert watch.last_line == ""
    watch.hear(b"one\n two \n\nthr")
    assert watch.last_line == "two"
    watch.hear(b"ee\n" + b"x" * 10_000)
    assert watch.last_line == ""


def test_nobody_is_in_the_way_if_nobody_watches() -> None:
    assert not present_watch().ended
    assert present_watch() is not present_watch()


def test_a_search_in_this_process_is_ended_and_heard_too() -> None:
    task, watch = eight_puzzle(), Watch()
    steps = itertools.count(1)

    def endless(states):  # every successor is new
        new = np.unpackbits(np.array([[next(steps)]], dtype=">u8").view(np.uint8), axis=1).astype(np.bool_)
        time.sleep(0.01)
        return np.resize(new, (1, states.shape[1])), np.zeros(1, np.intp), np.zeros(1, np.intp)

    problem = SearchProblem(init=task.init, goal=task.goal, model=task.model, expand=endless)
    threading.Timer(0.3, watch.end).start()
    with watched(watch):
        result = best_first(problem, LIMITS, path_length, 1)
    assert result.outcome is Outcome.NOT_FOUND
    assert "states expanded" in watch.last_line
