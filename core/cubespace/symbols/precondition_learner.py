"""The contract of precondition learners: from examples of an action, find the literals that must hold before it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Images, Indices, apply_effect, distinct_rows, literals
from cubespace.base.errors import ContractError
from cubespace.base.options import NoOptions


@attrs.frozen(eq=False, kw_only=True)
class Evidence:
    """What a learner is given: the training split as bits, the effects of the actions, and the network.

    ``draw`` decodes states into pictures and ``look`` encodes pictures. A state that the network knows stays the same
    when it is drawn and looked at; one that it has never learned to draw mostly does not. This gives negative examples
    without a simulator.
    """

    before: Bits  # (transitions, bits)
    action: Indices  # (transitions,), the row of add/delete that the transition showed
    add: Bits  # (actions, bits)
    delete: Bits  # (actions, bits)
    draw: Callable[[Bits], Images]
    look: Callable[[Images], Bits]
    rng: np.random.Generator
    certain: Bits | None = None  # (actions, 2 bits), literals that the network expects before, where it learned them
    groups: Indices | None = None  # (bits,), the finite-domain variable that each bit is a value of, where known

    @property
    def support(self) -> Indices:
        """Return the number of examples of each action."""
        return np.bincount(self.action, minlength=len(self.add))

    def static(self) -> Bits:
        """Return the literals, (actions, 2 * bits), that hold in every example: the paper's preconditions."""
        order = np.argsort(self.action, kind="stable")
        actions, starts = np.unique(self.action[order], return_index=True)
        held = np.zeros((len(self.add), 2 * self.add.shape[1]), dtype=np.bool_)
        held[actions] = np.logical_and.reduceat(literals(self.before[order]), starts, axis=0)
        return held

    def implied(self) -> Bits:
        """Return the static literals that the effect itself needs: what it deletes is true, what it adds is false."""
        return literals(self.delete, self.add) & self.static()

    def states(self) -> Bits:
        """Return the distinct states of the training split, before and after."""
        after = apply_effect(self.before, self.add[self.action], self.delete[self.action])
        return distinct_rows(np.concatenate([self.before, after]))


@attrs.frozen(eq=False, kw_only=True)
class Preconditions:
    """Conjunctions of literals. An action with several conjunctions is applicable where one of them holds."""

    action: Indices  # (conjunctions,), the action each belongs to, ascending
    positive: Bits  # (conjunctions, bits)
    negative: Bits  # (conjunctions, bits)

    @classmethod
    def of(cls, needed: Bits) -> Preconditions:
        """Return one conjunction per action from the literals it needs, (actions, 2 * bits)."""
        bits = needed.shape[1] // 2
        return cls(action=np.arange(len(needed)), positive=needed[:, :bits], negative=needed[:, bits:])


class PreconditionLearner(ABC):
    """Learns when actions can be applied. A subclass is built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts

    def __init__(self, options: Any) -> None:
        self.options = options

    @abstractmethod
    def learn(self, evidence: Evidence) -> Preconditions:
        """Return the conjunctions of each action; every example of an action should satisfy one of its own.

        An action without a conjunction is considered an accident of learning and left out of the model.
        """


def check_preconditions(learned: object, evidence: Evidence, learner: PreconditionLearner) -> None:
    """Raise a :class:`ContractError` if a learner has returned something else than conjunctions of the actions."""
    if not isinstance(learned, Preconditions):
        raise ContractError(f"it returned {type(learned).__name__}, not Preconditions", learner)
    action = np.asarray(learned.action)
    if action.ndim != 1 or not np.issubdtype(action.dtype, np.integer) or (np.diff(action) < 0).any():
        raise ContractError("'action' of its preconditions must be whole numbers, ascending", learner)
    if len(action) and (action[0] < 0 or action[-1] >= len(evidence.add)):
        raise ContractError(f"'action' of its preconditions must be from 0 to {len(evidence.add) - 1}", learner)
    shape = (len(action), evidence.add.shape[1])
    for name in ("positive", "negative"):
        mask = getattr(learned, name)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != shape:
            there = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise ContractError(f"'{name}' of its preconditions must be bool {shape}, not {there}", learner)
    if (learned.positive & learned.negative).any():
        raise ContractError("its preconditions require and forbid the same bit, so that no state fulfils them", learner)
