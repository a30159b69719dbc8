"""What every executor must keep; the jobs are real calls of ``cube``, in real processes.

While a check runs, a plugin on the path adds the command ``cube probe``, which prints how it was started, or kills
itself.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cubespace.experiments.executor import NOT_STARTED, ONE_THREAD, OUTPUT, Executor, Job, JobResult
from cubespace.plugins.catalogue import load_plugins

PROBE = """
import os, signal, sys
from cubespace import hookimpl

@hookimpl
def cube_commands(app):
    @app.command()
    def probe(die: bool = False):
        if die:
            os.kill(os.getpid(), signal.SIGKILL)
        print(os.getpid(), os.environ.get("OMP_NUM_THREADS"), os.getcwd(), sys.path[0], sep="\\n")
"""
METADATA = "Metadata-Version: 2.1\nName: cube-probe\nVersion: 0.1\n"


@contextmanager
def probes() -> Iterator[Path]:
    """Yield an empty folder; inside, every new process finds the plugin with ``cube probe`` on its path."""
    with tempfile.TemporaryDirectory() as name:
        site, info = Path(name) / "site", Path(name) / "site" / "cube_probe-0.1.dist-info"
        info.mkdir(parents=True)
        (site / "cube_probe.py").write_text(PROBE, "utf-8")
        (info / "METADATA").write_text(METADATA, "utf-8")
        (info / "entry_points.txt").write_text("[cubespace]\nprobe = cube_probe\n", "utf-8")
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), before)))
        try:
            yield Path(name)
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


def run(spec: str, jobs: list[Job]) -> dict[str, JobResult]:
    """Run jobs and return how each ended, by name; each is told once, in this thread."""
    executor = load_plugins().create("executor", spec)
    assert isinstance(executor, Executor)
    results: dict[str, JobResult] = {}

    def finished(result: JobResult) -> None:
        assert result.job.name not in results, "a job is told twice"
        assert threading.current_thread() is here
        results[result.job.name] = result

    here = threading.current_thread()
    executor.run(jobs, finished)
    assert set(results) == {job.name for job in jobs}
    return results


def nothing_is_done_about_no_jobs(spec: str) -> None:
    """No jobs, no results."""
    assert run(spec, []) == {}


def every_job_is_told_as_it_ended(spec: str) -> None:
    """A wrong call and a job that is killed are told with code or signal and last words, and harm no other job."""
    with probes() as folder:
        calls = {"killed": ("probe", "--die"), "wrong": ("plugins", "no-such-thing"), "good": ("--version",)}
        results = run(spec, [Job(name, words, folder / name) for name, words in calls.items()])
        assert (folder / "good" / OUTPUT).read_text("utf-8").startswith("cubespace ")
    assert results["good"].succeeded
    assert (results["wrong"].exit_code, results["wrong"].signal) == (2, None)
    assert "no-such-thing" in results["wrong"].errors
    assert (results["killed"].exit_code, results["killed"].signal) == (None, signal.SIGKILL.name)


def every_job_is_a_process_of_its_own_with_one_thread(spec: str) -> None:
    """Jobs share no process, have one thread, and work in the folder of the caller, but import nothing from it."""
    with probes() as folder:
        results = run(spec, [Job(name, ("probe",), folder / name) for name in ("one", "two")])
        assert all(result.succeeded for result in results.values()), [result.errors for result in results.values()]
        outputs = [(folder / name / OUTPUT).read_text("utf-8").split("\n") for name in results]
    assert len({process for process, *_ in outputs} | {str(os.getpid())}) == 3
    for _, threads, where, imported, *_ in outputs:
        assert threads == ONE_THREAD["OMP_NUM_THREADS"]
        assert Path(where).samefile(Path.cwd())
        assert imported not in ("", where), "start Python with -P: the files of the working folder may be a stranger's"


def a_job_waits_for_those_that_it_needs(spec: str) -> None:
    """A job starts after those that it names, whatever their order, and not at all if one of them fails."""
    with probes() as folder:
        calls = {
            "last": (("probe",), ("first",)),
            "first": (("probe",), ()),
            "never": (("probe",), ("wrong",)),
            "neither": (("probe",), ("never",)),
            "wrong": (("plugins", "no-such-thing"), ()),
        }
        results = run(spec, [Job(name, words, folder / name, after) for name, (words, after) in calls.items()])
        moments = {name: (folder / name / OUTPUT).stat().st_mtime for name in ("first", "last")}
        assert not (folder / "never" / OUTPUT).exists()
    assert moments["first"] <= moments["last"]
    assert {name for name, result in results.items() if result.succeeded} == {"first", "last"}
    assert results["never"].status == results["neither"].status == NOT_STARTED
    assert "wrong" in results["never"].errors


CHECKS = (
    nothing_is_done_about_no_jobs,
    every_job_is_told_as_it_ended,
    every_job_is_a_process_of_its_own_with_one_thread,
    a_job_waits_for_those_that_it_needs,
)
