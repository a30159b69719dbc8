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
from cubespace_bit_learners.places.values import KINDS, Compared, Kind, Lit, learn_values

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

ROUNDING = 1.0  # grey levels, by which pixels may differ that show the same
LEAST_CORE = 4  # pixels by which a place is read
CHANGED = 20.0  # grey levels that stand for a change, so that pixels that hardly ever change do not count


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class ChangeOptions(ContextOptions):
    """When places are looked for by what changes, and how they are read."""

    changed_coverage: float = option(
        0.97,
        "coverage of held-out pairs below which places are looked for by what changes together, too",
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
    lost: float  # of the variance of what is read, what stays and values lack
    left_out: float  # of the variance of all pixels, that of pixels in no place

    @property
    def read(self) -> list[Numbers]:
        """Return the pixels by which each place is read."""
        return [pixels[core] for pixels, core in zip(self.groups, self.cores, strict=True)]


@attrs.frozen(kw_only=True)
class LearnerOptions(CameraOptions, ChangeOptions):
    """How places are found, whatever the camera does and whatever the scene is like."""


def find_changed_places(before: Images, after: Images, options: LearnerOptions) -> Places | None:
    """Return the places of pixels that change together, read by those that say most; None if there are none."""
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(len(before))[: most_pairs(before.shape[1:])]
    old, new = (images.reshape(len(images), -1)[order] for images in (before, after))
    light = np.ones(len(order), dtype=np.float32)
    compared, colours = Compared(old, new, light, light), before.shape[3] if before.ndim == 4 else 1
    changes = _changes(compared.first(GROUPED_PICTURES), colours, options)
    pictures = compared.some(GROUPED_PICTURES)
    variance = np.concatenate([pictures.pixels(block).var(0) for block in pictures.blocks()])
    labels = group_pixels(changes[:, :, None] * np.float32(CHANGED), rng, options)
    tried = [way for label in labels for way in _tried(compared, changes, label, variance, options)]
    if not tried:
        return None
    return _finish(before.shape[1:], compared, _simplest(tried, options), options)


def simpler(usual: Places, changed: Places | None, options: LearnerOptions) -> Places:
    """Return places by what changes if they make the world simpler and explain as much; else the usual ones."""
    if changed is None or changed.overflow:
        return usual
    fewer = changed.score.bits < usual.score.bits and changed.score.coverage > usual.score.coverage
    explained = changed.unexplained <= usual.unexplained + options.spread_margin
    return changed if usual.overflow or not usual.places or (fewer and explained) else usual


def _changes(compared: Compared, colours: int, options: ChangeOptions) -> Floats:
    """Return which pixels change in which pairs, as 0 and 1: (pairs, pixels)."""
    before, after = compared.sides()
    parts = [_apart(before, after, block, colours) for block in before.blocks(colours)]
    return np.concatenate([part > options.change * (np.median(part, 0) + ROUNDING) for part in parts], axis=1).astype(
        np.float32
    )


def _apart(before: Lit, after: Lit, block: slice, colours: int) -> Floats:
    """Return how far the colours of each pixel of a block are apart: (pairs, pixels)."""
    apart = (after.pixels(block) - before.pixels(block)).reshape(len(before), -1, colours)
    return np.asarray(np.sqrt(np.square(apart).sum(2)), dtype=np.float32)


def _tried(
    compared: Compared, changes: Floats, label: Numbers, variance: Floats, options: LearnerOptions
) -> list[_Way]:
    """Return how simple the values of some groups make the world, by each kind of values that are not too many."""
    colours = len(variance) // changes.shape[1]
    located = [np.flatnonzero(label == number) for number in range(label.max() + 1)]
    located = [pixels for pixels in located if len(pixels) >= max(MIN_PIXELS, LEAST_CORE)]
    if len(located) < 2:
        return []
    cores = [np.repeat(core_of(changes[:, pixels], options.core), colours) for pixels in located]
    groups = [(pixels[:, None] * colours + np.arange(colours)).ravel() for pixels in located]
    read = [pixels[core] for pixels, core in zip(groups, cores, strict=True)]
    learned = learn_values(compared.first(SCORED_PAIRS), read, options, KINDS, hasty=True)
    inside = np.concatenate(groups)
    left_out = float(np.delete(variance, inside).sum() / max(float(variance.sum()), 1e-9))
    seen = max(float(variance[np.concatenate(read)].sum()), 1e-9)
    return [
        _Way(
            groups,
            cores,
            kind,
            _score(each.codes, options),
            int((each.codes.max((0, 1)) + 1).sum()),
            each.lost / seen,
            left_out,
        )
        for kind, each in zip(KINDS, learned, strict=True)
        if not each.overflow
    ]


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


def _simplest(ways: list[_Way], options: LearnerOptions) -> _Way:
    """Return the way whose events take the fewest bits, of those seen again; among equals, the fewest values.

    Ways are compared that leave out as little of the picture, and of what their values should tell, as others do.
    """
    for name in ("left_out", "lost"):
        least = min(float(getattr(way, name)) for way in ways) + options.spread_margin
        ways = [way for way in ways if getattr(way, name) <= least]
    least = options.min_coverage * max(way.score.coverage for way in ways)
    ways = [way for way in ways if way.score.coverage >= least]
    most = min(way.score.bits for way in ways) * (1 + options.bits_tie)
    return min((way for way in ways if way.score.bits <= most), key=lambda way: way.values)


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
    mean = np.concatenate([pictures.pixels(block).mean(0) for block in pictures.blocks()]) / np.float32(WHITE)
    half = len(pictures) // 2
    seen = Seen(pictures, np.concatenate([codes[0][:half], codes[1][len(compared.after) - half :]]))
    context, left = find_context(seen, places, options)
    background = np.setdiff1d(np.arange(len(mean)), np.concatenate([place.pixels for place in places]))
    total, beyond = seen.variance(np.arange(len(mean))), seen.variance(background)
    return Places(
        shape,
        mean.astype(np.float32),
        places,
        None,
        learned.overflow,
        (left + beyond) / max(total, 1e-9),
        _score(codes, options),
        context=context,
    )
