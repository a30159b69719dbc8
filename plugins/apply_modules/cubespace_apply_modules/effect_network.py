"""effect(a): a table with a row per action or, with hidden layers, a network that has learned to make one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import attrs
import torch
from attrs.validators import and_, ge, le, lt
from torch import Tensor, nn

from cubespace.autoencoder.layers import NORM_FIRST, Order, perceptron
from cubespace.base.options import MOST_LAYERS, MOST_UNITS, option


@attrs.frozen(kw_only=True)
class EffectOptions:
    """The network from a one-hot action to its effect."""

    width: int = option(300, "units of each hidden layer of the effect network", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(
        0,
        "its hidden layers; 0 is a table with a row per action, into which effects can be written",
        and_(ge(0), le(MOST_LAYERS)),
    )
    hidden: Literal["relu", "tanh"] = option("relu", "activation of its hidden layers")
    dropout: float = option(0.0, "fraction of its hidden units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in its hidden layers; the authors' code has the activation first")


@contextmanager
def as_in_evaluation(part: nn.Module) -> Iterator[None]:
    """Use running statistics inside the block, without dropout, with gradients."""
    training = part.training
    part.eval()
    try:
        yield
    finally:
        part.train(training)


class EffectNetwork(nn.Module):
    """A one-hot action to the parameters of its effect, (batch, outputs), by hidden layers."""

    def __init__(self, actions: int, outputs: int, options: EffectOptions, *, bias: bool) -> None:
        super().__init__()
        self.layers = perceptron(
            actions,
            outputs,
            width=options.width,
            depth=options.depth,
            dropout=options.dropout,
            activation=options.hidden,
            order=options.order,
            bias=bias,
        )

    @property
    def last(self) -> nn.Linear:
        """Return the layer whose rows are the outputs."""
        last = self.layers[-1]
        assert isinstance(last, nn.Linear)
        return last

    def forward(self, action: Tensor) -> Tensor:
        """Return (batch, outputs)."""
        effect: Tensor = self.layers(action)
        return effect

    def rows(self) -> Tensor:
        """Return what every action leads to, (actions, outputs): a one-hot row picks a column of the first weights."""
        parts = (part if isinstance(part, nn.Sequential) else [part] for part in self.layers)
        first, *rest = (layer for part in parts for layer in part)
        features: Tensor = first.get_parameter("weight").T
        for layer in rest:
            features = layer(features)
        return features

    @torch.no_grad()
    def hold(self, outputs: slice | int, value: Tensor | float) -> None:
        """Let some outputs be the same for every action: the given value or, without a bias, 0."""
        self.last.weight[outputs] = 0.0
        if self.last.bias is not None:
            self.last.bias[outputs] = value
