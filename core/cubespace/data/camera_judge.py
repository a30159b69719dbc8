"""Judge what a camera saw: its pictures are blurred, and the judges of clean worlds read sharp ones.

A world shows few things in each place, so what a blurred neighbourhood of a pixel looked like when it was sharp can be
known: by linear regression, pixel by pixel, from pictures that the world draws. Learning never sees any of this. At the
edge, what is out of view in some pictures is the same in all that are laid over each other: most of the pictures of the
regression are so, too. A sharp picture is a linear function of the blurred one, so a blend of two states stays a blend,
which no judge reads.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from cubespace.base.arrays import Images
from cubespace.data.domain import StateSpace
from cubespace.data.spoiled_camera import LENS, lay_down, margin
from cubespace.settings.run_config import Spoiling

SHOWN = 600  # states from which the regression is made
REACH = 5  # pixels of the neighbourhood on each side
BETWEEN = 1 / 6  # square pixels, the variance of what linear interpolation between pixels blurs, on average
BLURS = (0.9, 1.0, 1.15)  # multiples of the blur that is expected of a camera …
SHIFT_BLURS = (0.0, 0.5, 1.0)  # … and if pictures are only shifted by whole pixels, which no lens has blurred
STRIP = (
    4  # rows of a picture that are worked at once: a pixel needs as many numbers as its neighbourhood and states have
)
NOISE = 5.0  # grey levels, by which pictures may be off besides
RIMS = (0, 1, 1)  # pixels by which a rim is wider than the camera moves: where that is known by parts of a pixel only

Floats = NDArray[np.float32]


@attrs.frozen(eq=False)
class Sharpener:
    """What a pixel was before a camera blurred it, as a linear function of its neighbourhood."""

    weights: Floats  # (pixels, neighbours + 1), of the clean picture, colours counted separately
    width: int  # of the ground around it

    @classmethod
    def of(cls, world: StateSpace, spoiling: Spoiling) -> Sharpener:
        """Return it for the pictures of a world."""
        clean = world.render(world.random_states(SHOWN, np.random.default_rng(0)))
        width = margin(spoiling)
        blurs = BLURS if spoiling.shaking else SHIFT_BLURS
        rows = [np.arange(first, len(clean), len(blurs)) for first in range(len(blurs))]
        blur = float(np.sqrt(LENS**2 + BETWEEN))
        laid = _with_rim(lay_down(clean, spoiling).astype(np.float32), spoiling)
        sizes = (0.0,) * (clean.ndim - 3)
        seen = [
            gaussian_filter(laid[part], (0, blur * more, blur * more, *sizes), mode="nearest")
            for part, more in zip(rows, blurs, strict=True)
        ]
        clean, padded = clean[np.concatenate(rows)], _padded(np.concatenate(seen), width)
        strips = [slice(first, first + STRIP) for first in range(0, clean.shape[1], STRIP)]
        return cls(np.concatenate([_regressed(padded, clean, strip) for strip in strips]), width)

    def sharp(self, images: Images) -> Images:
        """Return clean pictures, without ground, that would look like these."""
        parts = [self._sharp(images[first : first + 100]) for first in range(0, len(images), 100)]
        return np.concatenate(parts) if parts else self._sharp(images)

    def _sharp(self, images: Images) -> Images:
        height, breadth, *colours = images.shape[1:]
        around = _neighbourhoods(_padded(images.astype(np.float32), self.width), slice(None))
        pixels = (around @ self.weights[:, :, None])[:, :, 0].T  # (pictures, pixels)
        shape = (height - 2 * self.width, breadth - 2 * self.width, *colours)
        return np.asarray(np.clip(np.rint(pixels), 0, 255), dtype=np.uint8).reshape(len(images), *shape)


def _with_rim(laid: Floats, spoiling: Spoiling) -> Floats:
    """Return pictures, all but every fourth with a rim that is the same in all, about as wide as a camera moves."""
    moves = math.ceil(spoiling.shift + spoiling.move + spoiling.perspective)
    usual, seen = laid.mean(0), laid.copy()
    for number, more in enumerate(RIMS):
        rim = min(moves + more, REACH)
        outside = np.ones(laid.shape[1:3], dtype=np.bool_)
        outside[rim : laid.shape[1] - rim, rim : laid.shape[2] - rim] = False
        some = seen[number + 1 :: len(RIMS) + 1]
        some[:, outside] = usual[outside]
    return seen


def _regressed(padded: Floats, clean: Images, strip: slice) -> Floats:
    """Return what makes some rows of clean pictures of neighbourhoods: (pixels, neighbours + 1)."""
    around = _neighbourhoods(padded, strip)
    square = around.transpose(0, 2, 1) @ around
    square += len(clean) * NOISE**2 * np.eye(square.shape[1], dtype=np.float32)
    target = clean[:, strip].reshape(len(clean), -1).T[:, :, None].astype(np.float32)
    weights: Floats = np.linalg.solve(square, around.transpose(0, 2, 1) @ target)[:, :, 0]
    return weights


def _padded(images: Floats, width: int) -> Floats:
    """Return pictures in which every pixel that is not ground has all its neighbours, and nothing else."""
    missing, cut = max(0, REACH - width), max(0, width - REACH)
    pad = [(0, 0), (missing, missing), (missing, missing)] + [(0, 0)] * (images.ndim - 3)
    inner = np.pad(images, pad, mode="edge")
    return inner[:, cut : inner.shape[1] - cut, cut : inner.shape[2] - cut]


def _neighbourhoods(padded: Floats, strip: slice) -> Floats:
    """Return what is around each pixel of some rows, and a constant: (pixels, pictures, neighbours + 1)."""
    size = 2 * REACH + 1
    windows = sliding_window_view(padded, (size, size), axis=(1, 2))[:, strip]  # (pictures, rows, width, …, size, size)
    flat = windows.reshape(len(padded), math.prod(windows.shape[1:-2]), size * size).transpose(1, 0, 2)
    ones = np.full((*flat.shape[:2], 1), 255, dtype=np.float32)
    return np.concatenate([flat, ones], axis=2)
