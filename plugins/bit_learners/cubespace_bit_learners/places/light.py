"""How bright the light of each picture is, if that varies."""

from __future__ import annotations

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Flat = NDArray[np.uint8]  # (pictures, pixels)
Floats = NDArray[np.float32]

QUANTILES = (0.995, 0.97, 0.9, 0.75, 0.5)  # the very top is left out: noise decides there
PROBED_PIXELS = 2000
PROBED_PAIRS = 1500
DIM = 48  # grey levels; of darker pixels the ratio is mostly rounding and noise
FEWEST = 20  # bright pixels of a pair, and pairs that have them
FINEST = 1 / 255  # a change of light by less than a grey level does not matter
TIE = 1e-4  # errors of this size are rounding
ALIKE = 1.5  # measures whose errors differ by less are equally good; the brightest pixels are seldom hidden


@attrs.frozen
class Light:
    """The light of a picture is its mean above a quantile of its pixels; ``usual`` is what most pictures have."""

    quantile: float
    usual: float


def relative_light(flat: Flat, light: Light | None) -> Floats:
    """Return the light of each picture relative to the usual; 1 if it does not vary or the picture is dark."""
    if light is None:
        return np.ones(len(flat), dtype=np.float32)
    level = _bright_mean(flat, light.quantile)
    return np.where(level < DIM, 1, level / light.usual).astype(np.float32)


def find_light(before: Flat, after: Flat) -> Light | None:
    """Return how to measure the light, or None if it does not vary.

    Most pixels of a pair show the same thing before and after, so the median ratio of bright pixels is the ratio of the
    two lights. A measure is taken if it explains most of how that ratio varies.
    """
    columns = slice(None, None, _step(before))
    old, new = (flat[:PROBED_PAIRS, columns] for flat in (before, after))
    bright = np.minimum(old, new) > DIM
    clear = bright.sum(1) >= FEWEST
    if clear.sum() < FEWEST:
        return None
    old, new, bright = old[clear], new[clear], bright[clear]
    ratio = np.log(np.maximum(new, 1).astype(np.float32) / np.maximum(old, 1))
    truth = np.nanmedian(np.where(bright, ratio, np.nan), axis=1)
    errors = [_spread(np.log(_bright_mean(new, one) / _bright_mean(old, one)) - truth) for one in QUANTILES]
    varies = _spread(truth)
    if varies < FINEST or min(errors) > varies / 2:
        return None
    best = next(one for one, error in zip(QUANTILES, errors, strict=True) if error <= ALIKE * min(errors) + TIE)
    return Light(best, float(np.median(_bright_mean(before, best))))


def _bright_mean(flat: Flat, quantile: float) -> Floats:
    """Return the mean of the pixels above a quantile, at least 1: finer than the quantile, a whole number."""
    some = flat[:, :: _step(flat)]
    rank = int(quantile * (some.shape[1] - 1))
    return np.asarray(np.maximum(np.partition(some, rank, axis=1)[:, rank:].mean(1), 1), dtype=np.float32)


def _step(flat: Flat) -> int:
    return max(1, int(flat.shape[1]) // PROBED_PIXELS)


def _spread(errors: Floats) -> float:
    """Return the absolute error that three quarters stay below: a few wrong pairs do not count."""
    return float(np.percentile(np.abs(errors), 75))


def bright_columns(pixels: int, device: torch.device) -> Tensor:
    """Return the pixels by which the light of a picture is measured."""
    return torch.arange(0, pixels, max(1, pixels // PROBED_PIXELS), device=device)


def relative_light_of(levels: Tensor, light: Light) -> Tensor:
    """Return the light of pictures, given as some of their grey levels (batch, columns): as ``relative_light`` does."""
    rank = int(light.quantile * (levels.shape[1] - 1))
    level = levels.topk(levels.shape[1] - rank, dim=1).values.mean(1).clamp(min=1.0)
    return torch.where(level < DIM, torch.ones_like(level), level / light.usual)
