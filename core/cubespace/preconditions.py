"""What a precondition learner is: it finds the literals that must hold before an action, from examples of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np

from cubespace.domains import Images
from cubespace.options import NoOptions
from cubespace.strips import Bits, Indices, literals


@attrs.frozen(eq=False, kw_only=True)
class Evidence:
    """What a learner may look at: the training split as bits, and the model's own eye.

    ``draw`` decodes states into pictures and ``look`` encodes pictures. A state the model knows stays as it is when
    drawn and looked at; one it never learned to draw mostly does not: negative examples without a simulator.
    """

    before: Bits  # (transitions, bits)
    action: Indices  # (transitions,), the row of add/delete that the transition showed
    add: Bits  # (actions, bits)
    delete: Bits  # (actions, bits)
    draw: Callable[[Bits], Images]
    look: Callable[[Images], Bits]
    rng: np.random.Generator

    @property
    def support(self) -> Indices:
        """Return the number of examples of each action."""
        return np.bincount(self.action, minlength=len(self.add))

    def reconstruct(self, states: Bits) -> Bits:
        """Return what the network sees in its own pictures of states."""
        return self.look(self.draw(states))

    def static(self) -> Bits:
        """Return the literals, (actions, 2 * bits), that hold in every example: the paper's preconditions."""
        order = np.argsort(self.action, kind="stable")
        actions, starts = np.unique(self.action[order], return_index=True)
        held = np.zeros((len(self.add), 2 * self.add.shape[1]), dtype=np.bool_)
        held[actions] = np.logical_and.reduceat(literals(self.before[order]), starts, axis=0)
        return held

    def implied(self) -> Bits:
        """Return the static literals that the effect itself asks for: what it deletes is there, what it adds is not."""
        return literals(self.delete, self.add) & self.static()

    def states(self) -> Bits:
        """Return the distinct states of the training split, before and after."""
        after = (self.before & ~self.delete[self.action]) | self.add[self.action]
        packed = np.packbits(np.concatenate([self.before, after]), axis=1)
        distinct = np.unique(packed, axis=0)
        return np.unpackbits(distinct, axis=1, count=self.before.shape[1]).astype(np.bool_)


@attrs.frozen(eq=False, kw_only=True)
class Preconditions:
    """Conjunctions of literals; an action with several of them is applicable when one of them holds."""

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

    def __init__(self, options: Any) -> None:
        self.options = options

    @abstractmethod
    def learn(self, evidence: Evidence) -> Preconditions:
        """Return the conjunctions of each action; every example of an action should satisfy one of its own.

        An action that gets none is taken for an accident of learning and left out of the model.
        """
