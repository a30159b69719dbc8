"""Layers that encoders, decoders, the action head and apply modules share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from cubespace.autoencoder.relaxations import Dropout, softplus_inverse

# As in Keras, which the paper used: PyTorch's smaller eps blows near-constant bits up and swamps effects.
BatchNorm1d = partial(nn.BatchNorm1d, eps=1e-3, momentum=0.01)
BatchNorm2d = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)
Rectifier = partial(nn.ReLU, inplace=True)

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {"relu": Rectifier, "tanh": nn.Tanh}
Order = Literal["norm-activation", "activation-norm"]  # of batch norm and activation in a hidden layer
NORM_FIRST: Order = "norm-activation"

NEVER = -1e4  # logit of a label that is never given, or of a symbol that is never seen
CERTAIN = 10.0  # size of the logit of a bit that is held constant


def hidden(
    inputs: int,
    width: int,
    dropout: float,
    activation: Callable[[], nn.Module] = Rectifier,
    order: Order = NORM_FIRST,
) -> nn.Sequential:
    """Return one hidden layer: dense, batch norm and activation in a given order, dropout; batch norm has the bias."""
    between = [BatchNorm1d(width), activation()]
    layers = [nn.Linear(inputs, width, bias=False), *(between if order == NORM_FIRST else reversed(between))]
    return nn.Sequential(*layers, Dropout(dropout)) if dropout else nn.Sequential(*layers)


def perceptron(
    inputs: int,
    outputs: int,
    *,
    width: int,
    depth: int,
    dropout: float = 0.0,
    activation: str = "relu",
    order: Order = NORM_FIRST,
    bias: bool = True,
) -> nn.Sequential:
    """Return ``depth`` hidden layers and a linear one, which has no ``bias`` if batch norm follows it."""
    sizes = [inputs] + [width] * depth
    layers = [hidden(size, width, dropout, ACTIVATIONS[activation], order) for size in sizes[:-1]]
    return nn.Sequential(*layers, nn.Linear(sizes[-1], outputs, bias=bias))


class Monotone(nn.Module):
    """Batch norm whose scale is always positive: a monotone map of each bit."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.norm = BatchNorm1d(bits, affine=False)
        self.scale = nn.Parameter(torch.full((bits,), softplus_inverse(1.0)))

    def forward(self, values: Tensor) -> Tensor:
        """Return the scaled, normalised values."""
        normal: Tensor = self.norm(values)
        return normal * softplus(self.scale)


class AffineNorm(nn.Module):
    """Batch norm as Keras has it, with scale |γ| and a shift: monotone, and theirs as long as γ stays positive."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.norm = BatchNorm1d(bits, affine=False)
        self.scale = nn.Parameter(torch.ones(bits))
        self.shift = nn.Parameter(torch.zeros(bits))

    def forward(self, values: Tensor) -> Tensor:
        """Return the scaled, shifted, normalised values."""
        normal: Tensor = self.norm(values)
        return normal * self.scale.abs() + self.shift


class Contest(nn.Module):
    """One logit of two: the argument for a bit less the argument against it, as in a softmax over both."""

    def forward(self, arguments: Tensor) -> Tensor:
        """Return (batch, bits) of (batch, 2 bits)."""
        true, false = arguments.chunk(2, dim=1)
        return true - false


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


def make_identity(norm: nn.Module) -> None:
    """Let a batch norm leave its inputs as they are in evaluation."""
    assert isinstance(norm, nn.BatchNorm1d)
    norm.reset_parameters()  # mean 0, variance 1, scale 1, shift 0
    norm.get_buffer("running_var").sub_(norm.eps)


@torch.no_grad()
def initialise_as_glorot(net: nn.Module) -> None:
    """Draw the weights of dense layers and convolutions anew, as Keras does: uniform by both sizes, biases 0."""
    for layer in net.modules():
        if isinstance(layer, nn.Linear | nn.Conv2d | nn.ConvTranspose2d):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def hold_output(layer: nn.Linear, output: int, value: bool) -> None:
    """Let one output of a linear layer be certainly true, or certainly false, whatever its inputs are."""
    with torch.no_grad():
        layer.weight[output] = 0.0
        layer.bias[output] = CERTAIN if value else -CERTAIN


def held_outputs(layer: nn.Linear) -> Tensor:
    """Return the mask of the outputs that do not depend on the inputs."""
    return (layer.weight == 0).all(1)
