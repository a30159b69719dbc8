"""Pictures for the suites of encoders and decoders: three by three lamps, of which each transition toggles one."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from cubespace.base.arrays import Images
from cubespace.learning.encoder import Shape
from cubespace.learning.inference import as_pixels

PAIRS, BITS, CELL = 64, 12, 4
SHAPES: tuple[Shape, ...] = ((12, 12, 1), (12, 12, 3))


def lamps(shape: Shape) -> tuple[Images, Images]:
    """Return the pictures before and after some transitions, grey or in colour as the shape says."""
    rng = np.random.default_rng(0)
    before = rng.integers(2, size=(PAIRS, 9), dtype=np.uint8)
    after = before.copy()
    after[np.arange(PAIRS), rng.integers(9, size=PAIRS)] ^= 1
    grey = (np.kron(states.reshape(-1, 3, 3), np.ones((CELL, CELL), np.uint8)) * 255 for states in (before, after))
    first, second = (_coloured(pictures.astype(np.uint8), shape) for pictures in grey)
    return first, second


def as_inputs(pictures: Images) -> Tensor:
    """Return pictures as a network is given them: rows of pixels in [0, 1]."""
    return as_pixels(pictures).float() / 255.0


def noise(shape: Shape) -> Tensor:
    """Return pictures of nothing, (pictures, pixels)."""
    drawn = np.random.default_rng(1).integers(256, size=(PAIRS, *shape), dtype=np.uint8)
    return as_inputs(drawn)


def _coloured(pictures: Images, shape: Shape) -> Images:
    return pictures if shape[2] == 1 else np.stack((pictures, pictures // 2, 255 - pictures), axis=-1)
