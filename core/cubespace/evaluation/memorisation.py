"""The training split as bits, and which part of a plan could have been memorised from it."""

from __future__ import annotations

from itertools import pairwise

import attrs

from cubespace.base.arrays import Bits, row_keys


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

    def count(self, trace: Bits | None) -> dict[str, int | None]:
        """Return how many states of a plan, the first and the last included, and how many of its steps were seen."""
        if trace is None:
            return {"known_states": None, "known_transitions": None}
        states = row_keys(trace)
        return {
            "known_states": sum(state in self.states for state in states),
            "known_transitions": sum(step in self.transitions for step in pairwise(states)),
        }
