"""The naive Cube-Space apply with smooth maximum and minimum."""

from __future__ import annotations

import math

import attrs
import torch
from attrs.validators import gt
from torch import Tensor

from cubespace.base.options import option
from cubespace_apply_modules.minmax import MinMax, MinMaxOptions


@attrs.frozen(kw_only=True)
class SmoothOptions(MinMaxOptions):
    """As of minmax, and how close the smooth functions are to maximum and minimum."""

    sharpness: float = option(1.0, "sharpness of minimum and maximum: 1 is the paper's, minmax the limit", gt(0.0))


class Smooth(MinMax):
    """As MinMax, with smax(x, y) = log(e^x + e^y) and smin(x, y) = -smax(-x, -y)."""

    revision = 1
    Options = SmoothOptions

    def combine(self, state: Tensor, add: Tensor, delete: Tensor) -> Tensor:
        """Apply relaxed effects to a relaxed state."""
        return super().combine(state, add, delete).clamp(0.0, 1.0)  # rounding can leave the range by the last digit

    def least(self, left: Tensor, right: Tensor) -> Tensor:
        """Return smin."""
        return -self.most(-left, -right)

    def most(self, left: Tensor, right: Tensor) -> Tensor:
        """Return smax."""
        # log 2 less than the paper's formula: the mean of the exponentials, which stays between the two values
        sharpness: float = self.options.sharpness
        return (torch.logaddexp(left * sharpness, right * sharpness) - math.log(2.0)) / sharpness
