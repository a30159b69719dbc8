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

    revision = 1
    linear: ClassVar[bool] = True

    def __init__(self, shape: Shape, bits: int, options: Any) -> None:
        super().__init__(shape, bits, options)
        self.sprites = nn.Linear(bits, math.prod(shape))  # its bias is the background

    def forward(self, bits: Tensor) -> Tensor:
        """Return pixels, (batch, pixels)."""
        pixels: Tensor = self.sprites(bits)
        return pixels

    def sprites_of_bits(self) -> Tensor:
        """Return the sprites, (pixels, bits)."""
        return self.sprites.weight

    @torch.no_grad()
    def hold_bit(self, bit: int, value: bool, share: float) -> None:
        """Let the background show what the bit has shown on average."""
        self.sprites.bias.add_(self.sprites.weight[:, bit], alpha=share - float(value))
