"""The contract of solvers: search from one latent state to another within limits, and report the outcome."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np
from attrs.validators import and_, gt, le

from cubespace.base.arrays import Bits, Indices
from cubespace.base.options import NoOptions
from cubespace.lifting.task import LiftedTask
from cubespace.settings.run_config import MEMORY_LIMIT, MOST_SECONDS, TIME_LIMIT
from cubespace.symbols.strips import StripsModel, Task

# from states (batch, bits): the successors, the row of the state each comes from, the label of the action
Expand = Callable[[Bits], tuple[Bits, Indices, Indices]]
# from states before and after a step, (batch, bits) each: which of the steps could have been observed
Plausible = Callable[[Bits, Bits], Bits]


class Outcome(enum.StrEnum):
    """How a search ended. A crash is never "no plan", and "unsolvable" is about the learned model, not the world."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable in the learned model"
    NOT_FOUND = "gave up"
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    UNSUPPORTED = "unsupported"
    CRASHED = "crashed"


@attrs.frozen(kw_only=True)
class Limits:
    """The resources of a search, by default the paper's: 15 minutes and 2 GB.

    The memory limit holds for each process of a planner and, on Linux, for all of them together.
    """

    seconds: float = attrs.field(default=TIME_LIMIT, validator=and_(gt(0.0), le(MOST_SECONDS)))
    megabytes: int = attrs.field(default=MEMORY_LIMIT, validator=gt(0))


DEFAULT_LIMITS = Limits()


def _plain(value: Any) -> Any:
    """Return a number as Python's own, whichever library counted, or refuse what is none."""
    if isinstance(value, np.integer | np.floating):
        return value.item()
    if value is not None and not isinstance(value, int | float):
        raise TypeError(f"a statistic must be a number, not {value!r}")
    return value


def _statistic() -> Any:
    return attrs.field(default=None, converter=_plain)


@attrs.frozen(kw_only=True)
class Statistics:
    """What a search reported about itself; None where the planner does not report it."""

    expansions: int | None = _statistic()
    expansions_until_last_jump: int | None = _statistic()  # of A*: without the last f layer, whose order is arbitrary
    evaluations: int | None = _statistic()
    generated: int | None = _statistic()
    search_seconds: float | None = _statistic()
    megabytes: float | None = _statistic()


@attrs.frozen(eq=False, kw_only=True)
class SearchProblem:
    """Where to start, where to end, and what to search in: the STRIPS model, or the successors the network predicts."""

    init: Bits  # (bits,)
    goal: Bits  # (bits,)
    model: StripsModel
    care: Bits | None = None  # (bits,), which bits of the goal matter; None if all do
    expand: Expand | None = None  # by the network; None if not offered
    plausible: Plausible | None = None  # by the network's discriminator; None: every successor is
    lifted: LiftedTask | None = None  # the same in lifted PDDL, where there is a lifted model

    @classmethod
    def of(cls, task: Task) -> SearchProblem:
        """Return the problem of a STRIPS task."""
        return cls(init=task.init, goal=task.goal, model=task.model, care=task.care, lifted=task.lifted)

    @property
    def task(self) -> Task:
        """Return the problem as a STRIPS task."""
        care = np.ones_like(self.goal) if self.care is None else self.care
        return Task(self.model, self.init, self.goal, care, self.lifted)


@attrs.frozen(kw_only=True)
class SearchResult:
    """The result of a search. There is a plan and its trace if and only if the outcome is SOLVED.

    The plan of a planner has been executed on the model. The plan of a solver that searches by the network is a list of
    labels.
    """

    outcome: Outcome
    plan: tuple[int, ...] | None = None  # rows of the model's actions, or labels
    trace: Bits | None = None  # (steps + 1, bits), from the initial state to the goal
    cost: int | None = None
    statistics: Statistics = attrs.field(factory=Statistics)
    wall_seconds: float = 0.0  # of the whole search, set-up included
    latent: bool = False  # whether the steps of the plan are labels, not rows of the model
    detail: str = ""  # why it failed, in a few words
    log: str = ""  # the output of a planner, or its beginning and end if that is very long


class Solver(ABC):
    """Finds plans between two states in bits. Built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions
    latent: ClassVar[bool] = False  # whether it searches by the network's successors, not in the STRIPS model
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    package: ClassVar[str | None] = None  # of the program behind it, whose version is part of a result's identity

    def __init__(self, options: Any) -> None:
        self.options = options

    @property
    def optimal(self) -> bool:
        """Return whether plans are guaranteed to have minimum cost, on every supported task."""
        return False

    def missing(self) -> str | None:
        """Return how to install what is missing, in a few words, or None if the solver can run."""
        return None

    @abstractmethod
    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:
        """Search within the limits. Raise only if the solver cannot run at all; everything else is an outcome."""
