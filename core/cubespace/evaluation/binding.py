"""Which action of an environment does what a learned action does: counted, from labelled steps and from trying."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits
from cubespace.symbols.strips import StripsModel

Counts = NDArray[np.float64]


class Binding:
    """How often each action of the environment was tried where a learned action was possible, and how often it did it.

    Worked example, two learned actions and two of the environment: action 1 was done once where both learned ones were
    possible, and did the first: ``tried`` is [[0, 1], [0, 1]], ``did`` is [[0, 1], [0, 0]]. To do the first, action 1
    is chosen; to do the second, rather action 0, which was not tried yet.
    """

    def __init__(self, model: StripsModel, actions: int) -> None:
        self.model = model
        self.tried: Counts = np.zeros((model.actions, actions))
        self.did: Counts = np.zeros((model.actions, actions))

    def observe(self, before: Bits, action: int, after: Bits) -> None:
        """Count a step of the environment from one state, (bits,), to another."""
        possible = np.flatnonzero(self.model.applicable(before[None])[0])
        made = self.model.apply(np.repeat(before[None], len(possible), axis=0), possible)
        self.tried[possible, action] += 1
        self.did[possible[(made == after).all(1)], action] += 1

    def choose(self, learned: int) -> int:
        """Return the action of the environment that most likely does a learned one.

        An action that has mostly done it is taken. Otherwise, as actions do not depend on chance, the one that failed
        least often, and among equals the one that does anything most often.
        """
        did, tried = self.did[learned], self.tried[learned]
        usual = (self.did.sum(0) + 1) / (self.tried.sum(0) + self.model.actions + 1)  # (actions,), below 1
        return int(np.where(2 * did > tried, 1 + did / np.maximum(tried, 1), usual - (tried - did)).argmax())

    @property
    def bound(self) -> float:
        """Return the fraction of the learned actions that some action of the environment has done."""
        return float((self.did > 0).any(1).mean())
