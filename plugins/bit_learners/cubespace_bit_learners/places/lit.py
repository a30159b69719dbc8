"""Pictures that become numbers where they are looked at: all of them, as numbers, would take much memory."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

Flat = NDArray[np.uint8]  # (pictures, pixels)
Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

MOST_BLOCK = 1 << 23  # numbers of many pictures at once, a part of their pixels: 34 MB, of which a few copies are made


@attrs.frozen(eq=False)
class Lit:
    """Pictures, and the light that each was taken in."""

    flat: tuple[Flat | Floats, ...]  # one part after the other
    light: tuple[Floats, ...]

    def __len__(self) -> int:
        """Return how many pictures there are."""
        return sum(map(len, self.flat))

    @property
    def width(self) -> int:
        """Return how many pixels there are."""
        return int(self.flat[0].shape[1])

    def pixels(self, columns: slice | Numbers) -> Floats:
        """Return some pixels of all pictures, under the usual light: (pictures, pixels)."""
        parts = [part[:, columns] / light[:, None] for part, light in zip(self.flat, self.light, strict=True)]
        return (parts[0] if len(parts) == 1 else np.concatenate(parts)).astype(np.float32, copy=False)

    def blocks(self, colours: int = 1) -> list[slice]:
        """Return parts of the pixels that are as large as memory should hold as numbers, whole pixels each."""
        step = max(1, MOST_BLOCK // max(1, len(self) * colours)) * colours
        return [slice(first, min(first + step, self.width)) for first in range(0, self.width, step)]


def mean_of(pictures: Lit) -> Floats:
    """Return the mean of each pixel, in grey levels."""
    means: Floats = np.concatenate([pictures.pixels(block).mean(0, dtype=np.float32) for block in pictures.blocks()])
    return means
