"""Which small clusters of patterns are one value: those that pairs do not tell apart.

Two clusters are one unless it is known from the other picture of a pair which of them it is: what comes after them, and
what was there before.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, gt, lt
from numpy.typing import NDArray
from scipy.stats import norm

from cubespace.base.options import option

Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class JoiningOptions:
    """How surely pairs must tell two clusters apart, so that they are two values."""

    told_apart: float = option(
        1e-6,
        "probability with which two clusters of one value may look like two by what comes before and after them",
        and_(gt(0.0), lt(1.0)),
    )
    surely_told: float = option(
        0.1,
        "information about which of two values it is, as a share, that the other picture of a pair has if they are two",
        and_(gt(0.0), lt(1.0)),
    )
    hardly_told: float = option(
        0.02, "such information that does not count: what neighbours add to the edge of a place has more", gt(0.0)
    )
    least_rise: float = option(
        2.0,
        "factor by which two values are told apart better than what is joined before; else all is one value",
        gt(1.0),
    )


def one_value(small: Numbers, centres: Doubles, options: JoiningOptions) -> Numbers:
    """Return the value of each small cluster, given (2, pairs): those are one that pairs do not tell apart.

    Of those that chance may make differ as they do, the nearest are joined first, then those that are told apart least:
    what is joined is known better. Worked example: clusters 0 and 1 are both followed by 0 or 1, never by 2, equally
    often; 2 is followed by 2. Then 0 and 1 are one value. ``centres`` are (clusters, axes).
    """
    size = int(small.max()) + 1
    table = np.zeros((size, size))
    np.add.at(table, (small[0], small[1]), 1)
    value, steps, told = np.arange(size), [np.arange(size)], [0.0]
    by_chance = float(norm.isf(options.told_apart))
    while len(table) > 1:
        part, known = _alike(table, centres, by_chance), 0.0
        if part is None:
            difference = _told(table)
            one, other = np.unravel_index(int(difference.argmin()), difference.shape)
            known = float(difference[one, other])
            part = np.arange(len(table))
            part[other] = one
        part = np.unique(part, return_inverse=True)[1]
        member = np.eye(int(part.max()) + 1)[part]  # (clusters, parts)
        weight = np.maximum(table.sum(0) + table.sum(1), 1)[:, None] * member
        centres = weight.T @ centres / weight.sum(0)[:, None]
        table = member.T @ table @ member
        value = part[value]
        steps.append(value)
        told.append(known)
    return steps[_where_to_stop(np.array(told[1:]), options)]


def _alike(table: Doubles, centres: Doubles, by_chance: float) -> Numbers | None:
    """Return the part of each cluster, where each is joined with the nearest one that it is like, if that is mutual.

    None if no two differ by less than chance may make two differ. A small cluster is like many: only the nearest is
    likely to be the same value.
    """
    square = (centres**2).sum(1)
    apart = square[:, None] + square - 2 * centres @ centres.T
    apart = np.where(_apart(table) < by_chance, apart, np.inf)
    nearest, rows = apart.argmin(1), np.arange(len(table))
    both = (nearest[nearest] == rows) & np.isfinite(apart[rows, nearest])
    return np.where(both, np.minimum(rows, nearest), rows) if both.any() else None


def _where_to_stop(told: Doubles, options: JoiningOptions) -> int:
    """Return how many steps join what is one value, given how much told the two apart that each step joined.

    Before the largest rise, in proportion; a step above ``surely_told`` is never made. Worked example: 0, .01, .03, .2
    and .3 are three steps, as .2 is the first above .1, and the largest rise is that from .03.
    """
    sure = np.flatnonzero(told >= options.surely_told)
    last = int(sure[0]) if len(sure) else len(told) - 1
    if last < 0:
        return 0
    before = np.maximum(np.maximum.accumulate(np.append(0.0, told))[:-1], options.hardly_told)
    rise = (told / before)[: last + 1]
    best = int(rise.argmax())
    return best if rise[best] >= options.least_rise else len(told)


def _apart(table: Doubles) -> Doubles:
    """Return by how many standard deviations two clusters differ more than chance makes two differ: (size, size).

    By the χ² test of what follows them and of what they follow, whose cube root is nearly normal (Wilson and Hilferty);
    infinity on the diagonal.
    """
    size = len(table)
    square, freedom = np.zeros((size, size)), np.zeros((size, size))
    for seen in (table, table.T):
        total = np.maximum(seen.sum(1), 1e-9)
        share = np.sqrt(total[None, :] / total[:, None])  # (size, size)
        both = seen[:, None] + seen[None]  # (size, size, columns)
        apart = share[:, :, None] * seen[:, None] - share.T[:, :, None] * seen[None]
        square += (apart**2 / np.maximum(both, 1e-9)).sum(2)
        freedom += np.maximum((both > 0).sum(2) - 1, 0)
    spread = 2 / (9 * np.maximum(freedom, 1))
    apart = (np.cbrt(square / np.maximum(freedom, 1)) - (1 - spread)) / np.sqrt(spread)
    np.fill_diagonal(apart, np.inf)
    return apart


def _told(table: Doubles) -> Doubles:
    """Return how much of which of two clusters it is the other picture of a pair tells: (size, size), from 0 to 1.

    A mean over the picture after and the one before: information, without what chance gives, over the entropy of the
    two; infinity but above the diagonal.
    """
    size = len(table)
    told = np.zeros((size, size))
    for seen in (table, table.T):
        total = np.maximum(seen.sum(1), 1e-9)
        both = total[:, None] + total
        first = (total[:, None] / both)[..., None]
        one, other = (seen / total[:, None])[:, None], (seen / total[:, None])[None]  # (size, 1, columns), (1, size, …)
        mixed = first * one + (1 - first) * other
        known = _entropy(mixed) - first[..., 0] * _entropy(one) - (1 - first[..., 0]) * _entropy(other)
        columns = ((seen[:, None] + seen[None]) > 0).sum(2)
        chance = (columns - 1) / (2 * np.log(2) * both)
        told += (known - chance) / _entropy(np.concatenate([first, 1 - first], axis=2)) / 2
    told[np.tril_indices(size)] = np.inf
    return told


def _entropy(shares: Doubles) -> Doubles:
    """Return the entropy of shares, along the last axis, in bits."""
    return np.asarray(-(shares * np.log2(np.maximum(shares, 1e-12))).sum(-1))
