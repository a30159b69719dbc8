"""Values by what actions carry: a thing that is put down never lies as it lay before, but it is the same thing.

Patterns are cut into many small clusters, such as a block a little to the left. In a pair that changes two places,
whatever was in one before is in the other after. The clusters of all places, joined by such moves, fall into one part
for each thing; an empty place is a thing, too. A nuisance is never carried.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, lt
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.steady import AXES, SteadyOptions, SteadyValues, clusters, unexplained
from cubespace_bit_learners.places.values import (
    MAX_DIMENSIONS,
    ROUNDING_VARIANCE,
    Compared,
    noise_free,
)

Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]

MOST_NODES = 2400  # of the graph: its eigenvalues take time in proportion to the cube of their number
ROUNDS = 5  # of k-means from other starts; the best one counts
LEAST_MOVES = 0.05  # share of what clusters usually have: one that has fewer moves is no node of its own


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class CarriedOptions(SteadyOptions):
    """When things are told apart by what actions carry."""

    carried_coverage: float = option(
        0.5,
        "coverage of held-out pairs below which values are looked for among what actions carry from place to place",
        and_(ge(0.0), lt(1.0)),
    )
    carried_clusters: int = option(40, "small clusters of each place, by which it is seen what is carried", ge(2))
    most_things: int = option(20, "different things that actions carry, at most", ge(2))
    carried_gap: float = option(
        0.1, "eigenvalues by which things must be apart, else nothing is carried", and_(gt(0.0), lt(1.0))
    )


def carried_values(compared: Compared, groups: list[Numbers], options: CarriedOptions) -> SteadyValues | None:
    """Return the thing that each group of pixels shows, or None if nothing is clearly carried between them."""
    per_place = min(options.carried_clusters, MOST_NODES // max(len(groups), 1))
    if len(groups) < 2 or per_place < 2:
        return None
    looks = [_look(compared, pixels, per_place, options) for pixels in groups]
    small = np.stack([look.small for look in looks], axis=-1)  # (2, pairs, places)
    moved = np.stack([look.moved for look in looks], axis=-1)  # (pairs, places)
    things = _things(small, moved, per_place, options)
    if things is None:
        return None
    table = _completed(things, looks)
    code = np.stack([table[place][small[:, :, place]] for place in range(len(groups))], axis=-1)
    used = [
        np.unique(code[:, :, place], return_inverse=True)[1].reshape(code.shape[:2]) for place in range(len(groups))
    ]
    codes = np.stack(used, axis=-1)
    left = sum(unexplained(compared.look(pixels), codes[:, :, place].ravel()) for place, pixels in enumerate(groups))
    return SteadyValues(codes, left)


@attrs.frozen(eq=False)
class _Look:
    """How a place looks."""

    small: Numbers  # (2, pairs), the small cluster of each picture
    moved: NDArray[np.bool_]  # (pairs,), whether it changes
    centres: Doubles  # (clusters, axes)


def _look(compared: Compared, pixels: Numbers, count: int, options: CarriedOptions) -> _Look:
    patterns = compared.look(pixels)
    found = noise_free(patterns, ROUNDING_VARIANCE * max(1.0, len(pixels) / MAX_DIMENSIONS), options)
    points = found.points[:, -AXES:]
    before, after = np.split(points, 2)
    moved = larger_kind(np.log(((after - before) ** 2).sum(1) + 1.0))
    small = clusters(points, count, np.random.default_rng(len(pixels)))
    centres = np.stack([points[small == number].mean(0) for number in range(small.max() + 1)])
    return _Look(small.reshape(2, -1), moved, centres)


def larger_kind(lengths: Doubles) -> NDArray[np.bool_]:
    """Return which numbers belong to the upper of two kinds, such that the kinds vary least (Otsu's rule)."""
    line = np.sort(lengths)
    below = np.arange(1, len(line))
    total = np.cumsum(line)
    apart = total[:-1] / below - (total[-1] - total[:-1]) / (len(line) - below)
    return np.asarray(lengths > line[int((below * (len(line) - below) * apart**2).argmax())])


def _things(small: Numbers, moved: NDArray[np.bool_], size: int, options: CarriedOptions) -> Numbers | None:
    """Return the thing that each cluster of each place shows, (places, size), -1 if it hardly ever moves."""
    places = small.shape[2]
    two = np.flatnonzero(moved.sum(1) == 2)
    if len(two) < places * size // 4:
        return None
    one, other = moved[two].argmax(1), places - 1 - moved[two][:, ::-1].argmax(1)
    graph = np.zeros((places * size, places * size))
    for source, target in ((one, other), (other, one)):
        np.add.at(graph, (source * size + small[0, two, source], target * size + small[1, two, target]), 1)
    graph += graph.T
    moves = graph.sum(1)
    live = np.flatnonzero(moves >= max(4.0, LEAST_MOVES * float(np.median(moves[moves > 0]))))
    graph = graph[np.ix_(live, live)]
    scale = np.sqrt(np.maximum(graph.sum(1), 1e-9))
    values, vectors = np.linalg.eigh(graph / scale[:, None] / scale)
    values, vectors = values[::-1], vectors[:, ::-1]
    gaps = values[1 : options.most_things] - values[2 : options.most_things + 1]
    if not len(gaps) or gaps.max() < options.carried_gap:
        return None
    count = int(gaps.argmax()) + 2
    spots = vectors[:, :count] / np.maximum(np.linalg.norm(vectors[:, :count], axis=1, keepdims=True), 1e-9)
    label = np.full(places * size, -1, dtype=np.intp)
    label[live] = _parts(spots, count)
    return label.reshape(places, size)


def _parts(spots: Doubles, count: int) -> Numbers:
    """Return the part of each node, by k-means of its place among the first eigenvectors; the best of some rounds."""
    tried = []
    for seed in range(ROUNDS):
        label = clusters(spots, count, np.random.default_rng(seed))
        tried.append((unexplained(spots, label), label))
    return min(tried, key=lambda each: each[0])[1]


def _completed(things: Numbers, looks: list[_Look]) -> Numbers:
    """Return the thing of every cluster: of one that hardly ever moves, that of the nearest one that does."""
    table = things.copy()
    for row, look in zip(table, looks, strict=True):
        known = np.flatnonzero(row[: len(look.centres)] >= 0)
        if not len(known):
            row[:] = 0
            continue
        for number in np.flatnonzero(row[: len(look.centres)] < 0):
            apart = ((look.centres[known] - look.centres[number]) ** 2).sum(1)
            row[number] = row[known[int(apart.argmin())]]
    return table
