"""What learning saw, as bits: the part of a plan that could be known by heart."""

from __future__ import annotations

from itertools import pairwise

import attrs
import numpy as np

from cubespace.strips import Bits


@attrs.frozen(eq=False)
class Seen:
    """The states and the transitions of a training split."""

    states: frozenset[bytes]
    transitions: frozenset[tuple[bytes, bytes]]

    @classmethod
    def of(cls, before: Bits, after: Bits) -> Seen:
        """Return what encoded transitions, (transitions, bits) each, show."""
        sources, targets = _keys(before), _keys(after)
        return cls(frozenset(sources + targets), frozenset(zip(sources, targets, strict=True)))

    def count(self, trace: Bits | None) -> dict[str, int | None]:
        """Return how many states of a plan, the first and the last included, and how many of its steps were seen."""
        if trace is None:
            return {"known_states": None, "known_transitions": None}
        states = _keys(trace)
        return {
            "known_states": sum(state in self.states for state in states),
            "known_transitions": sum(step in self.transitions for step in pairwise(states)),
        }


def _keys(bits: Bits) -> list[bytes]:
    return [row.tobytes() for row in np.packbits(bits, axis=1)]
