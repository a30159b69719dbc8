"""Progress on stderr: on a terminal a bar with the time left, elsewhere a plain line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column

from cubespace.base.observer import Observer

PLAIN_SECONDS = 15.0  # between two plain lines of one stage
BAR_PART = 5  # on a narrow terminal, the bar takes one part in this many of the width


class Terminal(Observer):
    """Shows the stages of a run; use it as a context."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        super().__init__()
        console = Console(stderr=True, quiet=quiet)
        self.quiet = quiet
        self.plain = quiet or verbose or not console.is_terminal
        self.seconds = 0.0 if verbose else PLAIN_SECONDS
        self.bar = Progress(
            TextColumn("[bold]{task.fields[stage]:>8}"),
            BarColumn(bar_width=min(24, console.width // BAR_PART)),
            MofNCompleteColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.description}", markup=False, table_column=Column(ratio=1, no_wrap=True)),
            expand=True,  # so that the text gets the remaining width, and is cut first
            console=console,
            disable=self.plain,
        )
        self.task: TaskID | None = None
        self.name = ""
        self.spoken = self.begun = time.monotonic()

    def __enter__(self) -> Terminal:
        """Start drawing."""
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop drawing."""
        self.bar.stop()

    def stage(self, name: str, about: str) -> None:
        """Begin a bar for a stage."""
        self.name, self.begun, self.spoken = name, time.monotonic(), time.monotonic()
        self.say(f"{name}: {about}")
        self.task = None

    def step(self, done: int, total: int, about: str) -> None:
        """Move the bar; without a terminal, print a line from time to time."""
        if self.plain:
            now = time.monotonic()
            if done == total or now - self.spoken >= self.seconds:
                self.spoken = now
                left = (now - self.begun) / max(done, 1) * (total - done)
                self.say(f"{self.name}: {done}/{total}, {left:.0f} s left, {about}")
            return
        if self.task is None:
            self.task = self.bar.add_task(about, total=total, stage=self.name)
        self.bar.update(self.task, completed=done, total=total, description=about)

    def say(self, line: str) -> None:
        """Write a line above the bar."""
        if self.quiet:
            return
        if self.plain:
            print(line, file=sys.stderr, flush=True)
        else:
            self.bar.console.print(line, markup=False, highlight=False)
