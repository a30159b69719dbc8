"""Clusters of patterns: by a limit of distances, or by the largest gap in a tree of merges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, fcluster
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]

LINKED_PATTERNS = 400  # of which a tree is made
MEAN_ROUNDS = 3  # of k-means
OVERLOOKED = 4  # times as many patterns as a common value has: of twelve expected, chance never leaves two


def clear_clusters(patterns: Floats, floor: float, common: int, most: int) -> Numbers:
    """Return the cluster of each pattern, of those that the largest gap in a tree of merges separates.

    The tree is by average linkage of some patterns. Their squared distances, within a value, may come from noise, bad
    pixels, a shadow or a lens; ``floor`` is what rounding adds. Clusters of fewer patterns than are ``common`` are
    outliers and become part of others, and so do those whose means are nearer than half of what the tree keeps apart,
    and those that turn out to be as rare among all patterns: a few that share bad pixels.
    """
    probes = _probes(patterns)
    tree = _tree(probes)
    few = np.arange(len(tree) - 1) >= len(tree) - most  # merges that leave few enough clusters
    gaps = np.where(few, np.diff(np.log(tree[:, 2] + floor)), -1.0)
    cut = int(gaps.argmax())
    member = fcluster(tree, tree[cut, 2], "distance") - 1
    count = np.bincount(member)
    within = ((probes - means(probes, member)[member]) ** 2).sum(1).mean()
    reach = max(0.0, tree[cut + 1, 2] - 2 * within) / 2
    part_of = _merged(means(probes, member), count, np.full(len(count), reach))
    kept = np.unique(part_of[count >= min(common, int(count.max()))])
    points = patterns.astype(np.float64)
    centres = means(probes, part_of[member])[kept]
    if reach > within:
        height = np.sqrt((tree[cut, 2] + floor) * (tree[cut + 1, 2] + floor)) - floor
        centres = np.concatenate([centres, _overlooked(points, centres, within + reach, height, common)])
    code = _nearest(points, centres)
    for _ in range(MEAN_ROUNDS):
        code = _nearest(points, means(points, code))
    count = np.bincount(code)
    kept = np.flatnonzero(count * len(probes) >= min(common * len(points), int(count.max()) * len(probes)))
    return _nearest(points, means(points, code)[kept])


def _overlooked(points: Doubles, centres: Doubles, limit: float, height: float, common: int) -> Doubles:
    """Return the means of further clusters, of points whose squared distance to each centre is above a limit.

    A value that one in a hundred pictures shows is missing in some samples of hundreds. The tree of what is left is
    cut at the same height. Clusters that are not as common as others must be are bad pixels; those that are much more
    common than that would have been seen.
    """
    square = (centres**2).sum(1)
    away = (points**2).sum(1) + (square - 2 * points @ centres.T).min(1)
    left = points[away > limit]
    probes = _probes(left)
    if len(probes) < max(2, common):
        return centres[:0]
    member = fcluster(_tree(probes), height, "distance") - 1
    expected = np.bincount(member) * (len(left) / len(probes) * LINKED_PATTERNS / len(points))
    return means(probes, member)[(expected >= common) & (expected < OVERLOOKED * common)]


def _probes(patterns: Floats | Doubles) -> Doubles:
    """Return so many patterns, evenly spread, that a tree can be made of them."""
    return patterns[:: max(1, len(patterns) // LINKED_PATTERNS)].astype(np.float64)


def _tree(probes: Doubles) -> Doubles:
    """Return the tree of merges of some points, by the average of their squared distances."""
    square = (probes**2).sum(1)
    apart = np.maximum(square[:, None] + square - 2 * probes @ probes.T, 0.0)
    return np.asarray(average(squareform(apart, checks=False)))


def most_different(points: Doubles, limit: float, most: int) -> Doubles:
    """Return points such that all others are within a limit of one, each farthest from those before it.

    It stops once there are more than ``most``.
    """
    distance, chosen = np.full(len(points), np.inf), points[:0]
    while distance.max() > limit and len(chosen) <= most:
        chosen = np.concatenate([chosen, points[[distance.argmax()]]])
        distance = np.minimum(distance, ((points - chosen[-1]) ** 2).sum(1))
    return chosen


def cluster(points: Doubles, limit: float, common: int, rare_reach: float, most: int) -> Numbers:
    """Return the cluster of each point, numbered without gaps; clusters whose means are within the limit are one.

    Those of fewer points than are ``common`` reach further.
    """
    if points.shape[1] == 0:
        return np.zeros(len(points), dtype=np.intp)
    code = _nearest(points, most_different(points, limit, most))
    for _ in range(MEAN_ROUNDS):
        code = _nearest(points, means(points, code))
    count = np.bincount(code)
    reach = np.where(count < common, rare_reach * limit, limit)
    code = _merged(means(points, code), count, reach)[code]
    used = np.unique(code)
    return _nearest(points, means(points, code)[used])


def _nearest(points: Doubles, centres: Doubles) -> Numbers:
    """Return the nearest centre of each point, numbered among those that are nearest to any."""
    code = ((centres**2).sum(1) - 2 * points @ centres.T).argmin(1)
    used = np.bincount(code, minlength=len(centres)) > 0
    return np.asarray((np.cumsum(used) - 1)[code])


def means(points: Doubles | Floats, code: Numbers) -> Doubles:
    """Return the mean of the points of each code; codes that are not used have zeros."""
    count = np.bincount(code)
    member = csr_array((np.ones(len(code)), code, np.arange(len(code) + 1)), (len(code), len(count)))
    centres: Doubles = (member.T @ points) / np.maximum(count, 1)[:, None]
    return centres


def _merged(centres: Doubles, count: Numbers, reach: Doubles) -> Numbers:
    """Return for each centre the larger one within its reach that it is part of, or itself."""
    part_of = np.arange(len(centres))
    kept: list[int] = []
    for centre in np.argsort(-count).tolist():
        apart = ((centres[kept] - centres[centre]) ** 2).sum(1)
        if kept and apart.min() <= reach[centre]:
            part_of[centre] = kept[int(apart.argmin())]
        else:
            kept.append(centre)
    return part_of
