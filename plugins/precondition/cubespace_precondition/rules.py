"""A conjunction under construction: what it requires so far, and which of the steps that it allows went wrong."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices


@attrs.define(eq=False)
class Rule:
    """One conjunction of one action. Literals are numbered as by :func:`cubespace.base.arrays.literals`."""

    effect: int
    needed: Bits  # (2 bits,)
    examples: Bits  # (examples, 2 bits), the literals of the examples that it covers
    tried: Indices  # (trials,), the states in which it holds and was tried
    wrong: Bits  # (trials,), which of the steps went wrong
    splits: int  # how often it was split off

    def excluded(self, held: Bits) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how many wrong and good steps each literal would exclude, given those ``held`` in all states."""
        missing = ~held[self.tried]  # (trials, 2 bits)
        return missing[self.wrong].sum(0).astype(float), missing[~self.wrong].sum(0).astype(float)

    def need(self, literal: int, held: Bits) -> None:
        """Add a literal."""
        self.needed[literal] = True
        kept = held[self.tried, literal]
        self.tried, self.wrong = self.tried[kept], self.wrong[kept]

    def part(self, literal: int, held: Bits) -> Rule:
        """Return the rule for the cases in which a literal holds."""
        examples = self.examples[self.examples[:, literal]]
        part = Rule(self.effect, self.needed.copy(), examples, self.tried, self.wrong, self.splits + 1)
        part.need(literal, held)
        return part
