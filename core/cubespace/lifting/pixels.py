"""Variables from pixels: groups of pixels that depend on each other, with the patterns they show as values.

For pictures as a network redraws them, where its bits are not values of variables; and, for comparison, for pictures as
they are, without any network.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.errors import UsageError
from cubespace.symbols.bit_groups import dependent_bits

MAX_PIXELS = 800  # that are compared with each other, which takes time in proportion to their number squared
MAX_PICTURES = 2000  # in which they are compared
MAX_PATTERNS = 64  # of a group, as many as dependent bits may have values: more of them are noise
LIGHT_ABOVE = 127  # the middle of the grey levels: pixels above it are light, others dark


@attrs.frozen(eq=False, kw_only=True)
class PixelVariables:
    """Groups of pixels and what they show, as bits of which one of each group is true."""

    shape: tuple[int, ...]  # of a picture
    pixels: tuple[Indices, ...]  # of each variable: those whose pattern is its value
    patterns: tuple[Bits, ...]  # of each variable, (values, its pixels)
    regions: NDArray[np.intp]  # (height, width), the variable that each pixel belongs to, or -1

    @property
    def groups(self) -> tuple[int, ...]:
        """Return the variable of each bit."""
        return tuple(number for number, rows in enumerate(self.patterns) for _ in rows)

    def look(self, images: Images) -> Bits:
        """Return the bits of pictures: of each variable, the pattern nearest to what is seen."""
        light = images.reshape(len(images), math.prod(self.shape)) > LIGHT_ABOVE
        parts = []
        for pixels, patterns in zip(self.pixels, self.patterns, strict=True):
            seen, known = light[:, pixels].astype(np.float32), patterns.astype(np.float32)
            apart = known.sum(1) - 2 * seen @ known.T  # (pictures, values), up to what all patterns share
            parts.append(np.eye(len(known), dtype=np.bool_)[apart.argmin(1)])
        return np.concatenate(parts, axis=1)


def find_pixel_variables(before: Images, after: Images) -> PixelVariables:
    """Return the variables of training pictures, or raise if groups of pixels show too many patterns."""
    images = np.concatenate([before, after])
    light = images.reshape(len(images), -1) > LIGHT_ABOVE
    compared = _every_nth(images.shape[1:])
    number = dependent_bits(light[: min(MAX_PICTURES, len(before))][:, compared])
    varying = np.flatnonzero(light[:, compared].any(0) & ~light[:, compared].all(0))
    groups = [compared[varying[number[varying] == each]] for each in np.unique(number[varying])]
    if len(groups) < 2:
        raise UsageError("these pictures show no variables: all pixels depend on each other, or none changes")
    patterns = [np.unique(light[:, pixels], axis=0) for pixels in groups]
    most = max(len(rows) for rows in patterns)
    if most > MAX_PATTERNS:
        raise UsageError(
            f"these pictures show no variables: a group of pixels has {most} patterns, more than {MAX_PATTERNS}"
        )
    regions = np.full(math.prod(images.shape[1:]), -1, dtype=np.intp)
    for each, pixels in enumerate(groups):
        regions[pixels] = each
    shown = regions.reshape(images.shape[1:])
    return PixelVariables(
        shape=images.shape[1:],
        pixels=tuple(groups),
        patterns=tuple(patterns),
        regions=shown if shown.ndim == 2 else shown.max(2),
    )


def _every_nth(shape: tuple[int, ...]) -> Indices:
    """Return pixels spread evenly over a picture, at most as many as can be compared."""
    height, width, *colours = shape
    step = max(1, math.ceil(math.sqrt(math.prod(shape) / MAX_PIXELS)))
    grid = np.arange(math.prod(shape)).reshape(height, width, *colours)
    return grid[::step, ::step].ravel()
