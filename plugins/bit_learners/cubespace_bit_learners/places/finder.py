"""Places: groups of pixels that vary together, the values that each place takes, and the events that change them.

Everything is learned from pairs of pictures, before and after an action; nothing is assumed about where things are. A
pixel belongs to one place or, if it never says anything, to the background. A picture is then a row of values, one for
each place, and a transition is an event: the places that changed, each with its old and its new value.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace_bit_learners.places.events import Codes, Score, exogenous, score_events
from cubespace_bit_learners.places.grouping import group_pixels
from cubespace_bit_learners.places.light import Light, find_light, relative_light
from cubespace_bit_learners.places.values import LOOSE, TIGHT, Compared, learn_values

Images = NDArray[np.uint8]  # (pictures, height, width) or (pictures, height, width, 3)
Flat = NDArray[np.uint8]  # (pictures, pixels), colours counted separately
Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

WHITE = 255.0
GROUPED_PICTURES = 2000  # a squared correlation over so many is exact to 1/2000
SCORED_PAIRS = 2500  # on which each cut is tried; the best is then learned from all
MOST_PAIRS = 6000  # from which values are learned
ALIKE = 0.01  # of the bits: cuts that differ by less are equally good, the one with the fewest values is taken
LOSSY = 1.03  # times the unexplained variance of the best cut: cuts that leave more lose something
AGAIN = 0.5  # of the best coverage of any cut
ROUNDED = 1e-3  # of all variance: less than that is not missed
AVERAGED = 200  # pictures of which a pattern is the mean: leaves 1/14 of the noise
MARGIN = 10.0  # logits between the two most alike patterns of a place: a probability of .99995
FEWEST_PIXELS = 2  # of a place: one pixel alone varies with nothing
CHUNK = 1000  # pictures turned to floats at once


@attrs.frozen(eq=False)
class Place:
    """Some pixels, and the patterns that they show: one for each value."""

    pixels: Numbers  # (size,), of the flat picture
    patterns: Floats  # (values, size), from 0 to 1


@attrs.frozen(eq=False)
class Linear:
    """Places as the weights of an encoder and a decoder; pixels are from 0 to 1, divided by the light if it varies.

    ``pixels @ weight + bias`` are logits of which softmax within a place gives the probability of each value;
    ``bits @ patterns + background`` is the picture. Bit ``i`` is about place ``place[i]``.
    """

    weight: Floats  # (pixels, bits)
    bias: Floats  # (bits,)
    patterns: Floats  # (bits, pixels)
    background: Floats  # (pixels,), 0 inside of places
    place: Numbers  # (bits,)


@attrs.frozen(eq=False)
class Places:
    """The places of some pictures."""

    shape: tuple[int, ...]  # of a picture
    background: Floats  # (pixels,), from 0 to 1: what is seen outside of all places
    places: tuple[Place, ...]
    light: Light | None  # how to measure the light, if it varies
    overflow: bool  # whether some place has more values than can be learned: then these places do not fit
    unexplained: float  # variance of pixels around what is drawn, as a fraction of all: noise, if the places fit
    score: Score
    exogenous_pixels: Numbers = attrs.field(factory=lambda: np.zeros(0, dtype=np.intp))  # of places left out

    def encode(self, images: Images) -> Codes:
        """Return the value that each place shows: the nearest pattern."""
        linear, flat = self.linear(), images.reshape(len(images), -1)
        codes = np.zeros((len(flat), len(self.places)), dtype=np.intp)
        for first in range(0, len(flat), CHUNK):
            logits = self.pixels(flat[first : first + CHUNK]) @ linear.weight + linear.bias
            for number in range(len(self.places)):
                codes[first : first + CHUNK, number] = logits[:, linear.place == number].argmax(1)
        return codes

    def pixels(self, flat: Flat) -> Floats:
        """Return pixels from 0 to 1 as they would be under the usual light; brighter ones may be above 1."""
        return np.asarray(flat / (np.float32(WHITE) * relative_light(flat, self.light)[:, None]), dtype=np.float32)

    def draw(self, codes: Codes) -> Floats:
        """Return the pictures that show some values, (pictures, pixels), from 0 to 1."""
        drawn = np.tile(self.background, (len(codes), 1))
        for place, code in zip(self.places, codes.T, strict=True):
            drawn[:, place.pixels] = place.patterns[code]
        return drawn

    def linear(self) -> Linear:
        """Return the weights that encode to the nearest pattern and draw it.

        The square of a distance is x² - 2 x·p + p², where x² is the same for all patterns p of a place.
        """
        values = [len(place.patterns) for place in self.places]
        patterns = np.zeros((sum(values), len(self.background)), dtype=np.float32)
        sharpness, background = np.zeros(len(patterns), dtype=np.float32), self.background.copy()
        number = np.repeat(np.arange(len(values)), values)
        for index, place in enumerate(self.places):
            rows = np.flatnonzero(number == index)
            patterns[rows[:, None], place.pixels] = place.patterns
            sharpness[rows] = 2 * MARGIN / max(_smallest_distance(place.patterns), 1 / WHITE**2)
            background[place.pixels] = 0
        bias = -sharpness * (patterns**2).sum(1) / 2
        return Linear((patterns * sharpness[:, None]).T, bias, patterns, background, number)


def find_places(before: Images, after: Images, seed: int = 0) -> Places:
    """Group the pixels, learn the values of each group, and keep the grouping that makes transitions simplest."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(before))[:MOST_PAIRS]
    flat = [images.reshape(len(images), -1)[order] for images in (before, after)]
    light = find_light(*flat)
    compared = Compared(flat[0], flat[1], relative_light(flat[0], light), relative_light(flat[1], light))
    colours = before.shape[3] if before.ndim == 4 else 1
    pictures = compared.some_pictures(GROUPED_PICTURES).reshape(-1, flat[0].shape[1] // colours, colours)
    ways = [_colour_groups(label, colours) for label in group_pixels(pictures, rng)]
    ways = [groups for groups in ways if groups]
    mean, variance = pictures.mean(0).ravel() / np.float32(WHITE), pictures.var(0).ravel()
    if not ways:
        return Places(before.shape[1:], mean, (), light, False, 1.0, Score(0, 1.0, 0.0))
    tried = [cut for groups in ways for cut in _try(compared.first(SCORED_PAIRS), groups, variance)]
    return _finish(before.shape[1:], compared, _simplest(tried), mean, light)


@attrs.frozen(eq=False)
class _Cut:
    """A way to group pixels and to tell values, and what came of it."""

    groups: list[Numbers]
    kind: int  # of values, tight or loose
    score: Score
    values: int  # of all groups together
    unexplained: float  # variance, as a fraction of all
    overflow: bool


def _try(compared: Compared, groups: list[Numbers], variance: Floats) -> list[_Cut]:
    """Return what comes of some groups, with tight values and with loose ones."""
    outside = np.delete(variance, np.concatenate(groups)).sum()
    cuts = []
    for kind, learned in zip((TIGHT, LOOSE), learn_values(compared, groups, hasty=True), strict=True):
        values = int((learned.codes.max((0, 1)) + 1).sum())
        unexplained = float((learned.unexplained + outside) / variance.sum())
        cuts.append(_Cut(groups, kind, score_events(*learned.codes), values, unexplained, learned.overflow))
    return cuts


def _simplest(tried: list[_Cut]) -> _Cut:
    """Return the cut whose events need the fewest bits, and among equals the one with the fewest values.

    Only cuts that explain the pictures about as well as the best one does are compared. Cuts whose events hardly ever
    come again are left out first: they explain noise.
    """
    fitting = [cut for cut in tried if not cut.overflow] or tried
    usual = AGAIN * max(cut.score.coverage for cut in fitting)
    fitting = [cut for cut in fitting if cut.score.coverage >= usual]
    enough = LOSSY * min(cut.unexplained for cut in fitting) + ROUNDED
    fitting = [cut for cut in fitting if cut.unexplained <= enough]
    few = min(cut.score.bits for cut in fitting) * (1 + ALIKE)
    return min((cut for cut in fitting if cut.score.bits <= few), key=lambda cut: cut.values)


def _finish(shape: tuple[int, ...], compared: Compared, cut: _Cut, mean: Floats, light: Light | None) -> Places:
    """Learn the values of all groups from all pairs.

    Groups that show one value only are background, and so are those that change by themselves: no action changes them.
    """
    learned = learn_values(compared, cut.groups, (cut.kind,))[0]
    useful = np.flatnonzero(learned.codes.max((0, 1)) > 0)
    alone = exogenous(*learned.codes[:, :, useful])
    alone &= 2 * alone.sum() <= len(alone)
    background, codes = mean.copy(), learned.codes
    for number in useful[alone]:  # shown as it mostly is
        usual = np.bincount(codes[:, :, number].ravel()).argmax()
        background[cut.groups[number]] = _patterns(compared, codes[:, :, number], cut.groups[number])[usual]
    kept = useful[~alone]
    places = tuple(Place(cut.groups[each], _patterns(compared, codes[:, :, each], cut.groups[each])) for each in kept)
    left_out = np.concatenate([cut.groups[number] for number in useful[alone]] or [np.zeros(0, dtype=np.intp)])
    score = score_events(*codes[:, :, kept])
    return Places(shape, background, places, light, learned.overflow, cut.unexplained, score, left_out)


def _patterns(compared: Compared, code: Numbers, pixels: Numbers) -> Floats:
    """Return the mean pattern of each value, from 0 to 1."""
    return compared.patterns(code, pixels, AVERAGED) / np.float32(WHITE)


def _colour_groups(label: Numbers, colours: int) -> list[Numbers]:
    """Return the flat pixels of each group, given the group of each location, or -1."""
    locations = [np.flatnonzero(label == number) for number in range(label.max() + 1)]
    return [(some[:, None] * colours + np.arange(colours)).ravel() for some in locations if len(some) >= FEWEST_PIXELS]


def _smallest_distance(patterns: Floats) -> float:
    """Return the square of the distance between the two most alike patterns."""
    square = (patterns**2).sum(1)
    apart = square[:, None] + square - 2 * patterns @ patterns.T
    return float(apart[~np.eye(len(patterns), dtype=np.bool_)].min())
