"""Pictures brought to where, and into the light in which, others were taken: a shift, a gain and an offset."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, shift

from cubespace.base.arrays import Images

Floats = NDArray[np.float64]

STEPS = 4  # of Gauss and Newton
SMOOTH = 1.0  # pixels: a finer structure shows no motion of a pixel or two
TYPICAL = 12.0  # grey levels: where pictures differ by much more, something else is seen, which counts little
WHITE = 255


def aligned(images: Images, frames: Images) -> Images:
    """Return each picture as it would look from where, and in the light in which, its frame was taken."""
    pairs = zip(images.astype(np.float64), frames.astype(np.float64), strict=True)
    straight = [_aligned(*pair) for pair in pairs]
    return np.stack(straight) if straight else images


def _aligned(image: Floats, frame: Floats) -> Images:
    target = gaussian_filter(frame, (SMOOTH, SMOOTH, 0))
    seen = gaussian_filter(image, (SMOOTH, SMOOTH, 0))
    down, right = np.gradient(target, axis=(0, 1))
    columns = np.stack([down.ravel(), right.ravel(), target.ravel(), np.full(target.size, float(WHITE))], axis=1)
    moved, gain, offset = np.zeros(2), 1.0, 0.0
    for _ in range(STEPS):
        apart = (_shifted(seen, moved) - offset) / gain - target
        weight = 1 / (1 + (apart.ravel() / TYPICAL) ** 2)  # of Cauchy
        weighted = columns * weight[:, None]
        step = np.linalg.lstsq(weighted.T @ columns, weighted.T @ apart.ravel(), rcond=None)[0]
        moved = moved + step[:2]
        offset, gain = offset + gain * WHITE * step[3], gain * (1 + step[2])
    straight = (_shifted(image, moved) - offset) / gain
    return np.clip(np.rint(straight), 0, WHITE).astype(np.uint8)


def _shifted(picture: Floats, moved: Floats) -> Floats:
    """Return a picture shifted down and to the right; what comes in from outside repeats the edge."""
    return np.asarray(shift(picture, (moved[0], moved[1], 0), order=1, mode="nearest"))
