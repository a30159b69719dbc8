"""Places: groups of pixels that vary together, the values that each place takes, and the events that change them.

Everything is learned from pairs of pictures, before and after an action; nothing is assumed about where things are. A
pixel belongs to one place or, if it never says anything, to the background. A picture is then a row of values, one for
each place, and a transition is an event: the places that changed, each with its old and its new value.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from attrs.validators import ge
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.context import Context
from cubespace_bit_learners.places.events import Codes, EventOptions, Score, changing_alone, score_events
from cubespace_bit_learners.places.grouping import GroupingOptions, group_lit_pixels
from cubespace_bit_learners.places.light import Light, LightOptions, find_light, relative_light
from cubespace_bit_learners.places.lit import Lit, mean_of
from cubespace_bit_learners.places.selection import Grouping, SelectionOptions, common_values, simplest
from cubespace_bit_learners.places.values import KINDS, Compared, ValueOptions, learn_values
from cubespace_bit_learners.places.variances import Variances

Images = NDArray[np.uint8]  # (pictures, height, width) or (pictures, height, width, 3)
Flat = NDArray[np.uint8]  # (pictures, pixels), colours counted separately
Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

WHITE = 255.0
GROUPED_PICTURES = 2000  # in which pixels are compared: a squared correlation is then exact to 1/2000
MORE_CUTS = 3  # of the tree of what stays, which is the same one where pictures are not spoilt
SCORED_PAIRS = 2500  # on which each way to group pixels is tried; the best is then learned from all
MAX_PAIRS = 6000  # from which values are learned …
MOST_BYTES = 1 << 29  # … and bytes of them, of large pictures …
LEAST_PAIRS = 2500  # … but not fewer than these
AVERAGED_PICTURES = 200  # of which a pattern is the mean: leaves 1/14 of the noise
MARGIN = 10.0  # logits between the two most similar patterns of a place: a probability of .99995
MIN_PIXELS = 2  # of a place: one pixel alone varies with nothing
CHUNK = 1000  # pictures converted to floats at once


@attrs.frozen(kw_only=True)
class PlacesOptions(LightOptions, GroupingOptions, ValueOptions, EventOptions, SelectionOptions):
    """How places are found."""

    seed: int = option(0, "of the choice of pixels and pictures that are compared", ge(0))


@attrs.frozen(eq=False)
class Place:
    """Some pixels, and the patterns that they show: one for each value."""

    pixels: Numbers  # (size,), of the flat picture
    patterns: Floats  # (values, size), from 0 to 1
    core: NDArray[np.bool_] | None = None  # (size,), the pixels by which it is read; None: all of them

    @property
    def unread(self) -> Numbers:
        """Return the pixels by which it is not read."""
        return self.pixels[:0] if self.core is None else self.pixels[~self.core]


@attrs.frozen(eq=False)
class Linear:
    """Places as the weights of an encoder and a decoder, but for what they show of each other.

    Pixels are from 0 to 1, divided by the light if it varies.
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
    context: tuple[Context, ...] = ()  # what places show of each other
    lost: float = 0.0  # the part of what is unexplained that stays in the next picture

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
        """Return pixels from 0 to 1 as they would be under the usual light; bright ones may be above 1."""
        return np.asarray(flat / (np.float32(WHITE) * relative_light(flat, self.light)[:, None]), dtype=np.float32)

    def draw(self, codes: Codes) -> Floats:
        """Return the pictures that show the given values, (pictures, pixels), from 0 to 1."""
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
            read = place.patterns if place.core is None else place.patterns[:, place.core]
            sharpness[rows] = 2 * MARGIN / max(_smallest_distance(read), 1 / WHITE**2)
            background[place.pixels] = 0
        seen = patterns.copy()
        for place in self.places:
            seen[:, place.unread] = 0
        bias = -sharpness * (seen**2).sum(1) / 2
        return Linear((seen * sharpness[:, None]).T, bias, patterns, background, number)


def find_places(before: Images, after: Images, options: PlacesOptions | None = None) -> Places:
    """Group the pixels, learn the values of each group, and keep the grouping that makes transitions simplest."""
    options = PlacesOptions() if options is None else options
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(len(before))[: most_pairs(before.shape[1:])]
    old, new = (images.reshape(len(images), -1)[order] for images in (before, after))
    light = find_light(old, new, options)
    compared = Compared(old, new, relative_light(old, light), relative_light(new, light))
    colours = before.shape[3] if before.ndim == 4 else 1
    pictures = compared.some(GROUPED_PICTURES)
    ways = _ways(compared, pictures, colours, rng, options)
    mean = mean_of(pictures) / np.float32(WHITE)
    variances = Variances.of(compared)
    if not ways:
        return Places(before.shape[1:], mean, (), light, False, 1.0, Score(0, 1.0, 0.0))
    tried = [each for groups in ways for each in _try(compared.first(SCORED_PAIRS), groups, variances, options)]
    return _finish(before.shape[1:], compared, simplest(tried, options), mean, light, options)


