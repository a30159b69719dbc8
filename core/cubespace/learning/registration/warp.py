"""Warps and lights: by twelve numbers a picture is taken to where, and to the light in which, all are compared.

Pictures are tensors of grey levels, (batch, colours, height, width). Eight numbers are a warp, as the displacement, in
pixels, of what is seen at a point: two of a shift, two of a turn and a change of size, two of a shear, two of a tilt.
Four are a light: gain, offset, and slopes to the right and downwards.
"""

from __future__ import annotations

import attrs
import torch
from torch import Tensor, nn

WARPS, LIGHTS = 8, 4
PARAMETERS = WARPS + LIGHTS
NAMES = (
    *("right", "down", "turned", "larger", "sheared", "stretched", "tilted sideways", "tilted"),
    *("gain", "offset", "slope sideways", "slope"),
)
OFFSET_UNIT = 100.0  # grey levels, so that an offset is a number of the size of a gain
LEAST_GAIN = 0.1  # of a picture at any point: darker ones show nothing


@attrs.frozen(eq=False)
class Geometry:
    """What each of the twelve numbers does at each pixel of a picture."""

    across: Tensor  # (8, height, width), the displacement to the right that a unit of each number makes
    down: Tensor  # (8, height, width)
    ramps: Tensor  # (4, height, width), how a unit of each light brightens what is there; 0 for the offset
    base: Tensor  # (height, width, 2), the points that are seen without any displacement, from -1 to 1

    @classmethod
    def of(cls, height: int, width: int) -> Geometry:
        """Return it for pictures of a size; the middle is the origin, and a unit reaches to the edge."""
        row, column = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        u, v = (2 * column - (width - 1)) / width, (2 * row - (height - 1)) / height
        one, none = torch.ones_like(u), torch.zeros_like(u)
        across = torch.stack([one, none, -v, u, v, u, u * u, u * v])
        down = torch.stack([none, one, u, v, u, -v, u * v, v * v])
        grid = torch.stack([2 * column / max(width - 1, 1) - 1, 2 * row / max(height - 1, 1) - 1], dim=-1)
        return cls(across, down, torch.stack([one, none, u, v]), grid)

    def displacement(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Return by how many pixels each point is displaced, right and down: (batch, height, width) each."""
        warp = numbers[:, :WARPS]
        return torch.tensordot(warp, self.across, 1), torch.tensordot(warp, self.down, 1)

    def straighten(self, pictures: Tensor, numbers: Tensor, mode: str = "bilinear") -> Tensor:
        """Return what pictures show where all are compared, in the common light."""
        height, width = pictures.shape[2:]
        right, down = self.displacement(numbers)
        steps = torch.stack([2 * right / max(width - 1, 1), 2 * down / max(height - 1, 1)], dim=-1)
        seen = nn.functional.grid_sample(
            pictures, self.base + steps, mode=mode, padding_mode="border", align_corners=True
        )
        light = numbers[:, WARPS:]
        gain = 1 + torch.tensordot(light, self.ramps, 1)  # (batch, height, width)
        straight: Tensor = (seen - OFFSET_UNIT * light[:, 1, None, None, None]) / gain.clamp_min(LEAST_GAIN)[:, None]
        return straight

    def outside(self, numbers: Tensor) -> Tensor:
        """Return which points are out of view: (batch, height, width)."""
        height, width = self.base.shape[:2]
        right, down = self.displacement(numbers)
        x = right + (self.base[..., 0] + 1) * (width - 1) / 2
        y = down + (self.base[..., 1] + 1) * (height - 1) / 2
        return (x < 0) | (y < 0) | (x > width - 1) | (y > height - 1)


def blurred(pictures: Tensor, sigma: float) -> Tensor:
    """Return pictures that a Gaussian has smoothed; at the edge its weights still add up to 1."""
    if sigma == 0:
        return pictures
    rows, columns = (_smoother(size, sigma, pictures) for size in pictures.shape[2:])
    smooth: Tensor = rows @ pictures @ columns.T
    return smooth


def _smoother(size: int, sigma: float, like: Tensor) -> Tensor:
    place = torch.arange(size, device=like.device)
    weight = torch.exp(-((place[:, None] - place) ** 2) / (2 * sigma**2)).to(like.dtype)
    return weight / weight.sum(1, keepdim=True)


def gradients(pictures: Tensor) -> tuple[Tensor, Tensor]:
    """Return by how much pictures grow brighter to the right and downwards, per pixel."""
    down, across = torch.gradient(pictures, dim=(2, 3))
    return across, down
