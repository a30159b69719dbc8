"""How bright the light of each picture is, if that varies."""

from __future__ import annotations

import attrs
import numpy as np
import torch
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray
from torch import Tensor

from cubespace.base.options import option

Flat = NDArray[np.uint8]  # (pictures, pixels)
Floats = NDArray[np.float32]

QUANTILES = (0.995, 0.97, 0.9, 0.75, 0.5)  # that are tried; the very top is left out, as noise decides there
MAX_PROBED_PIXELS = 2000
MAX_PROBED_PAIRS = 1500
SPREAD_PERCENTILE = 75  # of absolute errors: up to a quarter of the pairs may be wrong
ROUNDING_ERROR = 1e-4  # of the logarithm of a mean in 32 bits
DARK_LEVEL = 48.0  # grey levels


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class LightOptions:
    """When the light is taken to vary, and how it is measured."""

    dark_level: float = option(
        DARK_LEVEL,
        "grey level up to which pixels do not show the light: of darker ones the ratio is mostly rounding and noise",
        and_(ge(0.0), le(255.0)),
    )
    bright_pixels: int = option(
        20, "pixels above that level which a pair must have, and pairs that must have them, to measure the light", ge(1)
    )
    light_change: float = option(
        1 / 255, "smallest relative change of light that matters; by default a grey level of white", ge(0.0)
    )
    light_error: float = option(
        0.5, "largest error of a measure of the light, as a fraction of how much the light varies", gt(0.0)
    )
    light_tie: float = option(
        1.5,
        "measures of the light whose errors differ by less than this factor are equally good; then the brightest "
        "pixels are used, which are seldom hidden",
        ge(1.0),
    )


@attrs.frozen
class Light:
    """The light of a picture is its mean above a quantile of its pixels; ``usual`` is the median over all pictures.

    The light of a picture that is darker than ``dark`` cannot be measured.
    """

    quantile: float
    usual: float
    dark: float = DARK_LEVEL


def relative_light(flat: Flat, light: Light | None) -> Floats:
    """Return the light of each picture relative to the usual; 1 if it does not vary or the picture is dark."""
    if light is None:
        return np.ones(len(flat), dtype=np.float32)
    level = _bright_mean(flat, light.quantile)
    return np.where(level < light.dark, 1, level / light.usual).astype(np.float32)


def find_light(before: Flat, after: Flat, options: LightOptions) -> Light | None:
    """Return how to measure the light, or None if it does not vary.

    Most pixels of a pair show the same thing before and after, so the median ratio of bright pixels is the ratio of the
    two lights. A measure is accepted if it explains most of how that ratio varies.
    """
    columns = slice(None, None, _step(before))
    old, new = (flat[:MAX_PROBED_PAIRS, columns] for flat in (before, after))
    bright = np.minimum(old, new) > options.dark_level
    clear = bright.sum(1) >= options.bright_pixels
    if clear.sum() < options.bright_pixels:
        return None
    old, new, bright = old[clear], new[clear], bright[clear]
    ratio = np.log(np.maximum(new, 1).astype(np.float32) / np.maximum(old, 1))
    truth = np.nanmedian(np.where(bright, ratio, np.nan), axis=1)
    errors = [_spread(np.log(_bright_mean(new, each) / _bright_mean(old, each)) - truth) for each in QUANTILES]
    variation, least = _spread(truth), min(errors)
    if variation < options.light_change or least > options.light_error * variation:
        return None
    most = options.light_tie * least + ROUNDING_ERROR
    best = next(quantile for quantile, error in zip(QUANTILES, errors, strict=True) if error <= most)
    return Light(best, float(np.median(_bright_mean(before, best))), options.dark_level)


def _bright_mean(flat: Flat, quantile: float) -> Floats:
    """Return the mean of the pixels above a quantile, at least 1; it is finer than the quantile, a whole number."""
    probed = flat[:, :: _step(flat)]
    rank = int(quantile * (probed.shape[1] - 1))
    return np.asarray(np.maximum(np.partition(probed, rank, axis=1)[:, rank:].mean(1), 1), dtype=np.float32)


def _step(flat: Flat) -> int:
    return max(1, int(flat.shape[1]) // MAX_PROBED_PIXELS)


def _spread(errors: Floats) -> float:
    """Return the absolute error that most errors are below: a few wrong pairs do not count."""
    return float(np.percentile(np.abs(errors), SPREAD_PERCENTILE))


def bright_columns(pixels: int, device: torch.device) -> Tensor:
    """Return the pixels by which the light of a picture is measured."""
    return torch.arange(0, pixels, max(1, pixels // MAX_PROBED_PIXELS), device=device)


def relative_light_of(levels: Tensor, light: Light) -> Tensor:
    """Return the light of pictures, given as some of their grey levels (batch, columns): as ``relative_light`` does."""
    rank = int(light.quantile * (levels.shape[1] - 1))
    level = levels.topk(levels.shape[1] - rank, dim=1).values.mean(1).clamp(min=1.0)
    return torch.where(level < light.dark, torch.ones_like(level), level / light.usual)
