"""The executor ``local`` at its worst: jobs that die, an executor that is killed, an impatient user."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cubespace.experiments.executor import NOT_STARTED, Job, JobResult
from cubespace.testing import executor as suite
from cubespace_executors.local import Local, LocalOptions

COMMANDS = '''
import os, signal, time
from pathlib import Path
from cubespace import hookimpl

@hookimpl
def cube_commands(app):
    @app.command()
    def linger(file: str):
        """Say who we are, and stay."""
        Path(file).write_text(str(os.getpid()))
        try:
            time.sleep(600)
        finally:  # whatever ends it: cleaning up
            Path(file).with_suffix(".end").touch()

    @app.command()
    def once(file: str):
        """Be killed the first time."""
        if not Path(file).exists():
            Path(file).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    @app.command()
    def span(file: str):
        """Write down from when to when we worked."""
        begun = time.time()
        time.sleep(0.5)
        Path(file).write_text(f"{begun} {time.time()}")
'''

SCRIPT = """
import sys
from pathlib import Path
from cubespace.experiments.executor import Job
from cubespace_executors.local import Local, LocalOptions

folder = Path(sys.argv[1])
jobs = [Job(name, ("linger", str(folder / f"{name}.pid")), folder / name) for name in ("one", "two", "three")]
Local(LocalOptions(jobs=2)).run(jobs, print)
"""


@pytest.fixture
def folder(tmp_path) -> Iterator[Path]:
    """A folder, and commands for jobs that misbehave."""
    with suite.probes() as made:
        (made / "site" / "cube_probe.py").write_text(COMMANDS)
        yield tmp_path


def wait_for(happened: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def alive(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # before the file is opened, or while it is read
        return False
    # a process that has ended and that nobody has collected yet is dead all the same
    return status.rpartition(")")[2].split()[0] != "Z"


def lingering(folder: Path) -> list[int]:
    """Start an executor with two jobs at work and return the processes: of the executor, and of the jobs."""
    executor = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)], stderr=subprocess.DEVNULL)
    files = [folder / "one.pid", folder / "two.pid"]
    wait_for(lambda: all(file.is_file() and file.read_text() for file in files))
    return [executor.pid, *(int(file.read_text()) for file in files)]


def run(folder: Path, calls: dict[str, tuple[str, ...]], **options: int) -> dict[str, JobResult]:
    results: dict[str, JobResult] = {}
    jobs = [Job(name, words, folder / name) for name, words in calls.items()]
    Local(LocalOptions(**options)).run(jobs, lambda result: results.update({result.job.name: result}))
    return results


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tie a process to its parent")
def test_jobs_die_with_an_executor_that_is_killed(folder) -> None:
    executor, *jobs = lingering(folder)
    os.kill(executor, signal.SIGKILL)
    os.waitpid(executor, 0)
    wait_for(lambda: not any(map(alive, jobs)))


def test_an_interruption_ends_all_jobs_and_starts_no_other(folder) -> None:
    executor, *jobs = lingering(folder)
    os.kill(executor, signal.SIGINT)
    _, status = os.waitpid(executor, 0)
    assert os.waitstatus_to_exitcode(status) != 0
    assert not any(map(alive, jobs))
    assert not (folder / "three.pid").exists()
    assert (folder / "one.end").exists(), "the job had no time to end by itself"


def test_a_job_that_is_killed_is_tried_again_and_one_that_fails_is_not(folder) -> None:
    calls = {"killed": ("once", str(folder / "mark")), "wrong": ("once",)}
    results = run(folder, calls, retries=1)
    assert (results["killed"].status, results["killed"].tries) == (0, 2)
    assert (results["wrong"].status, results["wrong"].tries) == (2, 1)
    (folder / "mark").unlink()
    results = run(folder, calls, retries=0)
    assert (results["killed"].signal, results["killed"].tries) == ("SIGKILL", 1)


def test_so_many_jobs_run_side_by_side_and_no_more(folder) -> None:
    calls = {str(number): ("span", str(folder / f"{number}.txt")) for number in range(4)}
    assert all(result.succeeded for result in run(folder, calls, jobs=2).values())
    spans = [tuple(map(float, (folder / f"{number}.txt").read_text().split())) for number in range(4)]
    together = [sum(begun <= moment < ended for begun, ended in spans) for moment, _ in spans]
    assert max(together) <= 2


def test_a_job_that_cannot_be_started_is_told_like_the_others(folder) -> None:
    (folder / "bad").write_text("in the way")
    results = run(folder, {"bad": ("--version",), "good": ("--version",)})
    assert results["bad"].status == NOT_STARTED
    assert "bad" in results["bad"].errors
    assert results["good"].succeeded


def test_an_error_of_the_caller_ends_the_jobs(folder) -> None:
    def refuse(_: JobResult) -> None:
        wait_for((folder / "pid").exists)
        raise RuntimeError("enough")

    jobs = [Job("long", ("linger", str(folder / "pid")), folder / "long"), Job("short", ("-h",), folder / "short")]
    with pytest.raises(RuntimeError, match="enough"):
        Local(LocalOptions(jobs=2)).run(jobs, refuse)
    wait_for(lambda: not alive(int((folder / "pid").read_text())))
