"""Places in pictures that no two of are alike: of a camera that moved, or of things that never lie where they lay.

Groups of pixels are found and compared as elsewhere; what their values are is seen in pairs.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np
from attrs.validators import and_, ge, le
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, distance_transform_edt, gaussian_filter

from cubespace.base.options import option
from cubespace_bit_learners.places.absorbing import AbsorbingOptions, absorbed
from cubespace_bit_learners.places.carried import CarriedOptions, carried_values
from cubespace_bit_learners.places.events import Score, changing_alone, score_events
from cubespace_bit_learners.places.finder import (
    AVERAGED_PICTURES,
    CHUNK,
    GROUPED_PICTURES,
    MAX_PAIRS,
    MORE_CUTS,
    SCORED_PAIRS,
    WHITE,
    Images,
    Place,
    Places,
    PlacesOptions,
    colour_groups,
)
from cubespace_bit_learners.places.grouping import group_pixels
from cubespace_bit_learners.places.steady import SteadyValues, steady_pixels, steady_values, unexplained
from cubespace_bit_learners.places.values import Compared

BLURRED = 2  # pixels, how far a lens and the registration spread what is seen

Numbers = NDArray[np.intp]
Learn = Callable[[Compared, list[Numbers], "CameraOptions"], SteadyValues | None]


@attrs.frozen(kw_only=True)
class CameraOptions(PlacesOptions, CarriedOptions, AbsorbingOptions):
    """How places are found, whatever the camera does."""

    camera_loss: float = option(
        1.2,
        "if the camera moves: variance that a way to group pixels may leave unexplained, as a multiple of what the "
        "best one leaves; what is left of its motion, and of neighbours, is not to be explained",
        ge(1.0),
    )
    camera_margin: float = option(
        0.005, "if the camera moves: fraction of all variance by which it may exceed that", and_(ge(0.0), le(1.0))
    )
    camera_idle: float = option(
        0.02,
        "if the camera moves: share of the pairs that show no change at all to a way to group pixels, by which it may "
        "exceed that of the others: these see what it takes for the same",
        and_(ge(0.0), le(1.0)),
    )
    camera_tie: float = option(0.01, "as bits_tie, if the camera moves", ge(0.0))


@attrs.frozen(eq=False)
class _Way:
    """A way to group pixels, the values of the groups and how simple they make the world."""

    groups: list[Numbers]
    codes: Numbers  # (2, pairs, groups)
    score: Score
    values: int
    overflow: bool  # whether some group has too many values
    unexplained: float  # variance, as a fraction of that of all pixels that show something that stays
    idle: float  # share of the pairs in which nothing changes but what changes on its own


def find_steady_places(before: Images, after: Images, options: CameraOptions) -> Places:
    """Return the places of pictures that were registered: what is drawn anew in each of them is no value."""
    found = _find(before, after, options, steady_values)
    assert found is not None  # there are always values, perhaps of no place
    return found


def find_carried_places(before: Images, after: Images, options: CameraOptions) -> Places | None:
    """Return places whose values are things that actions carry; None if nothing is clearly carried.

    What they are is seen in smoothed pictures, where a thing that lies a little to the left looks much the same.
    """
    smooth = [_smoothed(images, options.carried_blur) for images in (before, after)]
    compared = _compared(before, after, np.arange(len(before)))
    found = _find(smooth[0], smooth[1], options, carried_values, sharp=compared)
    if found is None:
        return None
    codes = np.stack([found.encode(images) for images in smooth])  # (2, pairs, places)
    sharp = [
        compared.patterns(codes[:, :, number], place.pixels, AVERAGED_PICTURES) / np.float32(WHITE)
        for number, place in enumerate(found.places)
    ]
    places = tuple(Place(place.pixels, shown) for place, shown in zip(found.places, sharp, strict=True))
    mean = compared.pictures(GROUPED_PICTURES).mean(0) / np.float32(WHITE)
    return attrs.evolve(found, places=places, background=mean)


def _smoothed(images: Images, blur: float) -> Images:
    sizes = (0.0, blur, blur, *[0.0] * (images.ndim - 3))
    parts = [images[first : first + CHUNK].astype(np.float32) for first in range(0, len(images), CHUNK)]
    return np.concatenate([np.rint(gaussian_filter(part, sizes, mode="nearest")).astype(np.uint8) for part in parts])


def _compared(before: Images, after: Images, rows: Numbers) -> Compared:
    """Return some pairs to be compared in the light in which they are."""
    old, new = (images.reshape(len(images), -1)[rows] for images in (before, after))
    light = np.ones(len(rows), dtype=np.float32)
    return Compared(old, new, light, light)


def _find(
    before: Images, after: Images, options: CameraOptions, learn: Learn, sharp: Compared | None = None
) -> Places | None:
    """Try ways to group the pixels that show something that stays, and learn the values of the best one.

    Pixels are grouped in ``sharp`` pictures, too, if these are smoothed ones.
    """
    rng = np.random.default_rng(options.seed)
    compared = _compared(before, after, rng.permutation(len(before))[:MAX_PAIRS])
    colours = before.shape[3] if before.ndim == 4 else 1
    located = _located(compared, colours, options)
    pictures = compared.pictures(GROUPED_PICTURES)
    mean = pictures.mean(0) / np.float32(WHITE)
    looked_at = [pictures] if sharp is None else [pictures, sharp.pictures(GROUPED_PICTURES)]
    labels = [label for each in looked_at for label in group_pixels(_seen(each, located), rng, options)]
    labels += _staying(compared, located, before.shape[1:3], rng, options) if sharp is None else []
    labels = list({label.tobytes(): label for label in labels}.values())
    ways = [colour_groups(label, colours) for label in labels]
    variance = np.where(np.repeat(located, colours), pictures.var(0), 0)
    scored = compared.first(SCORED_PAIRS)
    inner = [_inner(groups, before.shape[1:3], colours) for groups in ways]
    cores = [each for each in zip(ways, inner, strict=True) if each[0]]
    tried = [_tried(scored, groups, core, variance, options, learn) for groups, core in cores]
    known = [way for way in tried if way is not None]
    for way in tuple(known):
        groups = absorbed(way.groups, way.codes, options)
        if len(groups) < len(way.groups):
            core = _inner(groups, before.shape[1:3], colours)
            more = _tried(scored, groups, core, variance, options, learn)
            known += [] if more is None else [more]
    if not known:
        empty = Places(before.shape[1:], mean, (), None, False, 1.0, Score(0, 1.0, 0.0))
        return None if learn is carried_values else empty
    return _finish(before.shape[1:], compared, _simplest(known, options), mean, options, learn)


def _located(compared: Compared, colours: int, options: CameraOptions) -> NDArray[np.bool_]:
    """Return which locations show something that stays, in any colour."""
    some = compared.first(GROUPED_PICTURES)
    stays = steady_pixels(some.before.astype(np.float32), some.after.astype(np.float32), options.pixel_correlation)
    located: NDArray[np.bool_] = stays.reshape(-1, colours).max(1)
    return located


def _seen(pictures: NDArray[np.float32], located: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return pictures as (pictures, locations, colours), black where they show nothing that stays."""
    return pictures.reshape(len(pictures), len(located), -1) * located[None, :, None]


