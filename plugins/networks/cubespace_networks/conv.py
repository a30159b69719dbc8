"""The paper's convolutional encoder, and its mirror image."""

from __future__ import annotations

import math
from typing import Literal

import attrs
import torch
from attrs.validators import and_, ge, le, lt
from torch import Tensor, nn

from cubespace.autoencoder.encoder import Decoder, LayeredEncoder, Shape
from cubespace.autoencoder.layers import NORM_FIRST, BatchNorm2d, Contest, Order, Picture, Pixels, perceptron
from cubespace.autoencoder.relaxations import Dropout, GaussianNoise
from cubespace.base.errors import UsageError
from cubespace.base.options import MOST_LAYERS, MOST_UNITS, option

SMALLEST = 4  # pixels: halved twice and rounded down, one is left


@attrs.frozen(kw_only=True)
class ConvEncoderOptions:
    """The size of the network, and what keeps it from learning pixels by heart."""

    channels: int = option(16, "channels of a convolution", and_(ge(1), le(MOST_UNITS)))
    width: int = option(400, "units of a hidden dense layer", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(1, "hidden dense layers", and_(ge(0), le(MOST_LAYERS)))
    noise: float = option(0.2, "standard deviation of the noise added to pictures in training", ge(0.0))
    dropout: float = option(0.2, "fraction of units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in hidden dense layers; the authors' code has the activation first")
    bias: bool = option(True, "convolutions have a bias; off: none, as in the authors' code")
    pooling: Literal["ceil", "floor"] = option("ceil", "how sizes are halved; the authors' code rounds down")
    logits: Literal["one", "two"] = option(
        "one", "a logit for each bit, or two whose difference it is, as in the softmax over two of the authors' code"
    )


class ConvEncoder(LayeredEncoder):
    """Two convolutions, each halving the picture, then dense layers."""

    revision = 2  # 2: sums in another order, by the memory format
    Options = ConvEncoderOptions
    options: ConvEncoderOptions

    def __init__(self, shape: Shape, bits: int, options: ConvEncoderOptions) -> None:
        super().__init__(shape, bits, options)
        height, width, colours = shape
        if options.pooling == "floor" and min(height, width) < SMALLEST:
            raise UsageError(f"conv:pooling=floor leaves nothing of pictures smaller than {SMALLEST} pixels: use ceil")
        layers: list[nn.Module] = [GaussianNoise(options.noise), Picture(shape), BatchNorm2d(colours)]
        for channels in (colours, options.channels):
            layers += [nn.Conv2d(channels, options.channels, 3, padding=1, bias=options.bias), nn.ReLU(inplace=True)]
            layers += [Dropout(options.dropout), BatchNorm2d(options.channels)]
            layers += [nn.MaxPool2d(2, ceil_mode=options.pooling == "ceil")]
        quarter = _quarter if options.pooling == "ceil" else lambda size: size // 4
        dense = perceptron(
            options.channels * quarter(height) * quarter(width),
            bits if options.logits == "one" else 2 * bits,
            width=options.width,
            depth=options.depth,
            dropout=options.dropout,
            order=options.order,
        )
        self.net = nn.Sequential(*layers, nn.Flatten(), dense, *([] if options.logits == "one" else [Contest()]))
        # channels side by side in memory: pooling and batch norm then take half the time
        nn.utils.convert_conv2d_weight_memory_format(self.net, torch.channels_last)


@attrs.frozen(kw_only=True)
class ConvDecoderOptions:
    """The size of the network, and its hidden dense layers."""

    channels: int = option(16, "channels of a convolution", and_(ge(1), le(MOST_UNITS)))
    width: int = option(400, "units of a hidden dense layer", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(1, "hidden dense layers", and_(ge(0), le(MOST_LAYERS)))
    dropout: float = option(0.0, "fraction of hidden units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in hidden dense layers; the authors' code has the activation first")


class ConvDecoder(Decoder):
    """The mirror image of the encoder: dense layers, then two convolutions, each doubling the picture."""

    revision = 1
    Options = ConvDecoderOptions
    options: ConvDecoderOptions

    def __init__(self, shape: Shape, bits: int, options: ConvDecoderOptions) -> None:
        super().__init__(shape, bits, options)
        height, width, colours = shape
        channels = options.channels
        small = (channels, _quarter(height), _quarter(width))
        self.net = nn.Sequential(
            perceptron(
                bits,
                math.prod(small),
                width=options.width,
                depth=options.depth,
                dropout=options.dropout,
                order=options.order,
            ),
            nn.Unflatten(1, small),
            BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.ConvTranspose2d(channels, channels, 4, stride=2, padding=1),
            BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.ConvTranspose2d(channels, colours, 4, stride=2, padding=1),
            Pixels(shape),
        )

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels)."""
        pixels: Tensor = self.net(bits)
        return pixels


def _quarter(size: int) -> int:
    """Return a size halved twice, rounded up each time."""
    return -(-size // 4)
