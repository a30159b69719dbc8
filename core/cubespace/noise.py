"""Noise for training and the two relaxations that need it: BinConcrete for bits, Gumbel-Softmax for actions.

On a CPU, drawing fresh numbers costs as much as a matrix product. There, each source of noise draws a pool once per
epoch and every use reads it from a random place. On other devices numbers are drawn afresh.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle

import torch
from torch import Tensor, nn

SPARE = 1 << 18  # numbers of a pool beyond the largest use: so many different places to read it from …
PLACES = 4096  # … of which as many are drawn with the pool, then used in turn
SMALLEST = 1e-7  # keeps logarithms of uniform numbers finite


def gumbel_(buffer: Tensor) -> Tensor:
    """Fill with Gumbel noise, -log(-log u)."""
    # two logarithms of uniform numbers: six times faster than exponential_ on a CPU
    return buffer.uniform_().clamp_(SMALLEST, 1.0 - SMALLEST).log_().neg_().log_().neg_()


def logistic_(buffer: Tensor) -> Tensor:
    """Fill with logistic noise, log u - log(1 - u)."""
    return buffer.uniform_().logit_(SMALLEST)


def _normal_(buffer: Tensor, deviation: float) -> Tensor:
    return buffer.normal_(std=deviation)


def _keep_(buffer: Tensor, rate: float) -> Tensor:
    return buffer.uniform_().ge_(rate).div_(1.0 - rate)


class Noise(nn.Module):
    """A source of noise, filled in place by ``fill``."""

    def __init__(self, fill: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.fill = fill
        self.pool: Tensor | None = None  # derived from the random state, so neither saved nor moved
        self.starts: Iterator[int] = iter(())

    def refresh(self) -> None:
        """Forget the pool; the next use draws a new one."""
        self.pool = None

    def forward(self, like: Tensor) -> Tensor:
        """Return noise of the shape, type and device of ``like``; to be read only."""
        if like.device.type != "cpu":
            return self.fill(torch.empty_like(like, memory_format=torch.contiguous_format))
        count = like.numel()
        if self.pool is None or len(self.pool) < count + SPARE:
            self.pool = self.fill(torch.empty(count + SPARE))
            self.starts = cycle(torch.randint(SPARE, (PLACES,)).tolist())
        start = next(self.starts)
        return self.pool[start : start + count].view(like.shape)


def refresh_noise(model: nn.Module) -> None:
    """Let every source of noise in a model draw anew; called before each epoch, so that resuming can begin there."""
    for module in model.modules():
        if isinstance(module, Noise):
            module.refresh()


class GaussianNoise(nn.Module):
    """Add normal noise while training."""

    def __init__(self, deviation: float) -> None:
        super().__init__()
        self.noise = Noise(partial(_normal_, deviation=deviation)) if deviation else None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the noisy inputs in training, the inputs themselves in evaluation."""
        return inputs + self.noise(inputs) if self.training and self.noise is not None else inputs


class Dropout(nn.Module):
    """Dropout whose mask is read from a pool."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.keep = Noise(partial(_keep_, rate=rate)) if rate else None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the inputs with some set to zero and the others scaled up, in training; themselves in evaluation."""
        return inputs * self.keep(inputs) if self.training and self.keep is not None else inputs


class BinConcrete(nn.Module):
    """The relaxed step function: Sigmoid((x + log u - log(1 - u)) / τ); exactly step(x) in evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.noise = Noise(logistic_)

    def forward(self, logits: Tensor, temperature: float) -> Tensor:
        """Return bits, relaxed in training and hard in evaluation."""
        if self.training:
            return torch.sigmoid((logits + self.noise(logits)) / temperature)
        return step(logits)


class GumbelSoftmax(nn.Module):
    """The relaxed argmax over the last dimension: Softmax((x - log(-log u)) / τ); exactly one-hot in evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.noise = Noise(gumbel_)

    def forward(self, logits: Tensor, temperature: float) -> Tensor:
        """Return rows that sum to one, relaxed in training and one-hot in evaluation."""
        if self.training:
            return torch.softmax((logits + self.noise(logits)) / temperature, dim=-1)
        return nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)


def step(logits: Tensor) -> Tensor:
    """Return 1 where a logit is positive, else 0, as numbers."""
    return (logits > 0).to(logits.dtype)


def softplus_inverse(value: float) -> float:
    """Return x with softplus(x) = value: the start of a parameter that must stay positive."""
    return math.log(math.expm1(value))
