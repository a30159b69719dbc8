"""Values that are two: what a picture shows beyond its value is noise unless the other picture of its pair knows it.

Two tiles that differ by little more than the noise of one picture are near each other. But a tile stays what it is, and
a gap, which all things move into, does not: so pairs tell the two apart. Along the direction in which they do, the
patterns of such a value are of two kinds with hardly any between them.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, lt
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.clusters import means

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]
Bools = NDArray[np.bool_]

POWERS = 30  # of a matrix, until its first direction is found
MEAN_ROUNDS = 5  # of k-means
CHANGED = 2  # the outcome of a pair that does not keep a value; 0 and 1 are its two kinds


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class SplittingOptions:
    """When one value is two."""

    known_beyond: float = option(
        6.0,
        "standard deviations of chance by which the other picture of a pair must know what is left of a value, so that "
        "it may be two",
        gt(0.0),
    )
    kinds_apart: float = option(
        4.5,
        "distance of the two, as a multiple of the standard deviation of each: two halves of one are 3 apart",
        gt(0.0),
    )
    kinds_told: float = option(
        0.1,
        "information about which of the two it is, as a share, that the other picture must have",
        and_(gt(0.0), lt(1.0)),
    )
    kind_count: int = option(20, "pictures that must show each of the two", ge(4))


def split_values(patterns: Floats, code: Numbers, options: SplittingOptions) -> Numbers:
    """Return the value of each pattern, first all before and then all after, where values that are two are split.

    The code itself is returned if there are none.
    """
    waiting, known = list(range(int(code.max()) + 1)), int(code.max()) + 1
    found = code
    while waiting:
        value = waiting.pop()
        second = _second_of(patterns, found, value, options)
        if second is None:
            continue
        found = found.copy()
        found[second] = known
        waiting += [value, known]
        known += 1
    return found


def _second_of(patterns: Floats, code: Numbers, value: int, options: SplittingOptions) -> Numbers | None:
    """Return which patterns of a value are of a second kind, or None if there is one kind only."""
    rows = np.flatnonzero(code == value)
    if len(rows) < 2 * options.kind_count:
        return None
    points = patterns[rows].astype(np.float64)
    points -= points.mean(0)
    partner = np.searchsorted(rows, other := (rows + len(code) // 2) % len(code))
    kept = code[other] == value
    for direction in _directions(points, partner, kept, options):
        side = _two_kinds(points, direction, options)
        if side is None:
            continue
        outcome = np.where(kept, side[np.where(kept, partner, 0)], CHANGED)
        if _told(side, outcome) >= options.kinds_told:
            return rows[side]
    return None


def _directions(points: Doubles, partner: Numbers, kept: Bools, options: SplittingOptions) -> Iterator[Doubles]:
    """Yield directions along which the other picture of a pair knows more than by chance what is left of this one.

    Patterns that stay may look alike before and after, or look unlike those that change.
    """
    both = np.flatnonzero(kept & (partner > np.arange(len(points))))  # each pair once: before, where both are kept
    before, after = points[both], points[partner[both]]
    shared = (before * after).sum(1)
    if len(both) > options.kind_count and shared.mean() * np.sqrt(len(both)) > options.known_beyond * shared.std():
        yield _first_direction(before, after)
    if min(kept.sum(), (~kept).sum()) > options.kind_count:
        apart = points[kept].mean(0) - points[~kept].mean(0)
        by_chance = points.var(0).sum() * (1 / kept.sum() + 1 / (~kept).sum())
        if (apart**2).sum() > by_chance * (1 + options.known_beyond * np.sqrt(2 / points.shape[1])):
            yield apart


def _first_direction(before: Doubles, after: Doubles) -> Doubles:
    """Return the direction along which what is before and after agrees most: of their covariance, made symmetric."""
    direction: Doubles = (before * (before * after).sum(1)[:, None]).sum(0)
    for _ in range(POWERS):
        direction = before.T @ (after @ direction) + after.T @ (before @ direction)
        direction /= max(float(np.linalg.norm(direction)), 1e-12)
    return direction


def _two_kinds(points: Doubles, direction: Doubles, options: SplittingOptions) -> Bools | None:
    """Return which points are of the second of two kinds that are well apart, or None."""
    side = points @ direction > 0
    for _ in range(MEAN_ROUNDS):
        if min(side.sum(), (~side).sum()) < options.kind_count:
            return None
        one, other = means(points, side.astype(np.intp))
        along = (points - (one + other) / 2) @ (other - one)
        side = along > 0
    if min(side.sum(), (~side).sum()) < options.kind_count:
        return None
    spread = np.sqrt((along[side].var() * side.sum() + along[~side].var() * (~side).sum()) / len(side))
    return side if along[side].mean() - along[~side].mean() > options.kinds_apart * spread else None


def _told(side: Bools, outcome: Numbers) -> float:
    """Return how much of which kind it is the outcome of a pair tells, from 0 to 1."""
    table = np.zeros((2, CHANGED + 1))
    np.add.at(table, (side.astype(np.intp), outcome), 1)
    table /= table.sum()
    alone = np.outer(table.sum(1), table.sum(0))
    seen = table > 0
    known = float((table[seen] * np.log2(table[seen] / alone[seen])).sum())
    kinds = table.sum(1)
    return known / float(-(kinds * np.log2(kinds)).sum())
