"""Static relations: which combinations of arguments a form can have at all, told from those that were merely not seen.

Some of the parameters are looked at together. A combination that was never seen, although transitions began often
enough where it would have been possible, is excluded; then those that were seen are a relation. What chance explains
is allowed: that is how a lifted model knows moves that no transition showed.
"""

from __future__ import annotations

import math
from itertools import combinations

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.groundings import Groundings
from cubespace.lifting.variables import ACCIDENTS


@attrs.frozen(eq=False, kw_only=True)
class Relation:
    """Which combinations of some parameters occur."""

    parameters: tuple[int, ...]
    rows: frozenset[tuple[int, ...]]
    undecided: int  # combinations left out although chance may be why they were never seen


def find_relations(groundings: Groundings, level: float) -> tuple[list[Relation], Groundings]:
    """Return the relations, and the groundings that they leave: at each step the one that leaves fewest.

    Relations of fewer parameters come first, so that one of all parameters, which generalises to nothing, comes last.
    What was seen is first taken to be true; only once the relations are known, and with them how often each combination
    was to be expected, are accidents told from rare events.
    """
    found: list[Relation] = []
    for accidents in (0.0, ACCIDENTS):
        for size in range(1, groundings.arguments.shape[1] + 1):
            while True:
                relation = _strictest(groundings, size, level, accidents)
                if relation is None:
                    break
                found = [each for each in found if each.parameters != relation[0].parameters] + [relation[0]]
                groundings = groundings[relation[1]]
    return found, groundings


def _strictest(groundings: Groundings, size: int, level: float, accidents: float) -> tuple[Relation, Bits] | None:
    """Return the relation of so many parameters that leaves fewest groundings, with these, or None."""
    every = combinations(range(groundings.arguments.shape[1]), size)
    ways = [way for columns in every if (way := _relation(groundings, columns, level, accidents)) is not None]
    return min(ways, key=lambda way: int(way[1].sum()), default=None)


def _relation(
    groundings: Groundings, columns: tuple[int, ...], level: float, accidents: float
) -> tuple[Relation, Bits] | None:
    """Return the relation of some parameters and the groundings it leaves, or None if nothing is excluded."""
    cells, cell = np.unique(groundings.arguments[:, columns], axis=0, return_inverse=True)
    cell = cell.ravel()
    seen = _sums(cell, groundings.seen, len(cells))
    expected = groundings.frequency * _sums(cell, groundings.possible, len(cells))
    excluded = (seen <= accidents * expected) & (expected > math.log(len(cells) / level))
    if not excluded.any():
        return None
    holds = (seen > 0) & ~excluded
    rows = frozenset(tuple(row) for row in cells[holds].tolist())
    undecided = int(((seen == 0) & ~excluded).sum())
    return Relation(parameters=columns, rows=rows, undecided=undecided), np.asarray(holds[cell])


def _sums(cell: Indices, numbers: Indices, count: int) -> Indices:
    return np.bincount(cell, weights=numbers, minlength=count).astype(np.intp)
