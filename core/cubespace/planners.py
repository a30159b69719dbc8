"""What a planner backend is: it builds a command and reads the outcome; core runs the process within its limits."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs

from cubespace.options import NoOptions
from cubespace.strips import Task


class Outcome(enum.StrEnum):
    """How a search ended. A crash is never "no plan"."""

    SOLVED = "solved"
    UNSOLVABLE = "proven unsolvable"
    NOT_FOUND = "gave up"
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    UNSUPPORTED = "unsupported"
    CRASHED = "crashed"


@attrs.frozen(kw_only=True)
class Limits:
    """What a search may use, as in the paper: 15 minutes and 2 GB."""

    seconds: float = attrs.field(default=900.0, validator=attrs.validators.gt(0))
    megabytes: int = attrs.field(default=2048, validator=attrs.validators.gt(0))


@attrs.frozen(kw_only=True)
class Statistics:
    """What a search reported about itself; None where the planner does not say."""

    expansions: int | None = None
    expansions_until_last_jump: int | None = None  # of A*: without the last f layer, whose order is luck
    evaluations: int | None = None
    generated: int | None = None
    search_seconds: float | None = None
    megabytes: float | None = None


@attrs.frozen(kw_only=True)
class Answer:
    """What a backend read from its finished process."""

    outcome: Outcome
    plan: Sequence[int] | None = None  # rows of the model's actions
    statistics: Statistics = Statistics()
    detail: str = ""  # the planner's own words where it failed


class PlannerBackend(ABC):
    """An off-the-shelf planner, run as a separate process; built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions

    def __init__(self, options: Any) -> None:
        self.options = options

    @property
    def optimal(self) -> bool:
        """Return whether plans are guaranteed to be of least cost on every task that is supported."""
        return False

    @abstractmethod
    def missing(self) -> str | None:
        """Return how to install what is missing, in a few words, or None if the planner can run."""

    def unsupported(self, task: Task) -> str | None:  # noqa: ARG002 - a planner with limits looks at it
        """Return what in the task is beyond this planner, or None if nothing is."""
        return None

    @abstractmethod
    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:
        """Write the planner's input into ``folder`` and return the command that core will run there."""

    @abstractmethod
    def answer(self, task: Task, folder: Path, exit_code: int, log: str) -> Answer:
        """Read the outcome from exit code, log and files; core has already ruled out its own time limit.

        What cannot be understood may raise ``ValueError`` or ``OSError``: core calls that crashed. A negative exit code
        is the signal that ended the process. The log lacks its middle if it was very long.
        """
