"""Signs of a real move that pairs can show: what true moves have in common, and wrong ones often lack.

A sign is looked up in a memory of transitions. None needs a simulator, and none is proof of anything by itself: what
each is worth follows from how many true moves have it that the memory has never seen.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, Indices, literals, row_keys
from cubespace.base.differences import number_rows, packed_differences
from cubespace.evaluation.precision_record import COMPANY, CONTEXT, STATE, STEP

Draw = Callable[[Bits], Images]
Look = Callable[[Images], Bits]


@attrs.frozen(eq=False)
class KnownMoves:
    """A memory of transitions, in the form in which signs are looked up."""

    steps: frozenset[bytes]
    states: frozenset[bytes]
    together: NDArray[np.float32]  # (literals, literals), 1 for what was never true together
    changes: NDArray[np.uint8]  # (effects, …), packed
    context: Bits  # (effects, literals), what was true before each
    grouped: bool

    @classmethod
    def of(cls, before: Bits, after: Bits, *, grouped: bool) -> KnownMoves:
        """Return the memory of transitions, (transitions, bits) each; of groups of bits, those that are true say all.

        Of three bits, the transition 100 -> 010 shows that bit 1 can be true with bits 0 and 2 false, and that what
        deletes bit 0 and adds bit 1 can happen while bit 2 is false.
        """
        facts_before, facts_after = _facts(before, grouped), _facts(after, grouped)
        company = facts_before.T @ facts_before + facts_after.T @ facts_after
        changes = packed_differences(before, after)
        rows = number_rows(changes)
        order = np.argsort(rows.number, kind="stable")
        starts = np.searchsorted(rows.number[order], np.arange(len(rows)))
        context = np.maximum.reduceat(facts_before[order] > 0, starts, axis=0)
        return cls(
            steps=frozenset(_step_keys(before, after)),
            states=frozenset(row_keys(before) + row_keys(after)),
            together=(company == 0).astype(np.float32),
            changes=changes[rows.first],
            context=context,
            grouped=grouped,
        )

    def signs(self, before: Bits, after: Bits) -> dict[str, Bits]:
        """Return which moves, (moves, bits) each, have which sign."""
        facts_before, facts_after = _facts(before, self.grouped), _facts(after, self.grouped)
        strangers = ((facts_after @ self.together) * facts_after).sum(1)
        effect = self._effect(packed_differences(before, after))
        known = effect >= 0
        known[known] = ~((facts_before[known] > 0) & ~self.context[effect[known]]).any(1)
        return {
            STEP: np.array([key in self.steps for key in _step_keys(before, after)], dtype=np.bool_),
            STATE: np.array([key in self.states for key in row_keys(after)], dtype=np.bool_),
            COMPANY: strangers == 0,
            CONTEXT: known,
        }

    def _effect(self, changes: NDArray[np.uint8]) -> Indices:
        """Return the number of the effect of each move, -1 for one that was never seen."""
        count = len(self.changes)
        rows = number_rows(np.concatenate([self.changes, changes]))
        known = rows.first < count
        return np.where(known[rows.number], rows.first[rows.number], -1)[count:]


def redrawn(after: Bits, draw: Draw, look: Look) -> Bits:
    """Return of which states, (states, bits), the picture is read as the same state."""
    return np.asarray((look(draw(after)) == after).all(1))


def _facts(bits: Bits, grouped: bool) -> NDArray[np.float32]:
    return (bits if grouped else literals(bits)).astype(np.float32)


def _step_keys(before: Bits, after: Bits) -> list[bytes]:
    return row_keys(np.concatenate([before, after], axis=1))
