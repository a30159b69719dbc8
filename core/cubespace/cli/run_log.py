"""``RUN/run.log``: all that a command said while it worked on a run, with the time, whether or not anybody listened."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType

from cubespace.base.observer import Observer

LOG = "run.log"


class RunLog(Observer):
    """Writes down what happens; use it as a context."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.name = ""

    def __enter__(self) -> RunLog:
        """Open the file; lines are added to what earlier commands wrote."""
        self.file = self.path.open("a", encoding="utf-8", buffering=1)  # by the line, so that it can be followed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write down what went wrong, if anything did."""
        if kind is not None and not issubclass(kind, SystemExit):
            self._write(f"failed: {kind.__name__}: {error}")
        self.file.close()

    def stage(self, name: str, about: str) -> None:
        """A stage begins."""
        self.name = name
        self._write(f"{name}: {about}")

    def step(self, done: int, total: int, about: str) -> None:
        """Some of it is done."""
        self._write(f"{self.name}: {done}/{total}, {about}")

    def say(self, line: str) -> None:
        """Something the user should know."""
        self._write(line)

    def _write(self, line: str) -> None:
        self.file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")
