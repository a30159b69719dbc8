"""Imitations of mistakes in the data: pairs as they would be if each were the result of such a mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from cubespace.base.arrays import Bits, Indices

Imitation = Callable[[Bits, Bits, Sequence[Indices], np.random.Generator], tuple[Bits, Bits]]


def unrelated(before: Bits, after: Bits, variables: Sequence[Indices], rng: np.random.Generator) -> tuple[Bits, Bits]:
    """Return each first state with the second state of another transition."""
    del variables  # whole pictures are mixed up
    order = rng.permutation(len(after))
    return before[order], after[np.roll(order, 1)]


def misread(before: Bits, after: Bits, variables: Sequence[Indices], rng: np.random.Generator) -> tuple[Bits, Bits]:
    """Return transitions with one variable of one of the two states read as it is in some other state.

    Worked example, the bits of one variable are 1 and 2: 110 -> 101 may become 101 -> 101 if another state is 001.
    """
    order = rng.permutation(len(before))
    start, end = before[order], after[order]
    first = rng.random(len(order)) < 0.5  # which of the two pictures is misread: each with equal probability
    which = rng.integers(len(variables), size=len(order))
    other = before[rng.integers(len(before), size=len(order))]
    for number, bits in enumerate(variables):
        for states, rows in (
            (start, np.flatnonzero(first & (which == number))),
            (end, np.flatnonzero(~first & (which == number))),
        ):
            states[np.ix_(rows, bits)] = other[np.ix_(rows, bits)]
    differs = (start != before[order]).any(1) | (end != after[order]).any(1)
    return start[differs], end[differs]
