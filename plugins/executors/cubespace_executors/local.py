"""The executor ``local``: every job a child process on this machine, some of them side by side."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Sequence

import attrs
from attrs.validators import ge, optional

from cubespace.base.options import option
from cubespace.experiments.executor import (
    ERRORS,
    NOT_STARTED,
    ONE_THREAD,
    OUTPUT,
    Executor,
    Finished,
    Job,
    JobQueue,
    JobResult,
    More,
    in_order,
    last_words,
)

POLL_SECONDS = 0.05  # between two looks at the children, which run for minutes
GRACE_SECONDS = 5.0  # that a job has to end by itself after an interruption


@attrs.frozen(kw_only=True)
class LocalOptions:
    """How many cells at a time, and how often a killed cell is tried again."""

    jobs: int | None = option(None, "how many jobs run side by side; one per core if not given", optional(ge(1)))
    retries: int = option(1, "how often a job that was ended by a signal, as for lack of memory, is tried again", ge(0))


@attrs.define(eq=False)
class Child:
    """A job at work."""

    job: Job
    process: subprocess.Popen[bytes]
    tries: int
    begun: float = attrs.field(factory=time.monotonic)

    def result(self) -> JobResult:
        """Return how it ended."""
        return JobResult(
            job=self.job,
            status=self.process.returncode,
            errors=last_words(self.job.folder),
            seconds=time.monotonic() - self.begun,
            tries=self.tries,
        )

    def send(self, number: int) -> None:
        """Send a signal to the job and all it started, as far as they are still there."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


class Local(Executor):
    """Runs jobs as child processes. They die with this process, even if it is killed (on Linux)."""

    Options = LocalOptions
    options: LocalOptions

    def run(self, jobs: Sequence[Job], finished: Finished) -> None:
        """Run every job in a process group of its own; Ctrl-C or an exception ends them all."""
        self.run_fed(jobs, finished, list)

    def run_fed(self, jobs: Sequence[Job], finished: Finished, more: More) -> None:
        """Do the same; further jobs start as soon as there is room."""
        queue, again = JobQueue(in_order(jobs)), deque[tuple[Job, int]]()  # those to be tried again come last
        working: list[Child] = []

        def tell(result: JobResult) -> None:
            finished(result)
            for other in queue.ended(result.job.name, result.succeeded):
                finished(other)
            queue.add(more())

        at_once = self.options.jobs or len(os.sched_getaffinity(0))
        try:
            while True:
                while len(working) < at_once and (ready := _next(queue, again)) is not None:
                    job, tries = ready
                    try:
                        working.append(Child(job, _start(job), tries))
                    except OSError as error:
                        tell(JobResult(job=job, status=NOT_STARTED, errors=str(error), tries=tries))
                if not working:
                    break
                ended = [child for child in working if child.process.poll() is not None]
                for child in ended:
                    working.remove(child)
                    child.send(signal.SIGKILL)  # processes that it left behind
                    if child.process.returncode < 0 and child.tries <= self.options.retries:
                        again.append((child.job, child.tries + 1))
                    else:
                        tell(child.result())
                if not ended:
                    time.sleep(POLL_SECONDS)
        finally:
            _stop(working)


def _next(queue: JobQueue, again: deque[tuple[Job, int]]) -> tuple[Job, int] | None:
    """Return the next job and the number of its try, or None if all wait for others."""
    job = queue.next()
    return (job, 1) if job is not None else again.popleft() if again else None


def _start(job: Job) -> subprocess.Popen[bytes]:
    """Start the process of a job; its output goes to files, so that no pipe can fill up."""
    job.folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-P", "-m", "cubespace_executors.child", str(os.getpid()), *job.arguments]
    with (job.folder / OUTPUT).open("wb") as output, (job.folder / ERRORS).open("wb") as errors:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # only this process gets Ctrl-C, and ends the children
        )


def _stop(children: Iterable[Child]) -> None:
    """End children: ask them, wait a little, then kill what is left."""
    children = list(children)
    try:
        for child in children:
            child.send(signal.SIGINT)
        deadline = time.monotonic() + GRACE_SECONDS
        while any(child.process.poll() is None for child in children) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
    finally:  # a second Ctrl-C does not wait
        for child in children:
            child.send(signal.SIGKILL)
            child.process.wait()
