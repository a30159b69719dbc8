"""What a precondition learner is: it finds the literals that must hold before an action, from examples of the action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np

from cubespace.options import NoOptions
from cubespace.strips import Bits, Indices


@attrs.frozen(eq=False, kw_only=True)
class Evidence:
    """What a learner may look at: the training split as bits, and the model's own eye.

    ``reconstruct`` decodes states into pictures and encodes these again. A state the model knows is a fixed point of it; a
    state it never learned to draw mostly is not, which makes negative examples without a simulator.
    """

    before: Bits  # (transitions, bits)
    action: Indices  # (transitions,), the row of add/delete that the transition showed
    add: Bits  # (actions, bits)
    delete: Bits  # (actions, bits)
    reconstruct: Callable[[Bits], Bits]
    rng: np.random.Generator


@attrs.frozen(eq=False, kw_only=True)
class Preconditions:
    """Conjunctions of literals; an action with several of them is applicable when one of them holds."""

    action: Indices  # (conjunctions,), the action each belongs to, ascending
    positive: Bits  # (conjunctions, bits)
    negative: Bits  # (conjunctions, bits)


class PreconditionLearner(ABC):
    """Learns when actions can be applied. A subclass is built from its ``Options``, a frozen attrs class."""

    Options: ClassVar[type[Any]] = NoOptions

    def __init__(self, options: Any) -> None:
        self.options = options

    @abstractmethod
    def learn(self, evidence: Evidence) -> Preconditions:
        """Return at least one conjunction per action; every example of an action should satisfy one of its own."""
