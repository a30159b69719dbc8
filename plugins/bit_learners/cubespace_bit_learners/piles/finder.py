"""Find piles in pictures: columns of equal width, cut into slots of equal height, in which the same things lie.

A slot is empty or shows one thing. The things of a column lie on each other without gaps, and of two things the same
one is always below the other. Where all of this holds in the training pictures, a picture is described by what lies in
which column.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
from attrs.validators import ge, optional
from numpy.typing import NDArray

from cubespace.base.arrays import Images
from cubespace.base.differences import number_rows
from cubespace.base.options import option
from cubespace.learning.bit_learner import Unsuitable
from cubespace_bit_learners.places.values import Compared, ValueOptions, learn_values

Codes = NDArray[np.intp]  # (pictures, slots from the ground up, columns), the number of what each slot shows
Floats = NDArray[np.float32]

PROBED_PAIRS = 100  # on which each way to cut is tried
DROPPED_GREY_BITS = 6  # of the eight of a grey level, in a first look: noise mostly stays within the four levels left
MAX_SLOTS = 6000  # pairs of slots from which the things are learned
AVERAGED_SLOTS = 200  # of which a pattern is the mean: leaves 1/14 of the noise
EMPTY = 0  # the number of what an empty slot shows


@attrs.frozen(kw_only=True)
class PilesOptions(ValueOptions):
    """How pictures are divided in which things lie in piles side by side."""

    columns: int | None = option(None, "columns of equal width that the picture is divided into", optional(ge(2)))
    max_columns: int = option(16, "largest number of columns that is tried, if none is given", ge(2))
    max_things: int = option(
        64, "largest number of different things that piles may have; more patterns are noise", ge(2)
    )


@attrs.frozen(kw_only=True)
class Cut:
    """How a picture is cut: the number of columns, the height of a slot, and whether piles hang from the ceiling."""

    columns: int
    slot: int  # pixels
    hanging: bool = False

    def slots(self, images: Images) -> NDArray[np.uint8]:
        """Return the slots, (pictures, slots from the ground up, columns, pixels of a slot)."""
        count, height, width = images.shape[:3]
        parts = images.reshape(count, height // self.slot, self.slot, self.columns, width // self.columns, -1)
        slots = parts.transpose(0, 1, 3, 2, 4, 5).reshape(count, height // self.slot, self.columns, -1)
        return slots if self.hanging else slots[:, ::-1]


@attrs.frozen(eq=False, kw_only=True)
class Piles:
    """What lies in the columns: patterns, that of the empty slot first, and which thing lies below which."""

    cut: Cut
    patterns: Floats  # (things + 1, pixels of a slot), from 0 to 1
    below: NDArray[np.bool_]  # (things, things): [a, b] if b lies below a wherever both are
    everywhere: bool  # whether each thing is in exactly one column of every picture


def find_piles(before: Images, after: Images, options: PilesOptions | None = None) -> Piles:
    """Return the piles of some pictures, or raise if there are none; of several, those with the fewest things."""
    options = PilesOptions() if options is None else options
    step = max(1, len(before) // PROBED_PAIRS)
    probed_before, probed_after = before[::step], after[::step]
    promising = [
        cut for cut in _cuts(before.shape[1:], options) if _promising(cut.slots(probed_before), options.max_things)
    ]
    fitting = [found for cut in promising if (found := _learn(cut, probed_before, probed_after, options))]
    for found in sorted(fitting, key=lambda each: (len(each.patterns), -each.cut.slot)):
        piles = _learn(found.cut, before, after, options)
        if piles is not None:
            return piles
    raise Unsuitable("these pictures show no piles: no columns of things that lie on each other in one order")


def _cuts(shape: tuple[int, ...], options: PilesOptions) -> Iterator[Cut]:
    """Yield the ways to cut a picture in two columns or more, of two slots or more."""
    height, width = shape[:2]
    numbers = range(2, options.max_columns + 1) if options.columns is None else [options.columns]
    for number in (each for each in numbers if width % each == 0):
        for slot in (each for each in range(1, height // 2 + 1) if height % each == 0):
            yield Cut(columns=number, slot=slot)
            yield Cut(columns=number, slot=slot, hanging=True)


def _promising(slots: NDArray[np.uint8], max_things: int) -> bool:
    """Return whether slots in coarse grey levels show few patterns that keep the rules of piles."""
    coarse = slots.reshape(-1, slots.shape[-1]) >> DROPPED_GREY_BITS
    seen = number_rows(coarse)
    if not 2 <= len(seen) <= max_things:
        return False
    patterns, codes = _empty_first(coarse[seen.first].astype(np.float32), seen.number.reshape(slots.shape[:-1]))
    return order(codes, len(patterns) - 1) is not None


def _learn(cut: Cut, before: Images, after: Images, options: PilesOptions) -> Piles | None:
    """Return the piles that a cut gives, or None if the pictures do not keep the rules of piles."""
    slots = [cut.slots(images) for images in (before, after)]
    old, new = (part.reshape(-1, part.shape[-1]) for part in slots)
    rows = np.random.default_rng(0).permutation(len(old))[:MAX_SLOTS]
    light = np.ones(len(rows), dtype=np.float32)
    compared = Compared(old[rows], new[rows], light, light)
    pixels = np.arange(old.shape[1])
    learned = learn_values(compared, [pixels], options, ("tight",), hasty=True)[0]
    things = int(learned.codes.max()) + 1
    if learned.overflow or not 2 <= things <= options.max_things:
        return None
    patterns = compared.patterns(learned.codes[:, :, 0], pixels, AVERAGED_SLOTS) / np.float32(255)
    codes = nearest(np.concatenate(slots), patterns)
    patterns, codes = _empty_first(patterns, codes)
    below = order(codes, len(patterns) - 1)
    if below is None:
        return None
    present = np.stack([(codes == thing).any(1) for thing in range(1, len(patterns))], axis=1)  # (…, things, columns)
    return Piles(cut=cut, patterns=patterns, below=below, everywhere=bool((present.sum(2) == 1).all()))


def nearest(slots: NDArray[np.uint8], patterns: Floats) -> Codes:
    """Return the nearest pattern of each slot."""
    flat = slots.reshape(-1, slots.shape[-1]).astype(np.float32) / np.float32(255)
    apart = (patterns**2).sum(1) - 2 * flat @ patterns.T
    return np.asarray(apart.argmin(1).reshape(slots.shape[:-1]), dtype=np.intp)


def _empty_first(patterns: Floats, codes: Codes) -> tuple[Floats, Codes]:
    """Number what is seen most at the far end of the columns as empty."""
    empty = int(np.bincount(codes[:, -1].ravel(), minlength=len(patterns)).argmax())
    number = np.arange(len(patterns))
    number[[EMPTY, empty]] = number[[empty, EMPTY]]
    return patterns[number], number[codes]


def order(codes: Codes, things: int) -> NDArray[np.bool_] | None:
    """Return which thing lies below which, or None if things float, come twice in a column, or lie either way.

    Worked example, three things, columns from the ground up: (3, 1, empty) and (3, 2, 1): 3 is below 1 and 2, and 2 is
    below 1. Were there a column (1, 3, empty) too, there would be no order.
    """
    full = codes != EMPTY  # (pictures, slots, columns)
    if (full[:, 1:] & ~full[:, :-1]).any() or full.all():
        return None
    height = np.full((len(codes), things + 1, codes.shape[2]), -1, dtype=np.intp)  # (pictures, things, columns)
    for slot in range(codes.shape[1]):
        seen = np.take_along_axis(height, codes[:, slot][:, None], axis=1)[:, 0]
        if ((seen >= 0) & full[:, slot]).any():
            return None
        np.put_along_axis(height, codes[:, slot][:, None], slot, axis=1)
    height = height[:, 1:]
    there = height >= 0
    below = np.zeros((things, things), dtype=np.bool_)
    for thing in range(things):
        both = there & there[:, [thing]]
        below[thing] = (both & (height < height[:, [thing]])).any((0, 2))
    return None if (below & below.T).any() else below
