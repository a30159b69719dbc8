"""The training split as bits, and which part of a plan, or of pictures held out, could have been memorised from it."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, row_keys
from cubespace.base.numbers import rounded


@attrs.frozen(kw_only=True)
class Memorised:
    """Which part of a plan could have been memorised; all None if there is no plan."""

    known_states: int | None = None  # the first and the last included
    known_transitions: int | None = None
    unseen_steps: tuple[int, ...] | None = None  # counted from 1


@attrs.frozen(kw_only=True)
class Familiarity:
    """The fractions of the pictures of problems, and of their states, that learning has seen."""

    known_pictures: float  # equal byte by byte
    known_states: float


@attrs.frozen(eq=False)
class TrainingMemory:
    """The states and the transitions of a training split."""

    states: frozenset[bytes]
    transitions: frozenset[tuple[bytes, bytes]]

    @classmethod
    def of(cls, before: Bits, after: Bits) -> TrainingMemory:
        """Return the memory of encoded transitions, (transitions, bits) each."""
        sources, targets = row_keys(before), row_keys(after)
        return cls(frozenset(sources + targets), frozenset(zip(sources, targets, strict=True)))

    def count(self, trace: Bits | None) -> Memorised:
        """Return how many states of a plan, the first and the last included, and which of its steps were seen."""
        if trace is None:
            return Memorised()
        states = row_keys(trace)
        seen = [step in self.transitions for step in pairwise(states)]
        return Memorised(
            known_states=sum(state in self.states for state in states),
            known_transitions=sum(seen),
            unseen_steps=tuple(number for number, known in enumerate(seen, start=1) if not known),
        )

    def known_states(self, bits: Bits) -> float:
        """Return the fraction of states, (states, bits), that occur in the training split."""
        return _fraction([state in self.states for state in row_keys(bits)])

    def known_transitions(self, before: Bits, after: Bits) -> list[bool]:
        """Return which transitions occur in the training split, from and to the very same states."""
        return [step in self.transitions for step in zip(row_keys(before), row_keys(after), strict=True)]


def known_pictures(training: tuple[Images, Images], pictures: Images) -> float:
    """Return the fraction of pictures that are equal, byte by byte, to a picture of the training split."""
    known = {_digest(picture) for images in training for picture in images}
    return _fraction([_digest(picture) in known for picture in pictures])


def _digest(picture: NDArray[np.uint8]) -> bytes:
    return hashlib.blake2b(np.ascontiguousarray(picture).data, digest_size=16).digest()


def _fraction(flags: list[bool]) -> float:
    return rounded(sum(flags) / max(1, len(flags)))
