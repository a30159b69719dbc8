"""Values that seem to be two: pictures show a difference that the code does not, and that no action makes or unmakes.

Noise of a picture is gone in the next one. What is neither noise nor in the code stays: where a place keeps its value,
what its pixels show beyond the code before an action they show after it too. So the product of both is positive on
average if and only if something is hidden there, such as a second tile that was taken for the first.

Two tiles differ in one pattern of pixels, noise in all of them. So each half of the pairs is looked at along the
pattern that stays most in the other half: what differs by a quarter of the noise shows, and chance has no choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from cubespace.base.arrays import Bits, Indices

Pixels = NDArray[np.float32]  # (pictures, pixels), from 0 to 1
Numbers = NDArray[np.float64]

BACKGROUND = -1  # the region of pixels of no variable
SURE = 3.0  # standard deviations: one in a thousand, shared by all values
VISIBLE = 1 / 255  # a grey level, on average over the pixels of a place: what is fainter may come from rounding
REACH = 3  # pixels: what is further away adds nothing to a pixel
FEWEST = 20  # pairs in which a place keeps a value
ROUNDS = 30  # of the power method: what stays by half as much again as noise is found to one part in a thousand


@attrs.frozen(kw_only=True)
class MergedValue:
    """A value of a variable behind which pictures show something that persists."""

    bit: int | None  # None: it is in pixels of no variable
    contrast: float  # of what is hidden, a mean over the pixels of the place, from 0 to 1
    pairs: int  # in which the variable keeps the value
    box: tuple[int, int, int, int]  # where: first and last row, first and last column


def merged_values(
    bits: tuple[Bits, Bits], seen: tuple[Pixels, Pixels], groups: Sequence[int], regions: NDArray[np.intp]
) -> list[MergedValue]:
    """Return the values that seem to be two, given pairs in bits and in pixels, before and after.

    Pixels may be given as what the code draws lacks of them: a code can know more of what places show of each other.
    ``groups`` gives the variable of each bit, ``regions`` the one of each pixel, (height, width). What variables nearby
    add to a pixel is taken off first: their blurred edges are not hidden.
    """
    numbers, colours = np.asarray(groups), seen[0].shape[1] // regions.size
    level = SURE + math.sqrt(2 * math.log(max(1, len(numbers))))  # the largest of so many by chance, and on top of it
    left = _unexplained(bits, seen, numbers, regions)
    found = _in_the_background(seen, regions, colours)
    for bit, variable in enumerate(numbers.tolist()):
        own = regions == variable
        pixels = np.flatnonzero(np.repeat(own.ravel(), colours))
        keeps = np.flatnonzero(bits[0][:, bit] & bits[1][:, bit])
        if len(keeps) < FEWEST or not len(pixels):
            continue
        before, after = (part[np.ix_(keeps, pixels)] for part in left)
        shared = _shared(before - before.mean(0), after - after.mean(0))
        if shared.mean() > VISIBLE**2 and shared.mean() > level * shared.std() / math.sqrt(len(shared)):
            contrast = round(math.sqrt(float(shared.mean())), 4)
            found.append(MergedValue(bit=bit, contrast=contrast, pairs=len(keeps), box=_box(own)))
    return found


def _shared(before: Pixels, after: Pixels) -> Numbers:
    """Return how much of what stays both pictures of each pair show, (pairs,), a mean over their pixels."""
    shared = np.empty(len(before))
    halves = np.arange(len(before)) % 2 == 0
    for half in (halves, ~halves):
        pattern = _staying_pattern(before[~half], after[~half])
        shared[half] = (before[half] @ pattern) * (after[half] @ pattern) / len(pattern)
    return shared


def _staying_pattern(before: Pixels, after: Pixels) -> Pixels:
    """Return the pattern of pixels, of length 1, of which both pictures show most: (pixels,), zeros if there is none.

    It is the first eigenvector of the symmetric part of the covariance of pixels before with pixels after, by the power
    method. The eigenvalues of noise lie around 0, so their root mean square is added to all of them.
    """

    def times(pattern: Pixels) -> Pixels:
        return np.asarray((before.T @ (after @ pattern) + after.T @ (before @ pattern)) / (2 * len(before)))

    start = np.random.default_rng(0).normal(size=before.shape[1])
    pattern: Pixels = np.asarray(start / np.linalg.norm(start), dtype=np.float32)
    usual = float(np.linalg.norm(times(pattern)))
    for _ in range(ROUNDS):
        grown = times(pattern) + usual * pattern
        length = float(np.linalg.norm(grown))
        if not length:
            return np.zeros_like(pattern)
        pattern = np.asarray(grown / length, dtype=np.float32)
    return pattern


def _unexplained(
    bits: tuple[Bits, Bits], seen: tuple[Pixels, Pixels], numbers: Indices, regions: NDArray[np.intp]
) -> tuple[Pixels, Pixels]:
    """Return what each pixel shows beyond what the bits of variables nearby add up to."""
    ones = np.ones((2 * len(seen[0]), 1), dtype=np.float32)
    known, shown = np.concatenate([np.concatenate(bits).astype(np.float32), ones], axis=1), np.concatenate(seen)
    square, product = (known.T @ known).astype(np.float64), (known.T @ shown).astype(np.float64)
    square[np.diag_indices_from(square)] += 1.0  # some bits say what others say
    near = np.stack([binary_dilation(regions == variable, iterations=REACH).ravel() for variable in np.unique(numbers)])
    sets, number = np.unique(np.repeat(near, shown.shape[1] // regions.size, axis=1), axis=1, return_inverse=True)
    rest = shown
    for row, variables in enumerate(sets.T):
        pixels = np.flatnonzero(number.ravel() == row)
        used = np.append(np.flatnonzero(variables[np.searchsorted(np.unique(numbers), numbers)]), len(numbers))
        weights = np.linalg.solve(square[np.ix_(used, used)], product[np.ix_(used, pixels)]).astype(np.float32)
        rest[:, pixels] -= known[:, used] @ weights
    return rest[: len(seen[0])], rest[len(seen[0]) :]


def _in_the_background(seen: tuple[Pixels, Pixels], regions: NDArray[np.intp], colours: int) -> list[MergedValue]:
    """Return the pixels of no variable that show something, and mostly the same before an action and after it."""
    pixels = np.flatnonzero(np.repeat((regions == BACKGROUND).ravel(), colours))
    if not len(pixels):
        return []
    before, after = (part[:, pixels] for part in seen)
    product = (before - before.mean(0)) * (after - after.mean(0))  # (pairs, pixels)
    level = SURE + math.sqrt(2 * math.log(len(pixels)))
    shared = product.mean(0)
    hidden = (shared > VISIBLE**2) & (shared > level * product.std(0) / math.sqrt(len(product)))
    if not hidden.any():
        return []
    where = np.zeros(regions.size, dtype=np.bool_)
    where[pixels[hidden] // colours] = True
    contrast = round(math.sqrt(float(shared[hidden].mean())), 4)
    return [MergedValue(bit=None, contrast=contrast, pairs=len(product), box=_box(where.reshape(regions.shape)))]


def _box(pixels: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(pixels)
    return int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())
