"""The difference of two states: which bits a transition adds and which it deletes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits

Differences = NDArray[np.uint8]  # (transitions, bytes): packed bits, first those added, then those deleted


def difference(before: Bits, after: Bits) -> Differences:
    """Return the pair (z1 - z0, z0 - z1) of each transition as a row of packed bits."""
    return np.packbits(np.concatenate((after & ~before, before & ~after), axis=1), axis=1)


def coverage(differences: Differences, known: Differences) -> float:
    """Return the fraction of rows of ``differences`` that are among the ``known`` ones."""
    _, numbers = np.unique(np.concatenate((known, differences)), axis=0, return_inverse=True)
    return float(np.isin(numbers[len(known) :], numbers[: len(known)]).mean())
