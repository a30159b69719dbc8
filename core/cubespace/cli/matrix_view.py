"""Progress of a matrix: a live table on a terminal, elsewhere a line for each job that ends."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from cubespace.base.numbers import duration
from cubespace.experiments.executor import ERRORS, JobResult, last_words
from cubespace.experiments.jobs import LOGS

MAX_WORKING, MAX_FAILED = 12, 5  # rows that are shown
NAME_WIDTH = 26  # characters of a job's name: at 80 columns, stage and loss fit beside it
HASH = re.compile(r"-[0-9a-f]{8}(?=$|\.)")
MIN_ENDED = 3  # jobs that must have ended before the time left is estimated


class MatrixView:
    """Shows which jobs are running and what is left; use it as a context."""

    def __init__(self, jobs: Sequence[str], folder: Path, *, quiet: bool = False) -> None:
        self.console = Console(stderr=True, quiet=quiet)
        self.quiet, self.folder = quiet, folder
        self.open = dict.fromkeys(jobs)
        self.total, self.begun, self.wall = len(jobs), time.monotonic(), time.time()
        self.failed: list[str] = []
        self.live = Live(console=self.console, get_renderable=self._table, refresh_per_second=2, transient=True)

    def __enter__(self) -> MatrixView:
        """Start drawing."""
        if self.console.is_terminal and not self.quiet:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing."""
        self.live.stop()

    def told(self, result: JobResult) -> None:
        """A job has ended."""
        self.open.pop(result.job.name, None)
        if not result.succeeded:
            self.failed.append(f"{result.job.name}: {result.reason}")
        how = f"{result.seconds:.1f} s" if result.succeeded else f"failed, {result.reason}"
        self._say(f"[{self.total - len(self.open)}/{self.total}] {result.job.name}: {how}{self._left()}")

    def _say(self, line: str) -> None:
        if self.quiet:
            return
        if self.console.is_terminal:
            self.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=sys.stderr, flush=True)

    def _left(self) -> str:
        """Return the time left, by the jobs that have ended."""
        ended = self.total - len(self.open)
        if ended < MIN_ENDED or not self.open:
            return ""
        seconds = (time.monotonic() - self.begun) / ended * len(self.open)
        return f", about {duration(seconds)} left"

    def _table(self) -> Group:
        ended = self.total - len(self.open)
        head = f"{ended} of {self.total} jobs, {len(self.failed)} failed{self._left()}"
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        working = [name for name in list(self.open) if self._at_work(name)]
        for name in working[:MAX_WORKING]:
            words = last_words(self.folder / LOGS / name).strip().splitlines()
            table.add_row(_short(name), Text(words[-1] if words else "", overflow="ellipsis", no_wrap=True))
        failures = [Text(line, style="red", overflow="ellipsis", no_wrap=True) for line in self.failed[-MAX_FAILED:]]
        return Group(Text(head, style="bold"), table, *failures)

    def _at_work(self, name: str) -> bool:
        """Return whether a job has begun: its log is younger than this view."""
        try:
            return (self.folder / LOGS / name / ERRORS).stat().st_mtime >= self.wall
        except OSError:
            return False


def _short(job: str) -> str:
    """Return the name of a job without the hash of its folder, and with its end if it is long: the end differs."""
    plain = HASH.sub("", job)
    return plain if len(plain) <= NAME_WIDTH else f"…{plain[1 - NAME_WIDTH :]}"
