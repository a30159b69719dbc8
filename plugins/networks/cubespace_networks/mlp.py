"""Dense layers between all pixels and all bits."""

from __future__ import annotations

import math

import attrs
from attrs.validators import and_, ge, le, lt
from torch import Tensor, nn

from cubespace.autoencoder.encoder import Decoder, LayeredEncoder, Shape
from cubespace.autoencoder.layers import NORM_FIRST, Order, perceptron
from cubespace.autoencoder.relaxations import GaussianNoise
from cubespace.base.options import MOST_LAYERS, MOST_UNITS, option


@attrs.frozen(kw_only=True)
class MlpEncoderOptions:
    """The size of the network, and what keeps it from learning pixels by heart."""

    width: int = option(400, "units of a hidden layer", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(1, "hidden layers; with two, bits tend to be parities of others", and_(ge(0), le(MOST_LAYERS)))
    noise: float = option(0.2, "standard deviation of the noise added to pictures in training", ge(0.0))
    dropout: float = option(0.2, "fraction of hidden units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in hidden layers; the authors' code has the activation first")


class MlpEncoder(LayeredEncoder):
    """Noisy pixels, dense layers, logits of bits."""

    revision = 1
    Options = MlpEncoderOptions
    options: MlpEncoderOptions

    def __init__(self, shape: Shape, bits: int, options: MlpEncoderOptions) -> None:
        super().__init__(shape, bits, options)
        dense = perceptron(
            math.prod(shape),
            bits,
            width=options.width,
            depth=options.depth,
            dropout=options.dropout,
            order=options.order,
        )
        self.net = nn.Sequential(GaussianNoise(options.noise), dense)


@attrs.frozen(kw_only=True)
class MlpDecoderOptions:
    """The size of the network, and its hidden layers."""

    width: int = option(400, "units of a hidden layer", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(1, "hidden layers", and_(ge(0), le(MOST_LAYERS)))
    dropout: float = option(0.0, "fraction of hidden units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in hidden layers; the authors' code has the activation first")


class MlpDecoder(Decoder):
    """Bits, dense layers, logits of pixels."""

    revision = 1
    Options = MlpDecoderOptions
    options: MlpDecoderOptions

    def __init__(self, shape: Shape, bits: int, options: MlpDecoderOptions) -> None:
        super().__init__(shape, bits, options)
        self.net = perceptron(
            bits,
            math.prod(shape),
            width=options.width,
            depth=options.depth,
            dropout=options.dropout,
            order=options.order,
        )

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels)."""
        pixels: Tensor = self.net(bits)
        return pixels
