"""Planner processes: limits hold, nothing is left behind, and a crash is never "no plan"."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
import pytest
from planning_tasks import eight_puzzle, sliding, sliding_state, walk
from script_planner import Script, alive, eventually_dead, one_step_task, plan

from cubespace.base.errors import InputError, UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.planner import Limits, Outcome
from cubespace.search.planner_process import run_planner
from cubespace.search.sas.writer import write_sas
from cubespace.search.solver import SearchResult
from cubespace.search.supervised_process import LOG_BYTES_PER_END
from cubespace.symbols.strips import Task

LIMITS = Limits(seconds=20, megabytes=500)
FIND = importlib.util.find_spec


@pytest.fixture
def task() -> Task:
    return one_step_task()


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let planners work below ``tmp_path`` and see that each folder is gone after its search."""
    import tempfile

    folder = tmp_path / "planners"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def run(script: str, task: Task, limits: Limits = LIMITS) -> SearchResult:
    return run_planner(Script(script), task, limits)


def test_a_plan_is_believed_after_execution(task: Task) -> None:
    result = run(plan(task, 0), task)
    assert result.outcome is Outcome.SOLVED
    assert result.plan == (0,)
    assert result.cost == 1
    assert result.wall_seconds > 0
    assert result.statistics.megabytes is not None
    assert 1 < result.statistics.megabytes < 100


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("import os; os.abort()", "signal 6"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("print('bad luck'); raise SystemExit(35)", "exit code 35: bad luck"),
        (
            "import sys; sys.stdout.buffer.write(bytes(range(256)) * 99); open('plan', 'wb').write(bytes(range(256)))",
            "read",
        ),
        ("open('plan', 'w').write('(no-such-action)')", "not an action"),
        ("pass", "plan"),
        ("open('plan', 'w')", "goal"),
    ],
)
def test_crashes_are_crashes(task: Task, script: str, detail: str) -> None:
    result = run(script, task)
    assert result.outcome is Outcome.CRASHED
    assert result.plan is None
    assert detail in result.detail


def test_a_plan_that_does_not_lead_to_the_goal_is_a_crash(task: Task) -> None:
    assert run(plan(task, 7), task).outcome is Outcome.CRASHED  # not applicable
    assert run(plan(task, 8), task).outcome is Outcome.CRASHED  # applicable, leads elsewhere
    assert "goal" in run(plan(task, 8), task).detail


def test_half_a_plan_of_fast_downward_is_a_crash(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "(a0-d0-n1)\n", "(a0-d0-n1)\n; cost = 1 (unit", "(a0-d0"):
        backend = load_plugins().create("planner", "fd-blind")
        script = [sys.executable, "-I", "-S", "-c", f"open('plan', 'w').write({text!r})"]
        monkeypatch.setattr(type(backend), "command", lambda *_, script=script: script)
        assert run_planner(backend, task, LIMITS).outcome is Outcome.CRASHED


def test_a_command_that_does_not_exist_is_a_crash(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Script, "command", lambda *_: ["/no/such/planner"])
    result = run("", task)
    assert result.outcome is Outcome.CRASHED
    assert "/no/such/planner" in result.detail


def test_no_plan_is_told_from_a_crash(task: Task) -> None:
    assert run("raise SystemExit(11)", task).outcome is Outcome.UNSOLVABLE


