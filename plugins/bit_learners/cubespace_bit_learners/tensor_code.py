"""A code whose two directions are fixed linear maps, computed in batches on the CPU: it takes no GPU to be quick."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cubespace.base.arrays import Bits, Images
from cubespace.learning.code import Code, Pictures, SavedCode

BATCH = 1000  # rows that are turned to numbers at once …
MOST_NUMBERS = 1 << 23  # … and numbers, of large pictures: 34 MB, of which a few copies are made
READER, PAINTER = "reader.", "painter."  # what the names of their arrays begin with


class TensorCode(Code):
    """Bits by the sign of what a reader returns, pictures by the sigmoid of what a painter returns."""

    def __init__(
        self,
        image_shape: tuple[int, ...],
        reader: nn.Module,
        painter: nn.Module,
        details: Mapping[str, Any],
        *,
        bits: int,
        groups: tuple[int, ...] | None,
    ) -> None:
        self.image_shape = image_shape
        self.reader = reader.eval()
        self.painter = painter.eval()
        self.details = details
        self.bits = bits
        self.groups = groups

    def encode_pictures(self, images: Images) -> Bits:
        """Return the bits whose logits are positive."""
        bits: Bits = in_batches(lambda part: self.reader(as_numbers(part)) > 0, pixel_rows(images)).numpy()
        return bits

    def decode(self, bits: Bits) -> Pictures:
        """Return the pictures that the painter draws."""
        width = math.prod(self.image_shape)
        pixels = in_batches(lambda part: torch.sigmoid(self.painter(part.float())), torch.from_numpy(bits), width)
        pictures: Pictures = pixels.numpy().reshape(len(bits), *self.image_shape)
        return pictures

    def saved(self) -> SavedCode:
        """Return the weights of both directions."""
        arrays = {
            f"{prefix}{name}": tensor.numpy()
            for prefix, part in ((READER, self.reader), (PAINTER, self.painter))
            for name, tensor in part.state_dict().items()
        }
        return SavedCode(
            image_shape=self.image_shape, bits=self.bits, groups=self.groups, details=self.details, arrays=arrays
        )


def load_weights(reader: nn.Module, painter: nn.Module, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Give both directions the weights that were saved."""
    for prefix, part in ((READER, reader), (PAINTER, painter)):
        named = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        part.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in named.items()})


def pixel_rows(images: Images) -> Tensor:
    """Return pictures as rows of bytes, (batch, pixels)."""
    # torch requires memory that it may write to, and pictures read from files are not
    return torch.from_numpy(np.require(images, requirements=("C", "W"))).flatten(1)


def as_numbers(rows: Tensor) -> Tensor:
    """Return rows of bytes as numbers in [0, 1]."""
    return rows.float().mul_(1.0 / 255.0)


def in_batches(function: Callable[[Tensor], Tensor], rows: Tensor, width: int | None = None) -> Tensor:
    """Evaluate a function on batches of rows; an empty batch keeps the shape of the result when there are no rows.

    ``width`` is how many numbers a row becomes on the way, as many as it has if that is not given.
    """
    size = max(1, min(BATCH, MOST_NUMBERS // max(1, width or rows.shape[1])))
    with torch.inference_mode():
        first = function(rows[:size])
        if len(rows) <= size:
            return first
        every = first.new_empty((len(rows), *first.shape[1:]))  # a list of parts would be in memory twice
        every[:size] = first
        for start in range(size, len(rows), size):
            every[start : start + size] = function(rows[start : start + size])
        return every
