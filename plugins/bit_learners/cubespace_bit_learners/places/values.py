"""The values of a place: the different patterns that a group of pixels shows, separated from noise by the data alone.

In most transitions most places do not change, so the differences between before and after are of two kinds: noise alone
or a real change. The small ones are the noise; directions in which patterns vary much more than that hold the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import attrs
import numpy as np
from attrs.validators import ge, gt
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array

from cubespace.base.options import option
from cubespace_bit_learners.places.clusters import clear_clusters, cluster, means, most_different
from cubespace_bit_learners.places.lit import Lit
from cubespace_bit_learners.places.splitting import SplittingOptions, split_values

Flat = NDArray[np.uint8]  # (pictures, pixels)
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]

SURE = 3.0  # standard deviations: what chance hardly ever shows
ROUNDING_VARIANCE = 1 / 12  # in squared grey levels, that rounding to whole levels leaves
MAX_DIMENSIONS = 256  # in which patterns are compared
NOISE_PAIRS = 1500  # from which the noise is measured
PROBED_PICTURES = 500  # whose most similar pictures are added to these pairs
COUNTED_PICTURES = 1000  # whose values are counted first
CHUNK = 1000  # pictures converted to floats at once …
MOST_NUMBERS = 1 << 23  # … and numbers, of large pictures

# tight values differ by more than noise can; loose ones, by more than what is found in pairs that do not change; split
# ones are such of which some are two by what pairs know; clear ones are as far apart as possible for their width
Kind = Literal["tight", "tight-split", "loose", "loose-split", "clear"]
KINDS: tuple[Kind, ...] = ("tight", "tight-split", "loose", "loose-split", "clear")
SPLIT = "-split"


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class ValueOptions(SplittingOptions):
    """Which patterns of a group of pixels are one value."""

    noise_deviations: float = option(
        5.0,
        "patterns are the same if their squared distance is that of noise, up to this many standard deviations",
        gt(0.0),
    )
    gap_margin: int = option(
        3,
        "differences at either end that do not count where the largest gap between noise and changes is looked for",
        ge(1),
    )
    common_count: int = option(3, "pictures that show a common value; a rarer one may be an outlier", ge(1))
    rare_reach: float = option(
        4.0, "such a rare value is merged with another within this multiple of the limit of squared distances", ge(1.0)
    )
    max_values: int = option(256, "values of a place; a group of pixels that has more is not a place", ge(2))


@attrs.frozen(eq=False)
class Compared:
    """Pairs of flat pictures, and the light of each relative to the usual."""

    before: Flat
    after: Flat
    light_before: Floats
    light_after: Floats

    def first(self, count: int) -> Compared:
        """Return the first ``count`` pairs."""
        return Compared(self.before[:count], self.after[:count], self.light_before[:count], self.light_after[:count])

    def pictures(self, count: int) -> Floats:
        """Return ``count`` pictures, half from before and half from after, of different pairs if there are enough."""
        return self.some(count).pixels(slice(None))

    def some(self, count: int) -> Lit:
        """Return the same pictures, which become numbers where they are looked at."""
        half = min(count, len(self.before)) // 2
        old, new = slice(0, half), slice(len(self.before) - half, None)
        return Lit((self.before[old], self.after[new]), (self.light_before[old], self.light_after[new]))

    def sides(self) -> tuple[Lit, Lit]:
        """Return the pictures before and those after."""
        return Lit((self.before,), (self.light_before,)), Lit((self.after,), (self.light_after,))

    def look(self, pixels: Numbers) -> Floats:
        """Return the patterns of some pixels, first all before, then all after, in at most ``MAX_DIMENSIONS`` numbers.

        More pixels are added up in random bins, with random signs, which preserves distances.
        """
        sketch = None
        if len(pixels) > MAX_DIMENSIONS:
            rng, size = np.random.default_rng(len(pixels)), len(pixels)
            sign, bins = rng.choice([-1.0, 1.0], size), rng.integers(MAX_DIMENSIONS, size=size)
            sketch = csr_array((sign.astype(np.float32), (bins, np.arange(size))), (MAX_DIMENSIONS, size))
        parts = []
        for flat, light in ((self.before, self.light_before), (self.after, self.light_after)):
            step = max(1, min(CHUNK, MOST_NUMBERS // max(1, len(pixels))))
            for first in range(0, len(flat), step):
                rows = slice(first, first + step)
                part = (flat[rows, pixels] / light[rows, None]).astype(np.float32)
                parts.append(part if sketch is None else (sketch @ part.T).T)
        return np.concatenate(parts)

    def patterns(self, code: Numbers, pixels: Numbers, count: int) -> Floats:
        """Return the mean pattern of each value, over at most ``count`` pictures; ``code`` is (2, pairs)."""
        return np.stack([self._pattern(code == value, pixels, count) for value in range(code.max() + 1)])

    def _pattern(self, shown: NDArray[np.bool_], pixels: Numbers, count: int) -> Floats:
        old, new = (np.flatnonzero(side)[:count] for side in shown)
        seen = np.concatenate(
            [
                self.before[old[:, None], pixels] / self.light_before[old, None],
                self.after[new[:, None], pixels] / self.light_after[new, None],
            ]
        )
        mean: Floats = seen.mean(0, dtype=np.float32)
        return mean


@attrs.frozen(eq=False)
class GroupValues:
    """The values of some groups of pixels."""

    codes: Numbers  # (2, pairs, groups): before and after
    unexplained: float  # variance of the pixels around the patterns of their values, summed over pixels
    overflow: bool  # whether a group has too many values to be learned
    lost: float = 0.0  # the part of it that pictures before and after share where values stay: it is no noise


def learn_values(
    compared: Compared,
    groups: list[Numbers],
    options: ValueOptions,
    kinds: tuple[Kind, ...] = KINDS,
    hasty: bool = False,
) -> list[GroupValues]:
    """Return the values of each group, of each kind; in haste, nothing is learned once a group has too many."""
    codes: list[list[Numbers]] = [[] for _ in kinds]
    unexplained, lost, overflow = np.zeros(len(kinds)), np.zeros(len(kinds)), np.zeros(len(kinds), dtype=np.bool_)
    for pixels in groups:
        patterns = compared.look(pixels)
        rounding = ROUNDING_VARIANCE * max(1.0, len(pixels) / MAX_DIMENSIONS)
        last, errors = None, (0.0, 0.0)
        for number, (code, many) in enumerate(_of_each_kind(patterns, rounding, options, kinds, hasty)):
            overflow[number] |= many
            codes[number].append(code.reshape(2, -1))
            if hasty and overflow[number]:
                errors = (np.inf, np.inf)
            elif code is not last:
                errors = (_unexplained(patterns, code), _lost(patterns, code))
            last = code
            unexplained[number] += errors[0]
            lost[number] += errors[1]
        if hasty and overflow.all():
            break
    results = zip(codes, unexplained.tolist(), lost.tolist(), overflow.tolist(), strict=True)
    return [GroupValues(np.stack(code, axis=-1), error, many, stays) for code, error, stays, many in results]


def _of_each_kind(
    patterns: Floats, rounding: float, options: ValueOptions, kinds: tuple[Kind, ...], hasty: bool
) -> Iterator[tuple[Numbers, bool]]:
    """Yield the code of each pattern, and whether there are too many values: in haste, all codes are 0 then."""
    found = None if kinds == ("clear",) else noise_free(patterns, rounding, options)
    known: dict[float, tuple[Numbers, bool]] = {}  # by limit
    for kind in kinds:
        if found is None or kind == "clear":
            floor = 2 * rounding * patterns.shape[1]
            yield clear_clusters(patterns, floor, options.common_count, options.max_values), False
            continue
        limit = found.loose if kind.startswith("loose") else found.tight
        if limit not in known:
            known[limit] = _by_limit(found.points, limit, options, hasty)
        code, many = known[limit]
        yield (split_values(patterns, code, options) if kind.endswith(SPLIT) and not many else code), many


def _by_limit(points: Doubles, limit: float, options: ValueOptions, hasty: bool) -> tuple[Numbers, bool]:
    """Return the code of each point, and whether there are too many values."""
    many = len(most_different(points[:COUNTED_PICTURES], limit, options.max_values)) > options.max_values
    if hasty and many:
        return np.zeros(len(points), dtype=np.intp), many
    return cluster(points, limit, options.common_count, options.rare_reach, options.max_values), many


def _unexplained(patterns: Floats, code: Numbers) -> float:
    """Return the mean square of the distance between patterns and the mean of those with the same code."""
    rows = slice(None, None, max(1, len(patterns) // NOISE_PAIRS))
    return float(((patterns[rows] - means(patterns, code)[code[rows]]) ** 2).sum(1).mean())


def _lost(patterns: Floats, code: Numbers) -> float:
    """Return how much of that is the same before and after, on average over pairs: what values lack and what stays.

    Noise, light and bad pixels differ from picture to picture. Two tiles that are one value are still there afterwards.
    """
    left = patterns - means(patterns, code)[code]
    before, after = np.split(left.astype(np.float64), 2)
    old, new = np.split(code, 2)
    kept = abs(float((before[old == new] * after[old == new]).sum())) / len(before)
    return max(kept, _common(before, after))


def _common(before: Doubles, after: Doubles) -> float:
    """Return how much of what is left both pictures of a pair share, by their covariance, beyond what chance shows.

    It serves values that hardly any pair keeps: where a group is the whole picture, every action changes its value.
    """
    count = len(before)
    spread = float(np.square(before).sum() / count) * float(np.square(after).sum() / count)
    within = np.square(before.T @ before / count).sum() * np.square(after.T @ after / count).sum()
    by_chance = (spread + SURE * np.sqrt(2 * within)) / count
    return float(np.sqrt(max(0.0, np.square(before.T @ after / count).sum() - by_chance)))


@attrs.frozen(eq=False)
class NoiseFree:
    """Patterns along the directions that are not noise, in units of noise; those closer than a limit are the same."""

    points: Doubles  # (patterns, directions)
    tight: float  # the largest squared distance that noise makes
    loose: float  # the largest squared distance among differences of the smaller kind


def noise_free(patterns: Floats, rounding: float, options: ValueOptions) -> NoiseFree:
    """Return patterns, all before and then all after, without their noise; ``rounding`` is its least variance."""
    before, after = np.split(patterns, 2)
    delta = _differences(before[:NOISE_PAIRS], after[:NOISE_PAIRS])
    noise = _noise(delta, rounding)
    total = np.cov(patterns[:: max(1, len(patterns) // NOISE_PAIRS)].T, bias=True).reshape(noise.shape)
    ratio, axes = eigh(total + rounding * np.eye(len(total)), noise)
    axes = axes[:, ratio > _by_chance(len(total), NOISE_PAIRS)]
    if axes.shape[1] == 0:
        return NoiseFree(np.zeros((len(patterns), 0)), 0.0, 0.0)
    typical = 2 * axes.shape[1]  # the mean square of the difference of two noises
    length = ((delta @ axes) ** 2).sum(1)
    logarithm = np.log(length + typical)
    scale = max(1.0, float(np.median(length[_smaller_kind(logarithm)])) / typical)
    deviation = np.sqrt(4 * typical)  # the variance of the square is 8 per axis
    tight = scale * (typical + options.noise_deviations * deviation)
    loose = float(np.exp(_below_gap(logarithm, options.gap_margin))) - typical
    return NoiseFree(patterns @ axes, tight, max(tight, loose))


def _noise(delta: Floats, rounding: float) -> Doubles:
    """Return the covariance of the noise of a pattern, from differences of which the smaller kind are noise alone.

    The smaller half of these is safe from rare small changes; its scale is then that of the typical one. As there are
    not many more differences than dimensions, the covariance is shrunk towards that of noise equal in all directions.
    """
    size = delta.shape[1]
    length = (delta**2).sum(1) + 2 * rounding * size
    middle = np.median(length[_smaller_kind(np.log(length))])
    safe = delta[length <= middle]
    covariance = safe.T @ safe / (2 * len(safe)) * (middle / length[length <= middle].mean())
    share = size / (size + len(safe))
    even = np.trace(covariance) / size * np.eye(size)
    return np.asarray((1 - share) * covariance + share * even + rounding * np.eye(size), dtype=np.float64)


def _differences(before: Floats, after: Floats) -> Floats:
    """Return differences many of which are noise alone: of pairs, and of pictures to the most similar other ones.

    The latter serve places that change in all pairs.
    """
    probes, square = before[:PROBED_PICTURES], (before**2).sum(1)
    apart = square - 2 * probes @ before.T
    np.fill_diagonal(apart, np.inf)
    return np.concatenate([after - before, before[apart.argmin(1)] - probes])


def _by_chance(size: int, count: int) -> float:
    """Return how much larger than noise a variance may seem along some axis by chance, if both are from samples."""
    share = size / count
    return float(((1 + np.sqrt(2 * share)) / (1 - share)) ** 2)


def _smaller_kind(lengths: Doubles) -> NDArray[np.bool_]:
    """Return which numbers belong to the lower of two kinds, such that the kinds vary least (Otsu's rule)."""
    line = np.sort(lengths)
    below = np.arange(1, len(line))
    total = np.cumsum(line)
    apart = total[:-1] / below - (total[-1] - total[:-1]) / (len(line) - below)
    best = int((below * (len(line) - below) * apart**2).argmax())
    return np.asarray(lengths <= line[best])


def _below_gap(lengths: Doubles, margin: int) -> float:
    """Return the number just below the largest gap, apart from those within a margin at either end."""
    line = np.sort(lengths)
    gaps = np.diff(line)[margin:-margin]
    return float(line[margin + int(gaps.argmax())])
