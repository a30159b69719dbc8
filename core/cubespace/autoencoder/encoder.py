"""What encoders and decoders are: the networks from pictures to the logits of bits, and from bits back to pictures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from cubespace.autoencoder.layers import CERTAIN
from cubespace.base.options import NoOptions

Shape = tuple[int, int, int]  # height, width, colours


class Encoder(nn.Module, ABC):
    """Pictures to the logits of bits. A subclass is built as ``cls(shape, bits, options)``.

    Some bits turn out to be needless: they can be held at a constant value, whatever is in the picture.
    """

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts

    def __init__(self, shape: Shape, bits: int, options: Any) -> None:
        super().__init__()
        self.shape = shape
        self.bits = bits
        self.options = options

    @abstractmethod
    def forward(self, pixels: Tensor) -> Tensor:
        """Return the logits of the bits, (batch, bits), of pictures in [0, 1], (batch, pixels)."""

    @abstractmethod
    def hold_bit(self, bit: int, value: bool) -> None:
        """Let a bit have one value for every picture, from now on."""

    @abstractmethod
    def held_bits(self) -> Tensor:
        """Return the mask of the bits that are held constant, bool (bits,)."""


class LayeredEncoder(Encoder):
    """An encoder that is one sequence of layers; bits that are held are overruled."""

    net: nn.Sequential
    held: Tensor  # (bits,), the logit of a bit that is held, else 0

    def __init__(self, shape: Shape, bits: int, options: Any) -> None:
        super().__init__(shape, bits, options)
        self.register_buffer("held", torch.zeros(bits))

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        logits: Tensor = self.net(pixels)
        return torch.where(self.held.ne(0), self.held.to(logits.dtype), logits)

    def hold_bit(self, bit: int, value: bool) -> None:
        """Overrule what the layers say of the bit."""
        self.held[bit] = CERTAIN if value else -CERTAIN

    def held_bits(self) -> Tensor:
        """Return the bits that are overruled."""
        return self.held.ne(0)


class Decoder(nn.Module, ABC):
    """Bits to pictures. A subclass is built as ``cls(shape, bits, options)``.

    Most return the logits of pixels. One that ``draws_pixels`` returns pixels themselves, which may leave [0, 1].
    """

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    draws_pixels: ClassVar[bool] = False  # whether its outputs are pixels, not their logits

    def __init__(self, shape: Shape, bits: int, options: Any) -> None:
        super().__init__()
        self.shape = shape
        self.bits = bits
        self.options = options

    @abstractmethod
    def forward(self, bits: Tensor) -> Tensor:
        """Return the logits of the pixels or, if it draws them, pixels, (batch, pixels), of states (batch, bits)."""

    def begin(self, mean: Tensor) -> None:
        """Be told the mean of the training pictures, (pixels,) in [0, 1], before the first update."""

    def paint(self, outputs: Tensor) -> Tensor:
        """Return the pixels, in [0, 1], of what :meth:`forward` returned."""
        return outputs.clamp(0.0, 1.0) if self.draws_pixels else torch.sigmoid(outputs)

    def sprites_of_bits(self) -> Tensor | None:
        """Return what each bit adds to the picture, (pixels, bits); None where that depends on other bits."""
        return None

    def hold_bit(self, bit: int, value: bool, share: float) -> None:
        """Be told that a bit has one value from now on; before, a ``share`` of states had it true."""

    def merge_bits(self, kept: int, copy: int, *, opposite: bool) -> None:
        """Draw with one bit what a copy of it, or its opposite, has drawn; the copy is false from now on."""
        raise NotImplementedError(f"{type(self).__name__} cannot merge bits")


def picture_shape(image_shape: tuple[int, ...]) -> Shape:
    """Return height, width and colours of pictures, 1 colour for grey ones."""
    height, width, *colours = image_shape
    return height, width, colours[0] if colours else 1
