"""Values where every picture is a little different: what is drawn anew in each picture is not a value.

How pictures differ because a camera moved is gone in the next one; a value stays, or an action changes it. So patterns
are cut into many small clusters first. Two of them are one value unless pairs tell them apart: what comes after them,
and what was there before.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, lt
from numpy.typing import NDArray
from scipy.stats import chi2

from cubespace.base.options import option
from cubespace_bit_learners.places.values import (
    MAX_DIMENSIONS,
    ROUNDING_VARIANCE,
    Compared,
    ValueOptions,
    noise_free,
)

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]

AXES = 12  # along which patterns differ most, compared with noise
CENTRED = 4000  # patterns from which clusters are made
MEAN_ROUNDS = 8  # of k-means
MOST_SURE = 8  # clusters that may all be values
PROBED = 2000  # patterns by which it is seen how much values leave unexplained


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class SteadyOptions(ValueOptions):
    """Which patterns are one value if the camera moves."""

    clusters: int = option(
        64, "small clusters that the patterns of a group of pixels are cut into, if the camera moves", ge(2)
    )
    cluster_pairs: int = option(
        40, "pairs that such a cluster must have on average, else there are fewer of them", ge(1)
    )
    told_apart: float = option(
        1e-3,
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


def steady_pixels(before: Floats, after: Floats, correlation: float) -> NDArray[np.bool_]:
    """Return which pixels show something that stays: before and after are correlated over pairs.

    The squared correlation must be this multiple of what chance gives, which is one over the number of pairs.
    """
    one, other = before - before.mean(0), after - after.mean(0)
    shared = np.einsum("np,np->p", one, other) ** 2
    chance = np.einsum("np,np->p", one, one) * np.einsum("np,np->p", other, other)
    return np.asarray(shared * len(before) > correlation * np.maximum(chance, 1e-9))


@attrs.frozen(eq=False)
class SteadyValues:
    """The values of some groups of pixels."""

    codes: Numbers  # (2, pairs, groups): before and after
    unexplained: float  # variance of the pixels around the patterns of their values, summed over pixels
    overflow: bool = False  # whether a group has too many values to be learned


def steady_values(compared: Compared, groups: list[Numbers], options: SteadyOptions) -> SteadyValues:
    """Return the values of each group of pixels; too many if clusters are mostly values of their own."""
    codes, left, overflow = [], 0.0, False
    for pixels in groups:
        patterns = compared.look(pixels)
        found = noise_free(patterns, ROUNDING_VARIANCE * max(1.0, len(pixels) / MAX_DIMENSIONS), options)
        points = found.points[:, -AXES:]  # the last ones differ most
        count = min(options.clusters, max(2, len(points) // 2 // options.cluster_pairs))
        small = clusters(points, count, np.random.default_rng(len(pixels)))
        code = one_value(small.reshape(2, -1), options)[small]
        codes.append(code.reshape(2, -1))
        left += unexplained(patterns, code)
        overflow |= bool(2 * (code.max() + 1) > max(count, MOST_SURE))
    return SteadyValues(np.stack(codes, axis=-1), left, overflow)


def clusters(points: Doubles, count: int, rng: np.random.Generator) -> Numbers:
    """Return the small cluster of each point, by k-means from centres that are far apart; numbered without gaps."""
    if points.shape[1] == 0:
        return np.zeros(len(points), dtype=np.intp)
    some = points[rng.permutation(len(points))[:CENTRED]]
    centres = some[:1]
    apart = ((some - centres[0]) ** 2).sum(1)
    while len(centres) < count and apart.sum() > 0:
        centres = np.concatenate([centres, some[[rng.choice(len(some), p=apart / apart.sum())]]])
        apart = np.minimum(apart, ((some - centres[-1]) ** 2).sum(1))
    for _ in range(MEAN_ROUNDS):
        code = _nearest(some, centres)
        centres = np.stack([some[code == number].mean(0) for number in np.unique(code)])
    return np.unique(_nearest(points, centres), return_inverse=True)[1]


def _nearest(points: Doubles, centres: Doubles) -> Numbers:
    return np.asarray(((centres**2).sum(1) - 2 * points @ centres.T).argmin(1), dtype=np.intp)


def one_value(small: Numbers, options: SteadyOptions) -> Numbers:
    """Return the value of each small cluster, given (2, pairs): those are one that pairs do not tell apart.

    The two that are most alike are joined first, and so on: what is joined is known better. Worked example: clusters 0
    and 1 are both followed by 0 or 1, never by 2, equally often; 2 is followed by 2. Then 0 and 1 are one value.
    """
    size = int(small.max()) + 1
    table = np.zeros((size, size))
    np.add.at(table, (small[0], small[1]), 1)
    value, steps, told = np.arange(size), [np.arange(size)], [0.0]
    while len(table) > 1:
        alike, difference = _likeness(table), _told(table)
        by_chance = alike.max() > np.log(options.told_apart)
        one, other = np.unravel_index(int(alike.argmax() if by_chance else difference.argmin()), alike.shape)
        told.append(0.0 if by_chance else float(difference[one, other]))
        table[one] += table[other]
        table[:, one] += table[:, other]
        table = np.delete(np.delete(table, other, 0), other, 1)
        value = np.where(value == other, one, value)
        value = value - (value > other)
        steps.append(value)
    return steps[_where_to_stop(np.array(told[1:]), options)]


def _where_to_stop(told: Doubles, options: SteadyOptions) -> int:
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


def _likeness(table: Doubles) -> Doubles:
    """Return the logarithm of the probability that chance makes two clusters differ as they do: (size, size).

    By the χ² test, of what follows them and of what they follow; minus infinity but above the diagonal.
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
    alike = np.asarray(chi2.logsf(square, np.maximum(freedom, 1)))
    alike[np.tril_indices(size)] = -np.inf
    return alike


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


def unexplained(patterns: Floats | Doubles, code: Numbers) -> float:
    """Return the mean square of the distance between patterns and the mean of those with the same code."""
    rows = slice(None, None, max(1, len(patterns) // PROBED))
    some, shown = patterns[rows], code[rows]
    means = np.stack(
        [some[shown == value].mean(0) if (shown == value).any() else some[0] for value in range(code.max() + 1)]
    )
    return float(((some - means[shown]) ** 2).sum(1).mean())
