"""Values by what actions carry: a thing that is put down never lies as it lay before, but it is the same thing.

Patterns are cut into many small clusters, such as a block a little to the left. In a pair that changes two places,
whatever was in one before is in the other after. The clusters of all places, joined by such moves, fall into one part
for each thing; an empty place is a thing, too. A nuisance is never carried.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le, lt
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.clusters import means
from cubespace_bit_learners.places.steady import SteadyOptions, SteadyValues, clusters, unexplained
from cubespace_bit_learners.places.values import (
    MAX_DIMENSIONS,
    ROUNDING_VARIANCE,
    Compared,
    noise_free,
)

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]

AXES = 12  # along which patterns differ most, compared with noise
MOST_NODES = 2400  # of the graph: its eigenvalues take time in proportion to the cube of their number
ROUNDS = 5  # of k-means from other starts; the best one counts
MEAN_ROUNDS = 3  # of k-means from where moves have put it
LEAST_MOVES = 0.05  # share of what clusters usually have: one that has fewer moves is no node of its own


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class CarriedOptions(SteadyOptions):
    """When things are told apart by what actions carry."""

    carried_coverage: float = option(
        0.5,
        "coverage of held-out pairs below which values are looked for among what actions carry from place to place",
        and_(ge(0.0), lt(1.0)),
    )
    carried_lost: float = option(
        0.02,
        "variance that stays from a picture to the next one and that values leave unexplained, of all, above which "
        "values are looked for there, too: things that nobody touches lie exactly where they lay",
        ge(0.0),
    )
    carried_blur: float = option(
        1.5, "pixels by which pictures are smoothed where things never lie twice in the same way", ge(0.0)
    )
    carried_clusters: int = option(40, "small clusters of each place, by which it is seen what is carried", ge(2))
    most_things: int = option(20, "different things that actions carry, at most", ge(2))
    carried_share: float = option(
        0.8,
        "share of the pairs that change two places in which these swap what they show, else nothing is carried",
        and_(ge(0.0), le(1.0)),
    )
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
    shown, left = np.empty_like(small), 0.0
    for place, pixels in enumerate(groups):
        patterns = compared.look(pixels)
        code = _nearest_mean(patterns, table[place][small[:, :, place].ravel()])
        left += unexplained(patterns, np.unique(code, return_inverse=True)[1])
        shown[:, :, place] = code.reshape(small.shape[:2])
    if swapped(shown) < options.carried_share:
        return None
    codes = [np.unique(shown[:, :, place], return_inverse=True)[1] for place in range(len(groups))]
    return SteadyValues(np.stack([code.reshape(small.shape[:2]) for code in codes], axis=-1), left)


def swapped(shown: Numbers) -> float:
    """Return in which share of the pairs that change two places these swap what they show; shown is (2, pairs, places).

    Worked example: a block goes from place 0 to the empty place 2: (block, other, empty) becomes (empty, other, block).
    """
    before, after = shown
    changed = before != after
    two = np.flatnonzero(changed.sum(1) == 2)
    if not len(two):
        return 0.0
    one, other = changed[two].argmax(1), shown.shape[2] - 1 - changed[two][:, ::-1].argmax(1)
    swap = (before[two, one] == after[two, other]) & (before[two, other] == after[two, one])
    return float(swap.mean())


def _nearest_mean(patterns: Floats, thing: Numbers) -> Numbers:
    """Return the thing whose mean pattern is nearest to each pattern: a cluster at the edge of two has some of both."""
    for _ in range(MEAN_ROUNDS):
        known, code = np.unique(thing, return_inverse=True)
        centres = means(patterns, code)
        thing = known[((centres**2).sum(1) - 2 * patterns @ centres.T).argmin(1)]
    return thing


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
    gaps = -np.diff(values[1 : options.most_things + 1])  # there may be fewer values than that
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
