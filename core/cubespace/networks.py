"""The networks between pictures, states and actions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import partial

import torch
from torch import Tensor, nn

from cubespace.errors import UsageError
from cubespace.noise import Dropout, GaussianNoise
from cubespace.recipe import ModelConfig, network_options

# As in Keras, which the paper used: PyTorch's smaller eps blows near-constant bits up and swamps effects.
BatchNorm1d = partial(nn.BatchNorm1d, eps=1e-3, momentum=0.01)
BatchNorm2d = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)

NEVER = -1e4  # logit of a label that is not to be given, or of a symbol that is not to be seen
SHARP = 2.0  # by how much the logit of a symbol falls with the square of the distance to what it looks like


def hidden(inputs: int, width: int, dropout: float) -> nn.Sequential:
    """Return one hidden layer; batch norm has the bias."""
    layers = [nn.Linear(inputs, width, bias=False), BatchNorm1d(width), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, Dropout(dropout)) if dropout else nn.Sequential(*layers)


def perceptron(inputs: int, outputs: int, *, width: int, depth: int, dropout: float = 0.0) -> nn.Sequential:
    """Return ``depth`` hidden layers and a linear one."""
    sizes = [inputs] + [width] * depth
    layers = [hidden(size, width, dropout) for size in sizes[:-1]]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], outputs))


class Picture(nn.Module):
    """Give rows of pixels their shape: (batch, height * width * channels) to (batch, channels, height, width)."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        super().__init__()
        self.shape = shape

    def forward(self, pixels: Tensor) -> Tensor:
        """Return the pictures, in the memory order the pixels came in."""
        return pixels.view(-1, *self.shape).permute(0, 3, 1, 2)


class Pixels(nn.Module):
    """Cut pictures to the wanted size and flatten them: the inverse of :class:`Picture`."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        super().__init__()
        self.shape = shape

    def forward(self, pictures: Tensor) -> Tensor:
        """Return (batch, height * width * channels)."""
        height, width, _ = self.shape
        return pictures[:, :, :height, :width].permute(0, 2, 3, 1).flatten(1)


def mlp_encoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return a network from noisy pixels to the logits of bits."""
    return nn.Sequential(GaussianNoise(config.noise), _dense_encoder(math.prod(shape), config))


def mlp_decoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return a network from bits to the logits of pixels."""
    return _dense_decoder(math.prod(shape), config)


class Looking(nn.Module, ABC):
    """A part that looks at pictures before it is trained, to begin with what it sees."""

    @abstractmethod
    def look(self, pixels: Tensor) -> None:
        """Set the weights by some pictures, (pictures, pixels)."""


class Piles(Looking):
    """What lies in each column of a picture, no matter how high: every row of a column shows one of some symbols.

    A bit is about a symbol and a column. Its logit is that of the probability of the symbol in the row where it is most
    likely. Symbols compete for a row, so two things that the decoder must tell apart cannot share one.
    """

    def __init__(self, shape: tuple[int, int, int], columns: int, symbols: int) -> None:
        super().__init__()
        height, width, colours = shape
        self.split = (height, columns, width // columns * colours)
        self.symbol = nn.Linear(self.split[2], symbols)

    @torch.no_grad()
    def look(self, pixels: Tensor) -> None:
        """Begin with symbols for rows that are seen: the most different ones, each farthest from those before.

        Weights and biases are such that a row shows the symbol nearest to it. Symbols that are left over never show.
        """
        rows = torch.unique(pixels.unflatten(1, self.split).flatten(0, 2), dim=0)  # (rows, pixels)
        self.symbol.weight.zero_()
        self.symbol.bias.fill_(NEVER)
        distance = torch.full((len(rows),), math.inf, device=rows.device)
        for symbol in range(len(self.symbol.bias)):
            if distance.max() <= 0:
                return
            seen = rows[distance.argmax()]
            distance = torch.minimum(distance, (rows - seen).square().sum(1))
            self.symbol.weight[symbol] = 2.0 * SHARP * seen
            self.symbol.bias[symbol] = -SHARP * seen.square().sum()

    def forward(self, pixels: Tensor) -> Tensor:
        """Return (batch, columns * symbols)."""
        logits = self.symbol(pixels.unflatten(1, self.split))  # (batch, height, columns, symbols)
        return torch.log_softmax(logits, -1).amax(1).flatten(1)


class PerBit(nn.Module):
    """Scale and shift each bit's logit."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(bits, 1))
        self.bias = nn.Parameter(torch.zeros(bits))

    def forward(self, log_probability: Tensor) -> Tensor:
        """Return (batch, bits)."""
        odds = log_probability - torch.log1p(-log_probability.exp().clamp(max=1 - 1e-6))
        return odds * self.weight[:, 0] + self.bias


