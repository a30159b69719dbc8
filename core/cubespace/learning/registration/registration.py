"""Register pictures to a template that they make themselves; what varies between them is found on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cubespace.base.arrays import Images
from cubespace.learning.registration.template import Template, anchored, prior_of
from cubespace.learning.registration.warp import LIGHTS, NAMES, PARAMETERS, WARPS, Geometry, blurred

BLURS = (2.0, 1.5, 1.0, 0.7, 0.7, 0.7)  # pixels, of the rounds of learning: coarse to fine
STEPS = 3  # of each round
COARSE_BLUR, FINE_BLUR = BLURS[0], BLURS[-1]
COARSE_STEPS, FINE_STEPS = 8, 6  # of a picture that is registered
FIRST_WARP, FIRST_LIGHT = 4.0, 0.02  # variances, before pictures say what they are
LEAST_VARIANCE = 1e-6
LEAST_OF_MOST = 0.2  # of the variance of a shift: where nothing but content is seen, it would be taken for none
OUT_OF_VIEW = 0.01  # share of the pictures in which a point is out of view, so that it counts as rim
BATCH = 500  # pictures that are registered at once
WHITE = 255.0


@attrs.frozen(eq=False)
class Registration:
    """How pictures are brought to one template."""

    coarse: Template
    fine: Template
    prior: Tensor  # (12,), variances of what differs between pictures
    picture: Tensor  # (colours, height, width), the template, sharp
    rim: Tensor  # (height, width), bool: what is out of view too often, and shown as the template has it

    @property
    def deviations(self) -> dict[str, float]:
        """Return how much pictures vary by each number: pixels at the edge, and shares of the light."""
        return dict(zip(NAMES, self.prior.sqrt().tolist(), strict=True))

    def numbers(self, pictures: Tensor) -> Tensor:
        """Return the twelve numbers of each picture."""
        geometry = Geometry.of(*pictures.shape[2:])
        numbers = torch.zeros(len(pictures), PARAMETERS)
        for template, steps in ((self.coarse, COARSE_STEPS), (self.fine, FINE_STEPS)):
            stepper, smooth = template.stepper(geometry, self.prior), blurred(pictures, template.blur)
            for _ in range(steps):
                numbers = stepper.step(smooth, numbers)
        return numbers

    def straighten(self, images: Images) -> Images:
        """Return pictures as they would look from where, and in the light in which, all are compared."""
        parts = [self._straighten(images[first : first + BATCH]) for first in range(0, len(images), BATCH)]
        return np.concatenate(parts) if parts else images

    def _straighten(self, images: Images) -> Images:
        with torch.inference_mode():
            pictures = as_tensor(images)
            seen = Geometry.of(*pictures.shape[2:]).straighten(pictures, self.numbers(pictures), "bicubic")
            seen = torch.where(self.rim, self.picture, seen).round_().clamp_(0, WHITE)
            return as_images(seen, images.shape[1:])

    def saved(self) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
        """Return all that builds it again: what fits in JSON, and arrays."""
        arrays = {f"{name}.{part}": getattr(getattr(self, name), part) for name in ("coarse", "fine") for part in PARTS}
        arrays |= {"picture": self.picture, "rim": self.rim}
        details = {"prior": self.prior.tolist(), "blurs": [self.coarse.blur, self.fine.blur]}
        return details, {name: tensor.numpy() for name, tensor in arrays.items()}


PARTS = ("mean", "weight")


def read_registration(details: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Registration:
    """Build a registration again."""
    coarse, fine = (
        Template(float(blur), *(_floats(arrays[f"{name}.{part}"]) for part in PARTS))
        for name, blur in zip(("coarse", "fine"), details["blurs"], strict=True)
    )
    prior = torch.tensor(details["prior"], dtype=torch.float32).clamp_min(LEAST_VARIANCE)
    rim = torch.from_numpy(np.array(arrays["rim"], dtype=np.bool_))
    return Registration(coarse, fine, prior, _floats(arrays["picture"]), rim)


def _floats(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.array(array, dtype=np.float32))  # in half precision in small bundles


def learn_registration(before: Images, after: Images, most: Tensor | None = None) -> Registration:
    """Learn the template, and what varies, from pairs of pictures: coarse to fine, from where they are.

    ``most``, (12,), is as much as numbers can vary, as differences within pairs show it: content can look like motion
    when pictures are compared with their mean, but it is the same before and after.
    """
    with torch.inference_mode():
        pictures = as_tensor(np.concatenate([before, after]))
        geometry = Geometry.of(*pictures.shape[2:])
        numbers = torch.zeros(len(pictures), PARAMETERS)
        prior = torch.tensor([FIRST_WARP] * WARPS + [FIRST_LIGHT] * LIGHTS)
        for blur in BLURS:
            stepper = Template.of(geometry.straighten(pictures, numbers), blur).stepper(geometry, prior)
            smooth = blurred(pictures, blur)
            for _ in range(STEPS):
                numbers = stepper.step(smooth, numbers)
            numbers = anchored(numbers)
            prior = prior_of(numbers, LEAST_VARIANCE)
            if most is not None:
                prior = prior.minimum(most.clamp_min(LEAST_VARIANCE))
                prior[:2] = prior[:2].maximum(LEAST_OF_MOST * most[:2])
        seen = geometry.straighten(pictures, numbers, "bicubic")
        rim = geometry.outside(numbers).float().mean(0) > OUT_OF_VIEW
        return Registration(Template.of(seen, COARSE_BLUR), Template.of(seen, FINE_BLUR), prior, seen.mean(0), rim)


def as_tensor(images: Images) -> Tensor:
    """Return pictures as grey levels, (batch, colours, height, width)."""
    pictures = torch.from_numpy(np.require(images, requirements=("C", "W"))).float()
    return pictures[:, None] if images.ndim == 3 else pictures.permute(0, 3, 1, 2).contiguous()


def as_images(pictures: Tensor, shape: tuple[int, ...]) -> Images:
    """Return pictures as bytes."""
    colours_last = pictures.permute(0, 2, 3, 1).to(torch.uint8).contiguous()
    images: Images = colours_last.numpy().reshape(len(pictures), *shape)
    return images
