"""The networks between pictures, states and actions."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor, nn

from cubespace.noise import Dropout, GaussianNoise
from cubespace.recipe import ModelConfig

# As in Keras, which the paper used: PyTorch's smaller eps blows near-constant bits up and swamps effects.
BatchNorm1d = partial(nn.BatchNorm1d, eps=1e-3, momentum=0.01)
BatchNorm2d = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)


def hidden(inputs: int, width: int, dropout: float) -> nn.Sequential:
    """Return one hidden layer; batch norm has the bias."""
    layers = [nn.Linear(inputs, width, bias=False), BatchNorm1d(width), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, Dropout(dropout)) if dropout else nn.Sequential(*layers)


def perceptron(inputs: int, outputs: int, config: ModelConfig, dropout: float) -> nn.Sequential:
    """Return ``config.depth`` hidden layers and a linear one."""
    sizes = [inputs] + [config.width] * config.depth
    layers = [hidden(size, config.width, dropout) for size in sizes[:-1]]
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
    return nn.Sequential(GaussianNoise(config.noise), perceptron(math.prod(shape), config.bits, config, config.dropout))


def mlp_decoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return a network from bits to the logits of pixels."""
    return perceptron(config.bits, math.prod(shape), config, 0.0)


def conv_encoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return the paper's encoder: two convolutions, each halving the picture, then dense layers."""
    height, width, colours = shape
    layers: list[nn.Module] = [GaussianNoise(config.noise), Picture(shape), BatchNorm2d(colours)]
    for channels in (colours, config.channels):
        layers += [nn.Conv2d(channels, config.channels, 3, padding=1), nn.ReLU(inplace=True), Dropout(config.dropout)]
        layers += [BatchNorm2d(config.channels), nn.MaxPool2d(2, ceil_mode=True)]
    flat = config.channels * _halved(_halved(height)) * _halved(_halved(width))
    return nn.Sequential(*layers, nn.Flatten(), perceptron(flat, config.bits, config, config.dropout))


def conv_decoder(shape: tuple[int, int, int], config: ModelConfig) -> nn.Sequential:
    """Return the mirror image of the encoder: dense layers, then two convolutions, each doubling the picture."""
    height, width, colours = shape
    small = (config.channels, _halved(_halved(height)), _halved(_halved(width)))
    dense = perceptron(config.bits, math.prod(small), config, 0.0)
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


ENCODERS = {"mlp": mlp_encoder, "conv": conv_encoder}
DECODERS = {"mlp": mlp_decoder, "conv": conv_decoder}
