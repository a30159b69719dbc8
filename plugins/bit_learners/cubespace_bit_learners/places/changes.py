"""Places by what changes, for scenes with depth: things hide what is behind them, and shadows fall on others.

There, what a place shows depends on what is elsewhere, so that its pixels vary with those of other places. But pixels
of one place *change* together, and some of them change only if the place does: they are read. The others, which show
the top of what stands below or the shadow of what stands beside, are drawn by what those places show.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray

from cubespace.base.arrays import Images
from cubespace.base.options import option
from cubespace_bit_learners.places.camera import CameraOptions
from cubespace_bit_learners.places.context import ContextOptions, Seen, find_context
from cubespace_bit_learners.places.events import EventOptions, Score, changing_alone, score_events
from cubespace_bit_learners.places.finder import (
    AVERAGED_PICTURES,
    GROUPED_PICTURES,
    MIN_PIXELS,
    SCORED_PAIRS,
    WHITE,
    Place,
    Places,
    most_pairs,
)
from cubespace_bit_learners.places.grouping import group_pixels
from cubespace_bit_learners.places.lit import Lit, mean_of
from cubespace_bit_learners.places.values import KINDS, Compared, Kind, learn_values

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

UNLIKE = 3.0  # factor by which the noise of pixels may differ
ROUNDING = 1.0  # grey levels, by which pixels may differ that show the same
LEAST_CORE = 4  # pixels by which a place is read
CHANGED = 20.0  # grey levels that stand for a change, so that pixels that hardly ever change do not count


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class ChangeOptions(ContextOptions):
    """When places are looked for by what changes, and how they are read."""

    changed_coverage: float = option(
        0.97,
        "coverage of held-out pairs below which places are looked for by what changes together, too, if the camera "
        "does not move",
        and_(ge(0.0), le(1.0)),
    )
    changed_tie: float = option(
        0.01,
        "such places whose events take as many bits, up to this fraction, are equally good; then those are taken whose "
        "values lack the least",
        ge(0.0),
    )
    most_unexplained: float = option(
        0.3,
        "share of all variance that such places may leave unexplained where there are no others",
        and_(ge(0.0), le(1.0)),
    )
    change: float = option(
        6.0, "a pixel has changed if it differs by more than this multiple of what it mostly differs by", gt(1.0)
    )
    core: float = option(
        0.2,
        "share of the pixels of such a place by which it is read: those that change if most of it does, and only then",
        and_(gt(0.0), le(1.0)),
    )


@attrs.frozen(eq=False)
class _Way:
    """A way to group pixels by their changes, and how simple it makes the world."""

    groups: list[Numbers]  # of flat pixels
    cores: list[NDArray[np.bool_]]  # of each group
    kind: Kind
    score: Score
    values: int
    lost: float  # what stays in the pixels that are read, and values lack

    @property
    def read(self) -> list[Numbers]:
        """Return the pixels by which each place is read."""
        return [pixels[core] for pixels, core in zip(self.groups, self.cores, strict=True)]


@attrs.frozen(kw_only=True)
class LearnerOptions(CameraOptions, ChangeOptions):
    """How places are found, whatever the camera does and whatever the scene is like."""


def find_changed_places(before: Images, after: Images, options: LearnerOptions, most: float) -> Places | None:
    """Return the places of pixels that change together, read by those that say most; None if there are none.

    Of the variance of pixels, they leave at ``most`` this share unexplained: places that ignore a part of the picture
    make a simple world.
    """
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(len(before))[: most_pairs(before.shape[1:])]
    old, new = (images.reshape(len(images), -1)[order] for images in (before, after))
    light = np.ones(len(order), dtype=np.float32)
    compared, colours = Compared(old, new, light, light), before.shape[3] if before.ndim == 4 else 1
    changes = _changes(compared.first(GROUPED_PICTURES), colours, options)
    labels = group_pixels(changes[:, :, None] * np.float32(CHANGED), rng, options)
    tried = [way for label in labels for way in _tried(compared, changes, label, colours, options)]
    for way in _in_turn(tried, options) if tried else ():
        found = _finish(before.shape[1:], compared, way, options)
        if found is not None and found.unexplained <= most:
            return found
    return None


def simpler(usual: Places, before: Images, after: Images, options: LearnerOptions) -> Places:
    """Return places by what changes if they are simpler and explain as much as the usual ones; else these."""
    known = bool(usual.places) and not usual.overflow
    most = usual.unexplained + options.spread_margin if known else options.most_unexplained
    changed = find_changed_places(before, after, options, most)
    if changed is None or changed.overflow:
        return usual
    fewer = changed.score.bits < usual.score.bits and changed.score.coverage > usual.score.coverage
    return changed if fewer or not known else usual


def _changes(compared: Compared, colours: int, options: ChangeOptions) -> Floats:
    """Return which pixels change in which pairs, as 0 and 1: (pairs, pixels).

    A pixel mostly differs by noise, unless it changes in most pairs: then it differs by much more than others do.
    """
    before, after = compared.sides()
    blocks = before.blocks(colours)
    usual = [np.median(_apart(before, after, block, colours), 0) + ROUNDING for block in blocks]
    most = UNLIKE * float(np.median(np.concatenate(usual)))
    changed = [
        _apart(before, after, block, colours) > options.change * np.minimum(noise, most)
        for block, noise in zip(blocks, usual, strict=True)
    ]
    return np.concatenate(changed, axis=1).astype(np.float32)


def _apart(before: Lit, after: Lit, block: slice, colours: int) -> Floats:
    """Return how far the colours of each pixel of a block are apart: (pairs, pixels)."""
    apart = (after.pixels(block) - before.pixels(block)).reshape(len(before), -1, colours)
    return np.asarray(np.sqrt(np.square(apart).sum(2)), dtype=np.float32)


def _tried(compared: Compared, changes: Floats, label: Numbers, colours: int, options: LearnerOptions) -> list[_Way]:
    """Return how simple the values of some groups make the world, by each kind of values that are not too many."""
    located = [np.flatnonzero(label == number) for number in range(label.max() + 1)]
    located = [pixels for pixels in located if len(pixels) >= max(MIN_PIXELS, LEAST_CORE)]
    if len(located) < 2:
        return []
    located = _with_others(compared, changes, located, colours, options)
    cores = [np.repeat(core_of(changes[:, pixels], options.core), colours) for pixels in located]
    groups = [(pixels[:, None] * colours + np.arange(colours)).ravel() for pixels in located]
    read = [pixels[core] for pixels, core in zip(groups, cores, strict=True)]
    learned = learn_values(compared.first(SCORED_PAIRS), read, options, KINDS, hasty=True)
    return [
        _Way(
            groups,
            cores,
            kind,
            _score(each.codes, options),
            int((each.codes.max((0, 1)) + 1).sum()),
            each.lost,
        )
        for kind, each in zip(KINDS, learned, strict=True)
        if not each.overflow
    ]


def _with_others(
    compared: Compared, changes: Floats, located: list[Numbers], colours: int, options: LearnerOptions
) -> list[Numbers]:
    """Return groups of pixels with those in no group that differ more when a group changes than by chance.

    They hardly say anything, such as a faint shadow, but are to be drawn, and something draws them.
    """
    inside = np.concatenate(located)
    usual = np.stack([changes[:, pixels].mean(1) for pixels in located], axis=1)
    usual = (usual - usual.mean(0)) / np.maximum(usual.std(0), 1e-6)  # (pairs, groups)
    before, after = compared.first(len(changes)).sides()
    joined = [[pixels] for pixels in located]
    for block in before.blocks(colours):
        numbers = np.arange(block.start // colours, block.stop // colours)
        rest = ~np.isin(numbers, inside)
        apart = _apart(before, after, block, colours)[:, rest]
        apart = (apart - apart.mean(0)) / np.maximum(apart.std(0), 1e-6)
        together = np.square(apart.T @ usual / len(changes))  # (pixels, groups)
        nearest, sure = together.argmax(1), together.max(1) > options.pixel_correlation / len(changes)
        for group in range(len(located)):
            joined[group].append(numbers[rest][sure & (nearest == group)])
    return [np.sort(np.concatenate(parts)) for parts in joined]


def _score(codes: Numbers, options: EventOptions) -> Score:
    return score_events(codes[0], codes[1], options)


def core_of(changes: Floats, share: float) -> NDArray[np.bool_]:
    """Return which pixels of a place change when most of it does, and only then: (pixels,), given (pairs, pixels).

    By their correlation with the mean over the place. Worked example: of three pixels, two change in pairs 1 and 4, the
    third in 2 and 4, as a shadow does: the first two are the core.
    """
    usual = changes.mean(1) - changes.mean()
    apart = changes - changes.mean(0)
    together = apart.T @ usual / np.sqrt(np.maximum((apart**2).sum(0), 1e-9))
    count = max(LEAST_CORE, round(share * changes.shape[1]))
    core = np.zeros(changes.shape[1], dtype=np.bool_)
    core[np.argsort(-together, kind="stable")[:count]] = True
    return core


def _in_turn(ways: list[_Way], options: LearnerOptions) -> list[_Way]:
    """Return the ways whose events occur again, those that take the fewest bits first; of equals, what loses least."""
    least = options.min_coverage * max(way.score.coverage for way in ways)
    fitting = sorted((way for way in ways if way.score.coverage >= least), key=lambda way: way.score.bits)
    ordered: list[_Way] = []
    while fitting:
        most = fitting[0].score.bits * (1 + options.changed_tie)
        equal = [way for way in fitting if way.score.bits <= most]
        ordered += sorted(equal, key=lambda way: (way.lost, way.values))
        fitting = fitting[len(equal) :]
    return ordered


def _finish(shape: tuple[int, ...], compared: Compared, way: _Way, options: LearnerOptions) -> Places | None:
    """Learn the values of all places from all pairs, and how places show in each other."""
    learned = learn_values(compared, way.read, options, (way.kind,))[0]
    codes = learned.codes
    useful = np.flatnonzero(codes.max((0, 1)) > 0)
    kept = useful[~changing_alone(codes[0][:, useful], codes[1][:, useful], options)]
    if len(kept) < 2:
        return None
    codes = codes[:, :, kept]
    places = tuple(
        Place(
            way.groups[each],
            compared.patterns(codes[:, :, number], way.groups[each], AVERAGED_PICTURES) / np.float32(WHITE),
            way.cores[each],
        )
        for number, each in enumerate(kept.tolist())
    )
    pictures = compared.some(GROUPED_PICTURES)
    mean = mean_of(pictures) / np.float32(WHITE)
    half = len(pictures) // 2
    seen = Seen(pictures, np.concatenate([codes[0][:half], codes[1][len(compared.after) - half :]]))
    context, left = find_context(seen, places, options)
    background = np.setdiff1d(np.arange(len(mean)), np.concatenate([place.pixels for place in places]))
    total, beyond = seen.variance(np.arange(len(mean))), seen.variance(background)
    return Places(
        shape,
        mean,
        places,
        None,
        learned.overflow,
        (left + beyond) / max(total, 1e-9),
        _score(codes, options),
        context=context,
    )
