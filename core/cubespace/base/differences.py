"""What transitions change: the difference between two states, and which differences are distinct.

Everything that counts differences, groups transitions by them or looks one up uses this definition.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, literals

DELETED, UNCHANGED, ADDED = 0, 1, 2  # what an effect does to a bit, in the order by which differences are sorted


@attrs.frozen(eq=False, kw_only=True)
class DistinctRows:
    """The distinct rows of an array, by numbers; equal rows have the same number."""

    first: Indices  # (distinct rows,), where each occurs first
    counts: Indices  # (distinct rows,), how often each occurs
    number: Indices  # (rows,), which of the distinct rows each row is

    def __len__(self) -> int:
        """Return how many distinct rows there are."""
        return len(self.first)

    def by_frequency(self) -> DistinctRows:
        """Return the same with the most frequent row first and, among equals, the one that occurs first."""
        order = np.lexsort((self.first, -self.counts))
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return DistinctRows(first=self.first[order], counts=self.counts[order], number=place[self.number])


def number_rows(rows: NDArray[np.generic]) -> DistinctRows:
    """Return the distinct rows of an array in the order of their bytes: for bytes, that is the lexicographic one.

    For the rows 01, 00, 01 there are two: 00, which occurs first in row 1, and 01, which occurs first in row 0; the
    numbers of the rows are 1, 0, 1.
    """
    if not rows.size:  # rows without columns are all the same
        nothing = np.zeros(min(1, len(rows)), dtype=np.intp)
        return DistinctRows(first=nothing, counts=nothing + len(rows), number=np.zeros(len(rows), dtype=np.intp))
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, number, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return DistinctRows(first=first, counts=counts, number=number.ravel())


@attrs.frozen(eq=False, kw_only=True)
class Differences:
    """Distinct differences, that is pairs (z1 - z0, z0 - z1), and the transitions that show them.

    They are sorted by frequency, or by what happens to bit 0, then to bit 1 and so on: deleted, unchanged, added.
    """

    add: Bits  # (differences, bits), z1 - z0
    delete: Bits  # (differences, bits), z0 - z1
    first: Indices  # (differences,), the first transition that shows each
    counts: Indices  # (differences,), how many transitions show each
    shown: Indices  # (transitions,), the difference that each shows

    def __len__(self) -> int:
        """Return how many differences there are."""
        return len(self.add)


def find_differences(before: Bits, after: Bits, *, by_frequency: bool = False) -> Differences:
    """Return the distinct differences of transitions, (transitions, bits) each.

    With three bits: 100 -> 010 and 101 -> 011 show the same difference, which adds bit 1 and deletes bit 0; 001 -> 001
    shows another, which changes nothing. The one that deletes bit 0 is sorted first: ``add`` is [010, 000], ``delete``
    is [100, 000], ``counts`` is [2, 1] and ``shown`` is [0, 0, 1].
    """
    return group_effects(after & ~before, before & ~after, by_frequency=by_frequency)


def group_effects(add: Bits, delete: Bits, *, by_frequency: bool = False) -> Differences:
    """Return the distinct effects among those of transitions, (transitions, bits) each: what they add and delete."""
    if (add & delete).any():
        raise ValueError("an effect adds and deletes the same bit")
    changes = np.full(add.shape, UNCHANGED, dtype=np.uint8)
    changes[add], changes[delete] = ADDED, DELETED
    rows = number_rows(changes).by_frequency() if by_frequency else number_rows(changes)
    distinct = changes[rows.first]
    return Differences(
        add=distinct == ADDED, delete=distinct == DELETED, first=rows.first, counts=rows.counts, shown=rows.number
    )


def packed_differences(before: Bits, after: Bits) -> NDArray[np.uint8]:
    """Return the difference (z1 - z0, z0 - z1) of each transition as a row of packed bits, to be looked up."""
    return np.packbits(literals(after & ~before, before & ~after), axis=1)


def coverage(differences: NDArray[np.uint8], known: NDArray[np.uint8]) -> float:
    """Return the fraction of packed differences that are among the known ones."""
    number = number_rows(np.concatenate((known, differences))).number
    return float(np.isin(number[len(known) :], number[: len(known)]).mean())


def changed_values(before: Indices, after: Indices) -> Indices:
    """Return what transitions change, for variables with many values, (transitions, variables) each.

    A row has the old values of the variables that change, then their new ones, and -1 for what does not change: from
    the values 3, 5 to 3, 7 it is -1, 5, -1, 7.
    """
    changed = before != after
    return np.concatenate([np.where(changed, before, -1), np.where(changed, after, -1)], axis=1)
