"""Supervisors: kept for the next search, never shared, replaced when they die, gone with whoever started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cubespace.search.planner import Limits
from cubespace.search.supervised_process import Ended, SupervisorLost, supervisor

LIMITS = Limits(seconds=200, megabytes=500)


def run(script: str, folder: Path, limits: Limits = LIMITS) -> Ended:
    with supervisor() as process:
        return process.run([sys.executable, "-I", "-S", "-c", textwrap.dedent(script)], folder, limits)


def supervisor_of(ended: Ended) -> int:
    """Return who ran a script that printed its parent."""
    assert ended.exit_code == 0, ended
    return int(ended.log)


PARENT = "import os; print(os.getppid())"


def alive(process: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # before the file is opened, or while it is read
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_one_supervisor_serves_search_after_search(tmp_path: Path) -> None:
    assert supervisor_of(run(PARENT, tmp_path)) == supervisor_of(run(PARENT, tmp_path))


def test_the_environment_is_that_of_the_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("one", "two\udc80"):  # the second is no text, as environments may be
        monkeypatch.setenv("CUBE_WORD", value)
        assert run("import os; print(ascii(os.environ['CUBE_WORD']))", tmp_path).log == f"{value!a}\n"


def test_a_supervisor_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    with supervisor(), ThreadPoolExecutor(1) as pool:  # those that are idle are lent to us first
        started = supervisor_of(pool.submit(run, PARENT, tmp_path).result())
    time.sleep(0.1)
    assert alive(started)


def test_searches_at_the_same_time_have_a_supervisor_each(tmp_path: Path) -> None:
    patient = """
        import os, time
        print(os.getppid(), flush=True)
        open(str(os.getpid()), "w").close()
        while len(os.listdir()) < 3:  # until the others are there
            time.sleep(0.02)
        """
    with ThreadPoolExecutor(3) as pool:
        ended = list(pool.map(lambda _: run(patient, tmp_path), range(3)))
    assert len({supervisor_of(each) for each in ended}) == 3


def test_an_idle_supervisor_that_was_killed_is_replaced(tmp_path: Path) -> None:
    first = supervisor_of(run(PARENT, tmp_path))
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not alive(first))
    assert supervisor_of(run(PARENT, tmp_path)) != first


@pytest.mark.skipif(sys.platform != "linux", reason="the signal on a parent's death is Linux's")
def test_a_supervisor_that_dies_takes_its_planner_along(tmp_path: Path) -> None:
    with pytest.raises(SupervisorLost) as lost:
        run("import os, time; print(os.getpid(), flush=True); os.kill(os.getppid(), 9); time.sleep(600)", tmp_path)
    assert lost.value.died
    assert not alive(int(lost.value.log))
    assert supervisor_of(run(PARENT, tmp_path))


def test_what_left_the_group_does_not_hold_up_the_end(tmp_path: Path) -> None:
    script = """
        import os, time
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.setsid()
            print(os.getpid(), flush=True)
            os.write(writer, b"said")
            time.sleep(600)
        os.read(reader, 4)
        """
    begun = time.monotonic()
    ended = run(script, tmp_path)
    assert ended.exit_code == 0
    assert not alive(int(ended.log))
    assert time.monotonic() - begun < 10


def test_a_forked_process_has_supervisors_of_its_own(tmp_path: Path) -> None:
    ours = supervisor_of(run(PARENT, tmp_path))
    child = os.fork()
    if child == 0:
        theirs = None
        try:
            theirs = supervisor_of(run(PARENT, tmp_path))
        finally:
            os._exit(0 if theirs not in (ours, None) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert supervisor_of(run(PARENT, tmp_path)) == ours


def test_a_fork_does_not_keep_the_planner_of_a_killed_process_alive(tmp_path: Path) -> None:
    program = f"""
        import os, sys, time
        from pathlib import Path
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_supervised_process import PARENT, run
        folder = Path({str(tmp_path)!r})
        print(run(PARENT, folder).log, end='', flush=True)
        if os.fork() == 0:
            time.sleep(600)
        run("import time; time.sleep(600)", folder)
        """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        started = int(process.stdout.readline())
        children = Path(f"/proc/{started}/task/{started}/children")
        wait_until(lambda: children.read_text() != "")
        planner = int(children.read_text())
        process.kill()
        wait_until(lambda: not alive(planner) and not alive(started))
        os.killpg(process.pid, signal.SIGKILL)  # the fork
