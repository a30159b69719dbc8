"""Noise for training and the two relaxations that need it: BinConcrete for bits, Gumbel-Softmax for actions."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor, nn

from cubespace.autoencoder.noise_pool import Noise, gumbel_, keep_, logistic_, normal_


class GaussianNoise(nn.Module):
    """Add normal noise while training."""

    def __init__(self, deviation: float) -> None:
        super().__init__()
        self.noise = Noise(partial(normal_, deviation=deviation)) if deviation else None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the noisy inputs in training, the inputs themselves in evaluation."""
        return inputs + self.noise(inputs) if self.training and self.noise is not None else inputs


class Dropout(nn.Module):
    """Dropout whose mask is read from a pool."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.keep = Noise(partial(keep_, rate=rate)) if rate else None

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the inputs with some set to zero and the others scaled up, in training; themselves in evaluation."""
        # in the precision of the inputs, unlike other noise: a mask has no tails, and what follows is half as large
        return inputs * self.keep(inputs).to(inputs.dtype) if self.training and self.keep is not None else inputs


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
