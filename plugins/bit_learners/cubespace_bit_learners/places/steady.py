"""Values where every picture is a little different: what is drawn anew in each picture is not a value.

How pictures differ because a camera moved is gone in the next one; a value stays, or an action changes it. So patterns
are cut into many small clusters first. Two of them are one value unless pairs tell them apart: what comes after them,
and what was there before.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import ge
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.clusters import means
from cubespace_bit_learners.places.determined import DeterminedOptions, determined
from cubespace_bit_learners.places.joining import JoiningOptions, one_value
from cubespace_bit_learners.places.repeating import RepeatingOptions, repeating
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

AXES = 20  # along which patterns differ most, compared with noise
CENTRED = 4000  # patterns from which clusters are made
MEAN_ROUNDS = 8  # of k-means
LEAST_PART = 20  # patterns of a small cluster of one value
CUT_AGAIN = 1  # rounds
MOST_SURE = 8  # clusters that may all be values
PROBED = 2000  # patterns by which it is seen how much values leave unexplained


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class SteadyOptions(ValueOptions, JoiningOptions, RepeatingOptions, DeterminedOptions):
    """Which patterns are one value if the camera moves."""

    clusters: int = option(
        64, "small clusters that the patterns of a group of pixels are cut into, if the camera moves", ge(2)
    )
    cluster_pairs: int = option(
        40, "pairs that such a cluster must have on average, else there are fewer of them", ge(1)
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
    found_codes, most = [], []
    for pixels in groups:
        patterns = compared.look(pixels)
        found = noise_free(patterns, ROUNDING_VARIANCE * max(1.0, len(pixels) / MAX_DIMENSIONS), options)
        points = found.points[:, -AXES:]  # the last ones differ most
        count = min(options.clusters, max(2, len(points) // 2 // options.cluster_pairs))
        code = _values(points, count, options)
        found_codes.append(code.reshape(2, -1))
        most.append(max(count, MOST_SURE) // 2)
    codes = determined(repeating(np.stack(found_codes, axis=-1), compared, groups, options), options)
    codes = determined(_as_read(codes, compared, groups), options)
    left = sum(unexplained(compared.look(pixels), codes[:, :, group].ravel()) for group, pixels in enumerate(groups))
    return SteadyValues(codes, left, bool((codes.max((0, 1)) + 1 > most).any()))


def _as_read(codes: Numbers, compared: Compared, groups: list[Numbers]) -> Numbers:
    """Return codes as they are read: the value of each group is the one whose mean pattern is nearest."""
    read = codes.copy()
    for group, pixels in enumerate(groups):
        patterns = compared.look(pixels)
        code = _nearest(patterns, means(patterns, codes[:, :, group].ravel()))
        read[:, :, group] = np.unique(code, return_inverse=True)[1].reshape(codes.shape[:2])
    return read


def _values(points: Doubles, count: int, options: SteadyOptions) -> Numbers:
    """Return the value of each point, first all before and then all after.

    Frequent values have most of the small clusters, and rare ones share theirs with others. So what was found is cut
    into clusters again, as many for a rare value as for a frequent one.
    """
    small = clusters(points, count, np.random.default_rng(count), LEAST_PART)
    for _ in range(CUT_AGAIN):
        code = one_value(small.reshape(2, -1), means(points, small), options)[small]
        small = _cut_again(points, code, count)
    return one_value(small.reshape(2, -1), means(points, small), options)[small]


def _cut_again(points: Doubles, code: Numbers, count: int) -> Numbers:
    """Return small clusters of each value, about ``count`` in all."""
    small, known = np.zeros_like(code), 0
    for value in range(int(code.max()) + 1):
        rows = np.flatnonzero(code == value)
        parts = max(1, min(count // (int(code.max()) + 1), len(rows) // LEAST_PART))
        small[rows] = known + clusters(points[rows], parts, np.random.default_rng(value), LEAST_PART)
        known = int(small[rows].max()) + 1
    return small


def clusters(points: Doubles, count: int, rng: np.random.Generator, least: int = 1) -> Numbers:
    """Return the small cluster of each point, by k-means from centres that are far apart; numbered without gaps.

    Of a cluster with fewer than ``least`` points it could not be seen what comes after it; they join others.
    """
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
    size = np.bincount(_nearest(points, centres), minlength=len(centres))
    centres = centres[size >= min(least, int(size.max()))]
    return np.unique(_nearest(points, centres), return_inverse=True)[1]


def _nearest(points: Doubles | Floats, centres: Doubles) -> Numbers:
    return np.asarray(((centres**2).sum(1) - 2 * points @ centres.T).argmin(1), dtype=np.intp)


def unexplained(patterns: Floats | Doubles, code: Numbers) -> float:
    """Return the mean square of the distance between patterns and the mean of those with the same code."""
    rows = slice(None, None, max(1, len(patterns) // PROBED))
    some, shown = patterns[rows], code[rows]
    means = np.stack(
        [some[shown == value].mean(0) if (shown == value).any() else some[0] for value in range(code.max() + 1)]
    )
    return float(((some - means[shown]) ** 2).sum(1).mean())