def _staying(
    compared: Compared,
    located: NDArray[np.bool_],
    size: tuple[int, ...],
    rng: np.random.Generator,
    options: CameraOptions,
) -> list[Numbers]:
    """Return ways to group pixels by what varies together in a picture and in the next one.

    Worked example: each of three pegs shows at its foot whether it has the widest disk, so their feet vary together.
    In the next picture another one may have it, but the peg that has it shows it as a whole.
    """
    some = compared.first(GROUPED_PICTURES)
    before, after = (_seen(images.astype(np.float32), located) for images in (some.before, some.after))
    staying = group_pixels(before, rng, options, later=after)
    return [_with_edges(label, located, size) for label in staying[:MORE_CUTS]]


def _with_edges(label: Numbers, located: NDArray[np.bool_], size: tuple[int, ...]) -> Numbers:
    """Return the group of each pixel, with those at the edges of groups, which show hardly anything that stays."""
    apart, nearest = distance_transform_edt(label.reshape(size) < 0, return_indices=True)
    edge = (label < 0) & located & (apart.ravel() <= BLURRED)
    return np.where(edge, label.reshape(size)[tuple(nearest)].ravel(), label)


def _inner(groups: list[Numbers], size: tuple[int, ...], colours: int) -> list[Numbers]:
    """Return the pixels of each group that are not next to another group, which adds to them as pictures are blurred.

    Of a group that would be less than a third of itself, more is kept.
    """
    owner = np.full(size[0] * size[1], -1, dtype=np.intp)
    for number, pixels in enumerate(groups):
        owner[pixels[::colours] // colours] = number
    owner = owner.reshape(size)
    inner = []
    for number, pixels in enumerate(groups):
        others = (owner >= 0) & (owner != number)
        kept = pixels
        for reach in range(BLURRED, 0, -1):
            far = ~binary_dilation(others, np.ones((3, 3)), iterations=reach).ravel()
            if 3 * far[pixels // colours].sum() >= len(pixels):
                kept = pixels[far[pixels // colours]]
                break
        inner.append(kept)
    return inner


def _tried(
    compared: Compared,
    groups: list[Numbers],
    inner: list[Numbers],
    variance: NDArray[np.float32],
    options: CameraOptions,
    learn: Learn,
) -> _Way | None:
    """Return how simple the values of some groups make the world; None if there are none."""
    learned = learn(compared, inner, options)
    if learned is None:
        return None
    codes = learned.codes
    score = score_events(codes[0], codes[1], options)
    left = float(np.delete(variance, np.concatenate(groups)).sum())
    for pixels, code in zip(groups, codes.transpose(2, 0, 1), strict=True):
        left += unexplained(compared.look(pixels), code.ravel())
    values = int((codes.max((0, 1)) + 1).sum())
    alone = changing_alone(codes[0], codes[1], options)
    idle = float((codes[0] == codes[1])[:, ~alone].all(1).mean())
    return _Way(groups, codes, score, values, learned.overflow, left / max(float(variance.sum()), 1e-9), idle)


def _simplest(ways: list[_Way], options: CameraOptions) -> _Way:
    """Return the way whose events take the fewest bits, of those seen again; among equals, the fewest values."""
    fitting = [way for way in ways if not way.overflow] or ways
    least = options.min_coverage * max(way.score.coverage for way in fitting)
    fitting = [way for way in fitting if way.score.coverage >= least]
    lost = options.camera_loss * min(way.unexplained for way in fitting) + options.camera_margin
    fitting = [way for way in fitting if way.unexplained <= lost]
    idle = min(way.idle for way in fitting) + options.camera_idle
    fitting = [way for way in fitting if way.idle <= idle]
    most = min(way.score.bits for way in fitting) * (1 + options.camera_tie)
    return min((way for way in fitting if way.score.bits <= most), key=lambda way: way.values)


def _finish(
    shape: tuple[int, ...],
    compared: Compared,
    way: _Way,
    mean: NDArray[np.float32],
    options: CameraOptions,
    learn: Learn,
) -> Places | None:
    """Learn the values of all groups from all pairs; groups with one value, or that change alone, are background."""
    colours = shape[2] if len(shape) == 3 else 1
    learned = learn(compared, _inner(way.groups, shape[:2], colours), options)
    if learned is None:
        return None
    codes = learned.codes
    useful = np.flatnonzero(codes.max((0, 1)) > 0)
    alone = changing_alone(codes[0][:, useful], codes[1][:, useful], options)
    kept, left = useful[~alone], useful[alone]
    patterns = [compared.patterns(codes[:, :, each], way.groups[each], AVERAGED_PICTURES) for each in kept]
    places = tuple(
        Place(way.groups[each], shown / np.float32(WHITE)) for each, shown in zip(kept, patterns, strict=True)
    )
    pixels = np.concatenate([way.groups[each] for each in left] or [np.zeros(0, dtype=np.intp)])
    variance = float(compared.pictures(GROUPED_PICTURES).var(0).sum())
    score = score_events(codes[0][:, kept], codes[1][:, kept], options)
    return Places(
        shape, mean.copy(), places, None, learned.overflow, learned.unexplained / max(variance, 1e-9), score, pixels
    )
