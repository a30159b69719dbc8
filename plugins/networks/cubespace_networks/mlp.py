"""Dense layers between all pixels and all bits."""

from __future__ import annotations

import math

import attrs
from attrs.validators import and_, ge, lt
from torch import Tensor, nn

from cubespace.base.options import option
from cubespace.learning.encoder import Decoder, Encoder, Layout, Shape
from cubespace.learning.layers import held_outputs, hold_output, perceptron
from cubespace.learning.relaxations import GaussianNoise


@attrs.frozen(kw_only=True)
class MlpEncoderOptions:
    """The size of the network, and what keeps it from learning pixels by heart."""

    width: int = option(400, "units of a hidden layer", ge(1))
    depth: int = option(1, "hidden layers; with two, bits tend to be parities of others", ge(0))
    noise: float = option(0.2, "standard deviation of the noise added to pictures in training", ge(0.0))
    dropout: float = option(0.2, "fraction of hidden units left out in training", and_(ge(0.0), lt(1.0)))


class MlpEncoder(Encoder):
    """Noisy pixels, dense layers, logits of bits."""

    Options = MlpEncoderOptions
    options: MlpEncoderOptions

    def __init__(self, shape: Shape, layout: Layout, options: MlpEncoderOptions) -> None:
        super().__init__(shape, layout, options)
        dense = perceptron(
            math.prod(shape), layout.bits, width=options.width, depth=options.depth, dropout=options.dropout
        )
        self.net = nn.Sequential(GaussianNoise(options.noise), dense)

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, bits)."""
        logits: Tensor = self.net(pixels)
        return logits

    def hold_bit(self, bit: int, value: bool) -> None:
        """Cut the bit off its inputs."""
        hold_output(self._output, bit, value)

    def held_bits(self) -> Tensor:
        """Return the bits that have no inputs."""
        return held_outputs(self._output)

    @property
    def _output(self) -> nn.Linear:
        """Return the layer whose outputs are the logits of the bits."""
        layer: nn.Linear = self.net[1][-1]  # type: ignore[index]
        return layer


@attrs.frozen(kw_only=True)
class MlpDecoderOptions:
    """The size of the network."""

    width: int = option(400, "units of a hidden layer", ge(1))
    depth: int = option(1, "hidden layers", ge(0))


class MlpDecoder(Decoder):
    """Bits, dense layers, logits of pixels."""

    Options = MlpDecoderOptions
    options: MlpDecoderOptions

    def __init__(self, shape: Shape, layout: Layout, options: MlpDecoderOptions) -> None:
        super().__init__(shape, layout, options)
        self.net = perceptron(layout.bits, math.prod(shape), width=options.width, depth=options.depth)

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels)."""
        pixels: Tensor = self.net(bits)
        return pixels
