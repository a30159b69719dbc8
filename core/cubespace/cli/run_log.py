"""``RUN/run.log``: everything that a command reported while it worked on a run, with times, even with ``--quiet``."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from types import TracebackType

from cubespace.base.errors import InputError
from cubespace.base.files import Appended
from cubespace.base.observer import Observer
from cubespace.base.words import printable

LOG = "run.log"


class RunLog(Observer):
    """Writes events to the log; use it as a context."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.name = ""

    def __enter__(self) -> RunLog:
        """Open the file; lines are added to what earlier commands wrote."""
        self.file = Appended(self.path).__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Log the error that ended the work, if there was one."""
        with self.file, contextlib.suppress(InputError):  # the error may be that nothing can be written
            if kind is not None:
                self._write(f"ended by {kind.__name__}: {error}")

    def stage(self, name: str, about: str) -> None:
        """A stage begins."""
        self.name = name
        self._write(f"{name}: {about}")

    def step(self, done: int, total: int, about: str) -> None:
        """Part of the stage is done."""
        self._write(f"{self.name}: {done}/{total}, {about}")

    def say(self, line: str) -> None:
        """Something the user should know."""
        self._write(line)

    def _write(self, line: str) -> None:
        self.file.add(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {printable(line)}")