@pytest.mark.wall_clock
def test_a_long_search_is_ended_in_time(task: Task, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    script = f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    result = run(script, task, Limits(seconds=3))
    assert result.outcome is Outcome.OUT_OF_TIME
    assert 3 <= result.wall_seconds < 3.3
    assert not alive(marker)


@pytest.mark.wall_clock
def test_a_planner_that_ignores_requests_and_its_children_are_ended_too(task: Task, tmp_path: Path) -> None:
    child, parent = tmp_path / "child", tmp_path / "parent"
    script = f"""
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        name = {str(child)!r} if os.fork() == 0 else {str(parent)!r}
        open(name, "w").write(str(os.getpid()))
        os.close(1), os.close(2)
        time.sleep(60)
        """
    result = run(script, task, Limits(seconds=1))
    assert result.outcome is Outcome.OUT_OF_TIME
    assert result.wall_seconds < 2
    assert eventually_dead(parent)
    assert eventually_dead(child)


def test_what_a_planner_leaves_running_is_ended(task: Task, tmp_path: Path) -> None:
    marker = tmp_path / "child"
    script = f"""
        import os, time
        if os.fork() == 0:
            open({str(marker)!r}, "w").write(str(os.getpid()))
            time.sleep(60)
        while not os.path.exists({str(marker)!r}):
            time.sleep(0.01)
        {plan(task, 0)}
        """
    result = run(script, task)
    assert result.outcome is Outcome.SOLVED
    assert result.wall_seconds < 10
    assert eventually_dead(marker)


def test_an_interrupted_search_is_ended(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "pid"
    script = (
        f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); print('up', flush=True); time.sleep(60)"
    )

    def interrupt(*_: object) -> None:
        while not marker.exists() or not marker.read_text():
            time.sleep(0.01)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr("cubespace.search.supervised_process.Log.read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(script, task)
    assert eventually_dead(marker)


@pytest.mark.skipif(sys.platform != "linux", reason="the signal on a parent's death is Linux's")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killing_the_parent_leaves_no_planner_and_no_folder(tmp_path: Path, temporary: Path, number: int) -> None:
    marker = tmp_path / "pid"
    program = f"""
        import sys, tempfile
        sys.path.insert(0, {str(Path(__file__).parents[2] / "support")!r})
        tempfile.tempdir = {str(temporary)!r}
        from cubespace.search.planner_process import run_planner
        from cubespace.search.solver import Limits
        from script_planner import Script, one_step_task
        script = '''if True:
            import os, signal, time
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.fork() or time.sleep(60)
            open({str(marker)!r}, "w").write(str(os.getpid()))
            time.sleep(60)'''
        run_planner(Script(script), one_step_task(), Limits(seconds=20, megabytes=500))
        """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while not (marker.exists() and marker.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert alive(marker)
    os.kill(process.pid, number)
    process.wait(10)
    assert eventually_dead(marker)
    while list(temporary.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_long_log_is_capped_and_keeps_both_ends(task: Task) -> None:
    backend = Script("print('first'); [print('x' * 999) for _ in range(20000)]; print('last'); raise SystemExit(11)")
    assert run_planner(backend, task, LIMITS).outcome is Outcome.UNSOLVABLE
    assert len(backend.log) < 4 * LOG_BYTES_PER_END
    assert backend.log.startswith("first")
    assert backend.log.endswith("last\n")


def test_the_planner_runs_in_an_empty_folder_of_its_own_in_the_c_locale(task: Task) -> None:
    backend = Script("import os; print(os.getcwd(), os.listdir(), os.environ['LC_ALL']); raise SystemExit(11)")
    run_planner(backend, task, LIMITS)
    assert backend.log.split() == [os.path.realpath(backend.folder or ""), "[]", "C"]


def test_a_missing_planner_says_how_to_install_it(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, package, hint in (
        ("fd-lmcut", "up_fast_downward", "pip install up-fast-downward"),
        ("symk-bd", "up_symk", r"pip install 'cubespace\[symk\]'"),
        ("pyperplan-blind", "pyperplan", "pip install pyperplan"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(importlib.util, "find_spec", lambda name, gone=package: None if name == gone else FIND(name))
            with pytest.raises(UsageError, match=hint):
                run_planner(load_plugins().create("planner", name), task, LIMITS)


def test_a_full_disk_is_named(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Script, "command", full)
    with pytest.raises(InputError, match="No space left"):
        run("", task)


def test_costs_that_a_planner_would_ignore_are_refused(task: Task) -> None:
    costly = Task(attrs.evolve(task.model, cost=np.arange(task.model.actions)), task.init, task.goal)
    result = run_planner(load_plugins().create("planner", "pyperplan-lmcut"), costly, LIMITS)
    assert result.outcome is Outcome.UNSUPPORTED
    assert "cost" in result.detail


def test_a_bad_search_is_the_users_mistake(task: Task) -> None:
    with pytest.raises(UsageError, match=r"astar\(lmkut\(\)\)"):
        run_planner(load_plugins().create("planner", 'fd:search="astar(lmkut())"'), task, LIMITS)


def test_a_heuristic_that_the_build_lacks_is_no_missing_plan(task: Task) -> None:
    search = "astar(operatorcounting([state_equation_constraints()]))"
    result = run_planner(load_plugins().create("planner", f'fd:search="{search}"'), task, LIMITS)
    assert result.outcome is Outcome.CRASHED
    assert "compiled without support" in result.log


def fifteen_puzzle() -> Task:
    """Return a task that blind search does not solve in a minute or with two gigabytes."""
    model, goal = sliding(4), sliding_state(np.arange(16))
    return Task(model, walk(model, goal, 400, seed=1), goal)


@pytest.mark.parametrize("name", ["fd-blind", "pyperplan-blind"])
def test_a_real_search_runs_out_of_memory(name: str) -> None:
    result = run_planner(load_plugins().create("planner", name), fifteen_puzzle(), Limits(seconds=60, megabytes=60))
    assert result.outcome is Outcome.OUT_OF_MEMORY, result
    assert result.statistics.megabytes is not None
    assert result.statistics.megabytes < 61


@pytest.mark.slow
def test_the_papers_memory_limit_ends_a_search_of_many_gigabytes() -> None:
    result = run_planner(load_plugins().create("planner", "fd-blind"), fifteen_puzzle(), Limits(seconds=900))
    assert result.outcome is Outcome.OUT_OF_MEMORY, result
    assert result.statistics.megabytes is not None
    assert 1000 < result.statistics.megabytes <= 2048


@pytest.mark.wall_clock
def test_a_real_search_runs_out_of_time() -> None:
    task = fifteen_puzzle()
    write_sas(task)  # what tasks of a model share is kept
    begun = time.perf_counter()
    write_sas(task)
    setup = time.perf_counter() - begun
    result = run_planner(load_plugins().create("planner", "fd-blind"), task, Limits(seconds=3))
    assert result.outcome is Outcome.OUT_OF_TIME
    assert 3 <= result.wall_seconds < 3.3 + setup


def test_statistics_of_a_real_search() -> None:
    result = run_planner(load_plugins().create("planner", "fd-blind"), eight_puzzle(), LIMITS)
    numbers = attrs.asdict(result.statistics)
    assert all(value is not None and value >= 0 for value in numbers.values()), numbers
    assert result.statistics.expansions is not None
    assert result.statistics.expansions > 100
