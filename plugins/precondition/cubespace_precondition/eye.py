"""The network's own eye: whether a state is that of a picture, as far as the network and the training pictures tell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.preconditions import Evidence
from cubespace.strips import Bits, literals

SHADES = 16  # grey levels told apart
BATCH = 2000
CHANCE = 1e-4  # that two literals never meet although nothing keeps them apart


class Eye:
    """Tells known states from impossible ones.

    A state is impossible

    - if two of its literals were never seen together, which is no chance, or
    - if its picture, looked at, shows another state, or
    - if its picture has shades that the pictures of known states never have at their place.

    The last catches nearly all that the first two miss.
    """

    def __init__(self, evidence: Evidence, states: Bits, unseen: float) -> None:
        held = literals(states).astype(np.float32)
        self.evidence = evidence
        expected = np.outer(held.mean(0), held.sum(0))  # how often two literals would meet by chance
        self.apart = ((held.T @ held == 0) & (expected > -np.log(CHANCE))).astype(np.float32)  # (2 bits, 2 bits)
        shades = np.concatenate([self._shades(states[start : start + BATCH]) for start in range(0, len(states), BATCH)])
        self.places = np.arange(shades.shape[1]) * SHADES
        self.strange = np.ones(shades.shape[1] * SHADES, dtype=np.bool_)  # by place and shade
        self.strange[(self.places + shades).ravel()] = False
        self.limit = max(3.0, unseen * shades.shape[1])

    def knows(self, states: Bits) -> Bits:
        """Return which states are possible."""
        parts = [self._knows(states[start : start + BATCH]) for start in range(0, len(states), BATCH)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.bool_)

    def _knows(self, states: Bits) -> Bits:
        held = literals(states).astype(np.float32)
        known = np.asarray(((held @ self.apart) * held).sum(1) == 0)
        left = np.flatnonzero(known)
        if len(left):
            known[left] = (self.evidence.reconstruct(states[left]) == states[left]).all(1)
            left = np.flatnonzero(known)
        if len(left):
            known[left] = self.strange[self.places + self._shades(states[left])].sum(1) <= self.limit
        return known

    def _shades(self, states: Bits) -> NDArray[np.intp]:
        """Return the shade of every pixel of the pictures of states, (batch, pixels)."""
        pictures = self.evidence.draw(states)
        return (pictures.reshape(len(pictures), -1) // (256 // SHADES)).astype(np.intp)