def piles_encoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return a network to which each column of a picture is a set of rows."""
    columns = _columns(shape, config, config.encoder)
    piles = Piles(shape, columns, config.bits // columns)
    return nn.Sequential(GaussianNoise(config.noise), piles, PerBit(config.bits))


class SideBySide(nn.Module):
    """Draw each column of a picture from its own bits, all by the same network."""

    def __init__(self, shape: tuple[int, int, int], columns: int, column: nn.Module) -> None:
        super().__init__()
        self.split = (columns, shape[0], shape[1] // columns * shape[2])
        self.column = column

    def forward(self, bits: Tensor) -> Tensor:
        """Return (batch, pixels)."""
        drawn: Tensor = self.column(bits.unflatten(1, (self.split[0], -1)).flatten(0, 1))  # (batch * columns, pixels)
        return drawn.view(-1, *self.split).transpose(1, 2).flatten(1)


def piles_decoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return a network that draws the columns of a picture each by itself."""
    columns = _columns(shape, config, config.decoder)
    pixels = math.prod(shape) // columns
    column = perceptron(config.bits // columns, pixels, width=config.width, depth=config.decoder_depth)
    return nn.Sequential(SideBySide(shape, columns, column))


def _columns(shape: tuple[int, int, int], config: ModelConfig, network: str) -> int:
    columns: int = network_options(network)[1].columns
    if shape[1] % columns or config.bits % columns:
        raise UsageError(f"pictures {shape[1]} wide and {config.bits} bits cannot be divided among {columns} columns")
    return columns


def conv_encoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return the paper's encoder: two convolutions, each halving the picture, then dense layers."""
    height, width, colours = shape
    layers: list[nn.Module] = [GaussianNoise(config.noise), Picture(shape), BatchNorm2d(colours)]
    for channels in (colours, config.channels):
        layers += [nn.Conv2d(channels, config.channels, 3, padding=1), nn.ReLU(inplace=True), Dropout(config.dropout)]
        layers += [BatchNorm2d(config.channels), nn.MaxPool2d(2, ceil_mode=True)]
    flat = config.channels * _halved(_halved(height)) * _halved(_halved(width))
    return nn.Sequential(*layers, nn.Flatten(), _dense_encoder(flat, config))


def conv_decoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return the mirror image of the encoder: dense layers, then two convolutions, each doubling the picture."""
    height, width, colours = shape
    small = (config.channels, _halved(_halved(height)), _halved(_halved(width)))
    dense = _dense_decoder(math.prod(small), config)
    layers = [
        nn.Unflatten(1, small),
        BatchNorm2d(config.channels),
        nn.ReLU(inplace=True),
        nn.ConvTranspose2d(config.channels, config.channels, 4, stride=2, padding=1),
        BatchNorm2d(config.channels),
        nn.ReLU(inplace=True),
        nn.ConvTranspose2d(config.channels, colours, 4, stride=2, padding=1),
        Pixels(shape),
    ]
    return nn.Sequential(dense, *layers)


def _dense_encoder(inputs: int, config: ModelConfig) -> nn.Sequential:
    depth = config.encoder_depth
    return perceptron(inputs, config.bits, width=config.width, depth=depth, dropout=config.dropout)


def _dense_decoder(outputs: int, config: ModelConfig) -> nn.Sequential:
    return perceptron(config.bits, outputs, width=config.width, depth=config.decoder_depth)


def _halved(size: int) -> int:
    return (size + 1) // 2


class ActionHead(nn.Module):
    """Name the action between two states: action(z0, z1), which reads z0 again at every layer."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        inputs = [config.bits] + [config.action_width] * config.action_depth
        self.layers = nn.ModuleList(hidden(size + config.bits, config.action_width, 0.0) for size in inputs[:-1])
        self.label = nn.Linear(inputs[-1] + config.bits, config.actions)

    def forward(self, before: Tensor, after: Tensor) -> Tensor:
        """Return the logits of the action labels, (batch, actions)."""
        features = after  # (batch, bits)
        for layer in self.layers:
            features = layer(torch.cat((features, before), dim=1))  # (batch, width)
        logits: Tensor = self.label(torch.cat((features, before), dim=1))
        return logits

    @torch.no_grad()
    def write(self, add: Tensor, delete: Tensor) -> None:
        """Set the weights so that label ``a`` is given to the transitions whose difference is nearest to effect ``a``.

        The square of the distance between a difference d = z1 - z0 and an effect e is d² - 2 d·e + e², where d² is the
        same for all labels: so z1 is passed through, z0 is read again, and the last layer has 2 d·e - e² as logit.
        """
        bits = add.shape[1]
        for layer in self.layers:
            linear, norm, *_ = layer.children()
            weight = linear.get_parameter("weight").zero_()  # (width, inputs + bits)
            weight[:bits, :bits] = torch.eye(bits)
            make_identity(norm)
        effect = add.float() - delete.float()  # (effects, bits)
        count = len(effect)
        self.label.weight.zero_()
        self.label.weight[:count, :bits] = 2.0 * effect
        self.label.weight[:count, -bits:] = -2.0 * effect
        self.label.bias.fill_(NEVER)  # labels without effect are never given
        self.label.bias[:count] = -effect.square().sum(1)


def make_identity(norm: nn.Module) -> None:
    """Let a batch norm leave its inputs as they are in evaluation."""
    assert isinstance(norm, nn.BatchNorm1d)
    norm.reset_parameters()  # mean 0, variance 1, scale 1, shift 0
    norm.get_buffer("running_var").sub_(norm.eps)


ENCODERS = {"mlp": mlp_encoder, "conv": conv_encoder, "piles": piles_encoder}
DECODERS = {"mlp": mlp_decoder, "conv": conv_decoder, "piles": piles_decoder}
