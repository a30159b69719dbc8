"""Static relations: which combinations of arguments a form can have at all, as opposed to those that were not seen.

Several parameters are looked at together. A combination that was never seen, although transitions began often enough
where it would have been possible, is excluded; then those that were seen are a relation. What chance explains is
allowed: that is how a lifted model knows moves that no transition showed.
"""

from __future__ import annotations

import math
from itertools import combinations

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.groundings import Groundings


@attrs.frozen(eq=False, kw_only=True)
class Relation:
    """Which combinations of certain parameters occur."""

    parameters: tuple[int, ...]
    rows: frozenset[tuple[int, ...]]
    undecided: int  # combinations left out although chance may be why they were never seen


@attrs.frozen(eq=False)
class _Restriction:
    """A relation and the groundings that it leaves."""

    relation: Relation
    allowed: Bits  # (groundings,)


def find_relations(groundings: Groundings, criteria: Criteria) -> tuple[list[Relation], Groundings]:
    """Return the relations, and the groundings that they leave: at each step the one that leaves fewest.

    Relations of fewer parameters come first, so that one of all parameters, which generalises to nothing, comes last.
    What was seen is first taken to be true; only once the relations are known, and with them how often each combination
    is to be expected, are accidents separated from rare events.
    """
    found: list[Relation] = []
    for accident_rate in (0.0, criteria.accident_rate):
        for size in range(1, groundings.arguments.shape[1] + 1):
            while (best := _strictest(groundings, size, criteria.level, accident_rate)) is not None:
                found = [each for each in found if each.parameters != best.relation.parameters] + [best.relation]
                groundings = groundings[best.allowed]
    return found, groundings


def _strictest(groundings: Groundings, size: int, level: float, accident_rate: float) -> _Restriction | None:
    """Return the relation of ``size`` parameters that leaves fewest groundings, or None."""
    every = combinations(range(groundings.arguments.shape[1]), size)
    restrictions = (_restrict(groundings, columns, level, accident_rate) for columns in every)
    return min(filter(None, restrictions), key=lambda each: int(each.allowed.sum()), default=None)


def _restrict(
    groundings: Groundings, columns: tuple[int, ...], level: float, accident_rate: float
) -> _Restriction | None:
    """Return the relation of some parameters and the groundings it leaves, or None if nothing is excluded."""
    cells, cell = np.unique(groundings.arguments[:, columns], axis=0, return_inverse=True)
    cell = cell.ravel()
    seen = _sums(cell, groundings.seen, len(cells))
    expected = groundings.frequency * _sums(cell, groundings.possible, len(cells))
    excluded = (seen <= accident_rate * expected) & (expected > math.log(len(cells) / level))
    if not excluded.any():
        return None
    holds = (seen > 0) & ~excluded
    rows = frozenset(tuple(row) for row in cells[holds].tolist())
    undecided = int(((seen == 0) & ~excluded).sum())
    return _Restriction(Relation(parameters=columns, rows=rows, undecided=undecided), np.asarray(holds[cell]))


def _sums(cell: Indices, numbers: Indices, count: int) -> Indices:
    return np.bincount(cell, weights=numbers, minlength=count).astype(np.intp)
