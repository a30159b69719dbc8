"""What an executor is: it runs the jobs of an experiment, each in a separate process, and reports how each ended."""

from __future__ import annotations

import heapq
import signal
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import attrs

from cubespace.base.options import NoOptions

OUTPUT, ERRORS = "output.txt", "errors.txt"
TAIL = 2000  # characters of the errors that a result carries: enough for a traceback's end
NOT_STARTED = 127  # the exit code of a job that could not be started, as in a shell

# what every job has in its environment: several jobs with several threads each slow each other down
ONE_THREAD: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
)


@attrs.frozen
class Files:
    """What a job reads and writes below a folder, for executors whose machines do not share it with the caller.

    Names are relative to ``root``; words of the call that begin with ``root`` are paths below it. All that it writes
    must be brought back if it succeeds.
    """

    root: Path
    reads: tuple[str, ...]  # files or folders, where they exist
    writes: tuple[str, ...]


@attrs.frozen
class Job:
    """One call of ``cube``, in the working folder and with the environment of the caller.

    What it prints goes to ``output.txt`` and ``errors.txt`` in ``folder``, which is created if needed. This is not the
    run folder, which must belong to the run alone.
    """

    name: str
    arguments: tuple[str, ...]
    folder: Path
    after: tuple[str, ...] = ()  # names of jobs of the same call that must have succeeded before this one starts
    files: Files | None = None  # None: it needs the folders of the caller


@attrs.frozen(kw_only=True)
class JobResult:
    """How a job ended."""

    job: Job
    status: int  # the exit code, or minus the number of the signal that ended the process
    errors: str = ""  # the end of its stderr
    seconds: float = 0.0  # of the last try
    tries: int = 1

    @property
    def succeeded(self) -> bool:
        """Return whether the call succeeded."""
        return self.status == 0

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, or None if a signal ended the process."""
        return self.status if self.status >= 0 else None

    @property
    def signal(self) -> str | None:
        """Return the name of the signal that ended the process, such as SIGKILL, or None if it ended by itself."""
        if self.status >= 0:
            return None
        try:
            return signal.Signals(-self.status).name
        except ValueError:  # a real-time signal has no name
            return f"signal {-self.status}"

    @property
    def reason(self) -> str:
        """Return in a few words how a job ended, with the last line of its stderr."""
        how = f"ended by {self.signal}" if self.signal else f"exit code {self.status}"
        lines = self.errors.strip().splitlines()
        return f"{how}: {lines[-1]}" if lines and not self.succeeded else how


Finished = Callable[[JobResult], None]
More = Callable[[], "Sequence[Job]"]  # further jobs, asked for when one has ended


class Executor(ABC):
    """Runs jobs. Built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions

    def __init__(self, options: Any) -> None:
        self.options = options

    def missing(self) -> str | None:
        """Return how to install what is missing, in a few words, or None if the executor can run."""
        return None

    def run_fed(self, jobs: Sequence[Job], finished: Finished, more: More) -> None:
        """Do the same, and ask for further jobs whenever one has ended, until there are none.

        Executors that can, start them at once; by default they wait for the slowest of those at work.
        """
        waiting = list(jobs)
        while waiting:
            self.run(waiting, finished)
            waiting = list(more())

    @abstractmethod
    def run(self, jobs: Sequence[Job], finished: Finished) -> None:
        """Run every job to its end and call ``finished`` once for each, in the thread of the caller.

        Each job is a separate process with :data:`ONE_THREAD` in its environment; one that fails, is killed, or cannot
        be started does not affect the others and is reported like them. A job starts only when those named in its
        ``after`` have succeeded; if one of them has not, it is reported as :func:`left_out` and never started. When the
        call itself is ended, by an exception in ``finished`` or by Ctrl-C, so are all jobs.
        """


def left_out(job: Job, missing: str) -> JobResult:
    """Return the result of a job that is not started because another one, which it needs, did not succeed."""
    return JobResult(job=job, status=NOT_STARTED, errors=f"not started: it needs {missing}, which failed", tries=0)


class JobQueue:
    """Hands out jobs, each once those that it needs have succeeded; among these, in the order given."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        """Take the jobs; :func:`in_order` finds those that can never start."""
        self._jobs = list(jobs)
        self._missing = {job.name: len(set(job.after)) for job in jobs}  # how many of those that it needs are left
        self._needed_by: defaultdict[str, list[int]] = defaultdict(list)  # positions
        for position, job in enumerate(self._jobs):
            for name in set(job.after):
                self._needed_by[name].append(position)
        self._ready = [position for position, job in enumerate(self._jobs) if not job.after]  # a heap: it is sorted
        self._left_out: set[str] = set()

    def add(self, jobs: Sequence[Job]) -> None:
        """Add jobs that need no others."""
        for job in jobs:
            self._jobs.append(job)
            heapq.heappush(self._ready, len(self._jobs) - 1)

    def next(self) -> Job | None:
        """Return the next job that can start, or None if all others wait."""
        return self._jobs[heapq.heappop(self._ready)] if self._ready else None

    def ended(self, name: str, succeeded: bool) -> Iterator[JobResult]:
        """Take note of how a job ended; yield the result of each that is therefore never started."""
        for position in self._needed_by.pop(name, ()):
            job = self._jobs[position]
            if job.name in self._left_out:
                continue
            self._missing[job.name] -= 1
            if not succeeded:
                self._left_out.add(job.name)
                yield left_out(job, name)
                yield from self.ended(job.name, False)
            elif not self._missing[job.name]:
                heapq.heappush(self._ready, position)


def in_order(jobs: Sequence[Job]) -> list[Job]:
    """Return jobs such that each comes after those it needs; otherwise in the order given."""
    queue, ordered = JobQueue(jobs), list[Job]()
    while (job := queue.next()) is not None:
        ordered.append(job)
        list(queue.ended(job.name, True))
    if len(ordered) < len(jobs):
        names = {job.name for job in ordered}
        stuck = next(job for job in jobs if job.name not in names)
        raise ValueError(f"job '{stuck.name}' needs a job that is not there or that needs it in turn")
    return ordered


def last_words(folder: Path) -> str:
    """Return the end of what the job of a folder said on stderr."""
    try:
        with (folder / ERRORS).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 4 * TAIL))  # a character has at most four bytes
            return file.read().decode("utf-8", "replace")[-TAIL:]
    except OSError:
        return ""