def most_pairs(shape: tuple[int, ...]) -> int:
    """Return from how many pairs of pictures values are learned: of large pictures, from fewer."""
    return min(MAX_PAIRS, max(LEAST_PAIRS, MOST_BYTES // (2 * math.prod(shape))))


def _ways(
    compared: Compared, pictures: Lit, colours: int, rng: np.random.Generator, options: PlacesOptions
) -> list[list[Numbers]]:
    """Return ways to group pixels: by what varies together in a picture, and by what also does in the next one."""
    labels = group_lit_pixels(pictures, colours, rng, options)
    before, after = compared.first(GROUPED_PICTURES).sides()
    staying = group_lit_pixels(before, colours, rng, options, later=after)
    known = {label.tobytes() for label in labels}
    labels += [label for label in staying[:MORE_CUTS] if label.tobytes() not in known]
    ways = [colour_groups(label, colours) for label in labels]
    return [groups for groups in ways if groups]


def _try(compared: Compared, groups: list[Numbers], variances: Variances, options: PlacesOptions) -> list[Grouping]:
    """Return how well groups of pixels do, with each kind of values."""
    inside, total = np.concatenate(groups), variances.all.sum()
    beyond, staying = (float(np.delete(each, inside).sum()) for each in (variances.all, variances.staying))
    results = []
    for kind, learned in zip(KINDS, learn_values(compared, groups, options, KINDS, hasty=True), strict=True):
        results.append(
            Grouping(
                groups=groups,
                kind=kind,
                score=score_events(learned.codes[0], learned.codes[1], options),
                values=int((learned.codes.max((0, 1)) + 1).sum()),
                unexplained=float((learned.unexplained + beyond) / total),
                lost=float((learned.lost + staying) / total),
                left_out=beyond / float(total),
                overflow=learned.overflow,
                common=common_values(learned.codes, options.common_count),
            )
        )
    return results


def _finish(
    shape: tuple[int, ...],
    compared: Compared,
    grouping: Grouping,
    mean: Floats,
    light: Light | None,
    options: PlacesOptions,
) -> Places:
    """Learn the values of all groups from all pairs.

    Groups that show one value only are background, and so are those that change on their own: no action changes them.
    """
    groups = grouping.groups
    learned = learn_values(compared, groups, options, (grouping.kind,))[0]
    codes = learned.codes
    useful = np.flatnonzero(codes.max((0, 1)) > 0)
    alone = changing_alone(codes[0][:, useful], codes[1][:, useful], options)
    background = mean.copy()
    for number in useful[alone]:  # shown as it mostly is
        most_frequent = np.bincount(codes[:, :, number].ravel()).argmax()
        background[groups[number]] = _patterns(compared, codes[:, :, number], groups[number])[most_frequent]
    kept = useful[~alone]
    places = tuple(Place(groups[each], _patterns(compared, codes[:, :, each], groups[each])) for each in kept)
    left_out = np.concatenate([groups[number] for number in useful[alone]] or [np.zeros(0, dtype=np.intp)])
    score = score_events(codes[0][:, kept], codes[1][:, kept], options)
    unexplained, lost = grouping.unexplained, grouping.lost
    return Places(shape, background, places, light, learned.overflow, unexplained, score, left_out, lost=lost)


def _patterns(compared: Compared, code: Numbers, pixels: Numbers) -> Floats:
    """Return the mean pattern of each value, from 0 to 1."""
    return compared.patterns(code, pixels, AVERAGED_PICTURES) / np.float32(WHITE)


def colour_groups(label: Numbers, colours: int) -> list[Numbers]:
    """Return the flat pixels of each group, given the group of each location, or -1."""
    groups = [np.flatnonzero(label == number) for number in range(label.max() + 1)]
    return [(each[:, None] * colours + np.arange(colours)).ravel() for each in groups if len(each) >= MIN_PIXELS]


def _smallest_distance(patterns: Floats) -> float:
    """Return the square of the distance between the two most similar patterns."""
    square = (patterns**2).sum(1)
    apart = square[:, None] + square - 2 * patterns @ patterns.T
    return float(apart[~np.eye(len(patterns), dtype=np.bool_)].min())
