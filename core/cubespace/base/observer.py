"""What a run reports while it works. An observer decides what to make of it: a bar, a log, the curves of a tracker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar

from cubespace.base.options import NoOptions

NO_OPTIONS = NoOptions()


class Observer:
    """Follows a run. Every method does nothing by default: a subclass defines those for the events it needs.

    Built from its ``Options``, a frozen attrs class. The same observer may follow several runs, one after another.
    """

    Options: ClassVar[type[Any]] = NoOptions

    def __init__(self, options: Any = NO_OPTIONS) -> None:
        self.options = options

    def start(self, folder: Path) -> None:
        """Work on a run begins; its folder holds ``config.toml``."""

    def stage(self, name: str, about: str) -> None:
        """A stage begins."""

    def step(self, done: int, total: int, about: str) -> None:
        """Part of the current stage is done."""

    def say(self, line: str) -> None:
        """Something the user should know."""

    def epoch(self, row: Mapping[str, Any]) -> None:
        """An epoch of training is over; the row, as in ``metrics.jsonl``, has its number, phase, losses and measures.

        Epochs since the last checkpoint are reported again after an interruption.
        """

    def plan(self, record: Mapping[str, Any]) -> None:
        """An instance was given to a planner; the record is that of its ``result.json``, whether or not it was solved.

        Instances that were done earlier are not reported again.
        """

    def wrote(self, stage: str, files: Sequence[Path]) -> None:
        """A stage is finished, done here or taken over from another run; these are its files."""

    def failed(self, reason: str) -> None:
        """The work has failed or was interrupted, for this reason; :meth:`close` follows."""

    def close(self) -> None:
        """Work on the run is over, or has failed: write whatever remains to be written."""


class Observers(Observer):
    """Passes every event on: first to our own observers, then to guests by name.

    A guest that raises is dropped with a message and never ends a run. Guests get copies, so they cannot change a
    result either.
    """

    def __init__(self, own: Sequence[Observer], guests: Mapping[str, Observer]) -> None:
        super().__init__()
        self.own = tuple(own)
        self.guests = dict(guests)

    def start(self, folder: Path) -> None:
        """Pass it on."""
        self._tell("start", folder)

    def stage(self, name: str, about: str) -> None:
        """Pass it on."""
        self._tell("stage", name, about)

    def step(self, done: int, total: int, about: str) -> None:
        """Pass it on."""
        self._tell("step", done, total, about)

    def say(self, line: str) -> None:
        """Pass it on."""
        self._tell("say", line)

    def epoch(self, row: Mapping[str, Any]) -> None:
        """Pass it on."""
        self._tell("epoch", row)

    def plan(self, record: Mapping[str, Any]) -> None:
        """Pass it on."""
        self._tell("plan", record)

    def wrote(self, stage: str, files: Sequence[Path]) -> None:
        """Pass it on."""
        self._tell("wrote", stage, files)

    def failed(self, reason: str) -> None:
        """Pass it on."""
        self._tell("failed", reason)

    def close(self) -> None:
        """Pass it on."""
        self._tell("close")

    def _tell(self, event: str, *facts: object) -> None:
        for observer in self.own:
            getattr(observer, event)(*facts)
        for name, guest in list(self.guests.items()):
            if name not in self.guests:  # dropped while the failure of another was being reported
                continue
            try:
                getattr(guest, event)(*deepcopy(facts))
            except (Exception, SystemExit) as error:  # a guest may raise anything
                del self.guests[name]
                reason = f"{type(error).__name__}: {error}"
                self.say(f"observer '{name}' failed at '{event}' and gets no more events: {reason}")


@contextmanager
def following(observer: Observer, folder: Path) -> Iterator[None]:
    """Notify an observer when the work on a run begins, when it has failed and when it is over, however it ends."""
    observer.start(folder)
    try:
        yield
    except BaseException as error:
        observer.failed(f"{type(error).__name__}: {error}")
        raise
    finally:
        observer.close()
