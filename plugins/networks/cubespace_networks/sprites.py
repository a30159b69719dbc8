"""A linear decoder: a picture is a background and, for each true bit, a sprite that is added to it."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from cubespace.autoencoder.encoder import Decoder, Shape


class SpritesDecoder(Decoder):
    """background + Σ bit · sprite: what a bit does to a picture cannot depend on other bits.

    A dense decoder can unscramble any code, so that nothing asks a bit to mean one thing; small sprites do.
    """

    drawn_well: Tensor  # whether pictures are drawn so well that bits may be given up; set by an objective

    revision = 2
    draws_pixels: ClassVar[bool] = True

    def __init__(self, shape: Shape, bits: int, options: Any) -> None:
        super().__init__(shape, bits, options)
        self.sprites = nn.Linear(bits, math.prod(shape))  # its bias is the background
        self.register_buffer("drawn_well", torch.zeros((), dtype=torch.bool))

    def forward(self, bits: Tensor) -> Tensor:
        """Return pixels, (batch, pixels)."""
        pixels: Tensor = self.sprites(bits)
        return pixels

    @torch.no_grad()
    def begin(self, mean: Tensor) -> None:
        """Let the background be the mean picture: sprites only have to draw what differs from it."""
        self.sprites.bias.copy_(mean)

    def sprites_of_bits(self) -> Tensor:
        """Return the sprites, (pixels, bits)."""
        return self.sprites.weight

    @torch.no_grad()
    def merge_bits(self, kept: int, copy: int, *, opposite: bool) -> None:
        """Add the copy's sprite to that of the kept bit; of an opposite, to the background, and take it away there."""
        weight = self.sprites.weight
        if opposite:
            self.sprites.bias.add_(weight[:, copy])
        weight[:, kept].add_(weight[:, copy], alpha=-1.0 if opposite else 1.0)
        weight[:, copy] = 0.0

    @torch.no_grad()
    def hold_bit(self, bit: int, value: bool, share: float) -> None:
        """Let the background show what the bit has shown on average."""
        self.sprites.bias.add_(self.sprites.weight[:, bit], alpha=share - float(value))
