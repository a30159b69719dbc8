"""Does the camera move? Within a pair most of what is seen stays as it is: with a fixed camera, exactly there."""

from __future__ import annotations

import attrs
import numpy as np
import torch
from torch import Tensor

from cubespace.base.arrays import Images
from cubespace.learning.registration.registration import as_tensor
from cubespace.learning.registration.warp import LIGHTS, OFFSET_UNIT, PARAMETERS, WARPS, Geometry, blurred, gradients

PROBED_PAIRS = 100
MOST_NUMBERS = 1 << 23  # of the pictures of one side: of large ones, fewer are looked at …
FEWEST_PAIRS = 20  # … but not fewer than these
BLUR = 1.0  # pixels
EDGE = 2  # pixels that are not looked at
TEXTURED = 0.3  # share of the pixels, those that differ most from their neighbours: only they show a motion
ROUNDS = 5  # of robust least squares
TO_DEVIATION = 1.4826  # from the median of absolute errors, if they are normal
LEAST_ERROR = 0.25  # grey levels, that rounding leaves after smoothing
ROOM = 1.5  # by which large motions may be larger than one linear step takes them for
RIDGE = 1e-3  # so that what no pixel shows is zero


@attrs.frozen(kw_only=True, eq=False)
class Motion:
    """How much pairs of pictures show that the camera moves."""

    share: float  # of the pairs, in which a motion of the camera explains differences that nothing else explains
    pixels: float  # by which what is seen moves from before to after, the median over pairs
    most: Tensor  # (12,), variances of what differs between pictures, at most, as the differences of pairs have them


def find_motion(before: Images, after: Images, better: float) -> Motion:
    """Look in how many pairs a motion leaves less of the error that light alone leaves, by a share of ``better``.

    Errors count by their median, as a part of each picture changes by the action.
    """
    count = min(PROBED_PAIRS, max(FEWEST_PAIRS, MOST_NUMBERS // before[0].size), len(before))
    rows = np.linspace(0, len(before) - 1, count).astype(np.intp)
    with torch.inference_mode():
        old, new = (blurred(as_tensor(images[rows]), BLUR) for images in (before, after))
        errors, numbers = zip(*(_explained(old, new, count) for count in (0, WARPS)), strict=True)
        geometry = Geometry.of(*old.shape[2:])
        right, down = geometry.displacement(numbers[1])
        moved = (right**2 + down**2).mean((1, 2)).sqrt()  # (pairs,)
        still, moving = (error.clamp_min(LEAST_ERROR) for error in errors)
        explained = moving < (1 - better) * still
        apart = TO_DEVIATION * numbers[1].abs().median(0).values  # of two pictures: of one, half of that variance
        most = (ROOM * apart) ** 2 / 2
        return Motion(share=float(explained.float().mean()), pixels=float(moved.median()), most=most)


def _explained(old: Tensor, new: Tensor, warps: int) -> tuple[Tensor, Tensor]:
    """Return the error that the first ``warps`` numbers and the light leave, and the numbers: (pairs,), (pairs, 12)."""
    middle = (old + new) / 2
    across, down = gradients(middle)  # (pairs, colours, height, width)
    geometry = Geometry.of(*old.shape[2:])
    columns = geometry.across[:warps, None] * across[:, None] + geometry.down[:warps, None] * down[:, None]
    lit = geometry.ramps[:, None] * middle[:, None]
    lit[:, 1] = OFFSET_UNIT
    columns = torch.cat([columns, lit], dim=1)[..., EDGE:-EDGE, EDGE:-EDGE]  # (pairs, numbers, colours, …)
    steep = (across**2 + down**2)[..., EDGE:-EDGE, EDGE:-EDGE].flatten(1)
    chosen = steep.topk(max(PARAMETERS + 1, int(TEXTURED * steep.shape[1])), dim=1).indices
    seen = columns.flatten(2).gather(2, chosen[:, None].expand(-1, warps + LIGHTS, -1))
    apart = (new - old)[..., EDGE:-EDGE, EDGE:-EDGE].flatten(1).gather(1, chosen)
    return _robust(seen.transpose(1, 2), apart, warps)


def _robust(columns: Tensor, apart: Tensor, warps: int) -> tuple[Tensor, Tensor]:
    """Return the typical error of differences (pairs, pixels) that columns (pairs, pixels, n) leave, and their numbers.

    Weights are those of Cauchy: what is far off counts little.
    """
    error, found = apart, torch.zeros(len(apart), columns.shape[2])
    for _ in range(ROUNDS):
        scale = (TO_DEVIATION * error.abs().median(1).values).clamp_min(LEAST_ERROR)[:, None]
        weighted = columns / (1 + (error / scale) ** 2)[..., None]
        square = weighted.transpose(1, 2) @ columns
        square.diagonal(dim1=1, dim2=2).add_(RIDGE * square.diagonal(dim1=1, dim2=2).mean(1, keepdim=True) + RIDGE)
        found = torch.linalg.solve(square, weighted.transpose(1, 2) @ apart[..., None])[..., 0]
        error = apart - (columns @ found[..., None])[..., 0]
    numbers = torch.zeros(len(apart), PARAMETERS)
    numbers[:, :warps], numbers[:, WARPS:] = found[:, :warps], found[:, warps:]
    return error.abs().median(1).values, numbers
