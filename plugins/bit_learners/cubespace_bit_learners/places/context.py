"""What a place shows besides its own value: the top of what stands below it, the shadow of what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, lt
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace_bit_learners.places.lit import MOST_BLOCK, Lit

if TYPE_CHECKING:
    from cubespace_bit_learners.places.finder import Place

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

WHITE = 255.0
SURE = 3.0  # standard deviations: what chance hardly ever shows


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class ContextOptions:
    """By what a place is drawn besides its own value."""

    contexts: int = option(
        8, "other places, at most, by whose values a place is drawn, if it is found by changes", ge(0)
    )
    context_gain: float = option(
        0.005, "share of what is unexplained in a place that another one must explain", and_(gt(0.0), lt(1.0))
    )


@attrs.frozen(eq=False)
class Context:
    """By how much pixels of a place are brighter or darker if another place has a value, given its own value."""

    place: int
    other: int
    shown: Floats  # (values of the place, values of the other, pixels of the place), from -1 to 1


@attrs.frozen(eq=False)
class Seen:
    """Pictures, and the value of each place in each of them."""

    pictures: Lit
    codes: Numbers  # (pictures, places)

    def variance(self, pixels: Numbers) -> float:
        """Return the variance of some pixels, summed over them, in squared grey levels."""
        step = max(1, MOST_BLOCK // max(1, len(self.codes)))
        parts = [pixels[first : first + step] for first in range(0, len(pixels), step)]
        return float(sum(self.pictures.pixels(part).var(0, dtype=np.float64).sum() for part in parts))


def find_context(seen: Seen, places: Sequence[Place], options: ContextOptions) -> tuple[tuple[Context, ...], float]:
    """Return by what other places each is drawn, and the variance that is left, in squared grey levels.

    The place that explains most comes first, then the one that explains most of the rest, as long as that is enough.
    """
    found: list[Context] = []
    left = 0.0
    for number, place in enumerate(places):
        rest = seen.pictures.pixels(place.pixels) - np.float32(WHITE) * place.patterns[seen.codes[:, number]]
        used: set[int] = set()
        for _ in range(options.contexts):
            best = _most_telling(rest, seen.codes, number, used)
            if best is None or best.gain < options.context_gain:
                break
            used.add(best.other)
            rest -= best.shown[best.cell]
            values = len(place.patterns)
            table = best.shown.reshape(values, -1, rest.shape[1]) / np.float32(WHITE)
            found.append(Context(number, best.other, table))
        left += float(np.square(rest).mean(0, dtype=np.float64).sum())
    return tuple(found), left


@attrs.frozen(eq=False)
class _Telling:
    other: int
    gain: float  # share of what is left
    shown: Floats  # (cells, pixels)
    cell: Numbers  # (pictures,)


def _most_telling(rest: Floats, codes: Numbers, place: int, used: set[int]) -> _Telling | None:
    """Return which other place, together with the value of this one, explains most of what is left of its pixels.

    What means over as many pictures would hardly ever explain more of by chance is taken off.
    """
    total = float(np.square(rest).sum(dtype=np.float64))
    sizes = codes.max(0) + 1
    best: _Telling | None = None
    for other in range(codes.shape[1]):
        if other == place or other in used or not total:
            continue
        cell = codes[:, place] * sizes[other] + codes[:, other]
        count = np.bincount(cell, minlength=int(sizes[place] * sizes[other]))
        shown = _means(rest, cell, count)
        explained = float((count[:, None] * np.square(shown)).sum(dtype=np.float64))
        cells = int((count > 0).sum())
        by_chance = (cells + SURE * np.sqrt(2 * cells / rest.shape[1])) / len(rest)
        gain = explained / total - by_chance
        if best is None or gain > best.gain:
            best = _Telling(other, gain, shown, cell)
    return best


def _means(rest: Floats, cell: Numbers, count: Numbers) -> Floats:
    order = np.argsort(cell, kind="stable")
    used = np.flatnonzero(count)
    starts = (np.cumsum(count) - count)[used]
    means = np.zeros((len(count), rest.shape[1]), dtype=np.float32)
    means[used] = np.add.reduceat(rest[order], starts, axis=0) / count[used][:, None]
    return means
