"""What pictures look like where all are compared, and how far a picture is from it: one step of Gauss and Newton.

Where content changes, pictures differ from their mean, and such pixels have little weight: what never changes is the
anchor.
"""

from __future__ import annotations

import attrs
import torch
from torch import Tensor

from cubespace.learning.registration.warp import OFFSET_UNIT, Geometry, blurred, gradients

EDGE = 3  # pixels at the edge that do not count: they come from outside in many pictures
NOISE = 2.0  # grey levels that differences have anyway
MOST_DEVIATIONS = 2.5  # beyond which a difference counts no more
ALIKE = 9.0  # neighbouring pixels of which one says as much as all: differences of neighbours are alike


@attrs.frozen(eq=False)
class Template:
    """The mean of straightened pictures, smoothed, and how surely each pixel shows it."""

    blur: float
    mean: Tensor  # (colours, height, width)
    weight: Tensor  # (height, width), the inverse of a standard deviation; 0 at the edge

    @classmethod
    def of(cls, seen: Tensor, blur: float) -> Template:
        """Return the template of pictures as they are straightened so far."""
        smooth = blurred(seen, blur)
        variance = smooth.var(0, correction=0).mean(0)  # (height, width)
        weight = torch.zeros_like(variance)
        inner = (slice(EDGE, -EDGE), slice(EDGE, -EDGE))
        weight[inner] = (variance[inner] + NOISE**2).rsqrt()
        return cls(blur, smooth.mean(0), weight)

    def stepper(self, geometry: Geometry, prior: Tensor) -> Stepper:
        """Return what brings pictures nearer to the template."""
        across, down = (part[0] for part in gradients(self.mean[None]))  # (colours, height, width)
        moved = geometry.across[:, None] * across + geometry.down[:, None] * down  # (8, colours, height, width)
        lit = geometry.ramps[:, None] * self.mean
        lit[1] = OFFSET_UNIT
        jacobian = (torch.cat([moved, -lit]) * self.weight).flatten(1)  # (12, pixels)
        return Stepper(
            self, geometry, prior, jacobian, torch.linalg.inv(jacobian @ jacobian.T / ALIKE + (1 / prior).diag())
        )


@attrs.frozen(eq=False)
class Stepper:
    """Steps towards a template, all pictures at once."""

    template: Template
    geometry: Geometry
    prior: Tensor  # (12,), variances
    jacobian: Tensor  # (12, pixels), of weighted differences from the template
    inverse: Tensor  # (12, 12)

    def step(self, smooth: Tensor, numbers: Tensor) -> Tensor:
        """Return better numbers for pictures that are smoothed as the template is."""
        template = self.template
        apart = (self.geometry.straighten(smooth, numbers) - template.mean) * template.weight
        apart = apart.clamp_(-MOST_DEVIATIONS, MOST_DEVIATIONS).flatten(1)  # (batch, pixels)
        slope = apart @ self.jacobian.T / ALIKE + numbers / self.prior
        return numbers - slope @ self.inverse


def anchored(numbers: Tensor) -> Tensor:
    """Return numbers whose mean is zero, as only differences between pictures can be known."""
    return numbers - numbers.mean(0)


def prior_of(numbers: Tensor, least: float) -> Tensor:
    """Return how much the numbers of pictures vary, as variances: half of them are before, half after, pair by pair.

    A camera that moves is elsewhere in every picture. What stays from before to after is content, such as how many
    lamps are lit, which looks like light; only what changes counts.
    """
    before, after = numbers.chunk(2)
    variance = numbers.var(0, correction=0)
    shared = ((before - before.mean(0)) * (after - after.mean(0))).mean(0).clamp_min(0)
    variance -= shared
    return variance.clamp_min(least)
