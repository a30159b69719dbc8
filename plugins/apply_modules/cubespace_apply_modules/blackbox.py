"""The apply module of the vanilla Space AutoEncoder: any function of state and action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import attrs
import torch
from attrs.validators import and_, ge, le, lt
from torch import Tensor, nn

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import ACTIVATIONS, NORM_FIRST, Order, hidden
from cubespace.autoencoder.relaxations import BinConcrete
from cubespace.base.options import MOST_LAYERS, MOST_UNITS, option


@attrs.frozen(kw_only=True)
class BlackBoxOptions:
    """The size of the network."""

    width: int = option(300, "units of a hidden layer", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(1, "hidden layers", and_(ge(0), le(MOST_LAYERS)))
    hidden: Literal["relu", "tanh"] = option("relu", "activation of its hidden layers")
    dropout: float = option(0.0, "fraction of hidden units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in its hidden layers; the authors' code has the activation first")
    reread: bool = option(False, "read the state again at every layer, as in the authors' code")
    activation: Literal["sigmoid", "binconcrete"] = option(
        "binconcrete", "activation of the successor in training; the authors' code uses sigmoid"
    )


class BlackBox(ApplyModule):
    """BinConcrete(network(z0, a)): can learn arbitrary conditional effects, so it has no STRIPS effects."""

    revision = 1
    Options = BlackBoxOptions
    strips: ClassVar[bool] = False

    def __init__(self, bits: int, actions: int, options: BlackBoxOptions) -> None:
        super().__init__(bits, actions, options)
        again = bits if options.reread else 0
        sizes = [bits + actions] + [options.width + again] * options.depth
        function = ACTIVATIONS[options.hidden]
        layers = [hidden(size, options.width, options.dropout, function, options.order) for size in sizes[:-1]]
        self.network = nn.Sequential(*layers, nn.Linear(sizes[-1], bits))
        self.bin_concrete = BinConcrete()

    def successors(self, state: Tensor, labels: Tensor) -> Tensor:
        """Return the exact successors under several actions; the first layer sees each state and each action once."""
        first, *rest = self.network
        linear, *others = first if isinstance(first, nn.Sequential) else [first]
        weight, bias = linear.get_parameter("weight"), getattr(linear, "bias", None)
        from_state = state @ weight[:, : self.bits].T  # (batch, units)
        from_action = weight[:, self.bits :].T[labels]  # (labels, units)
        features: Tensor = (from_state[:, None] + from_action).flatten(0, 1)  # (batch * labels, units)
        if bias is not None:
            features = features + bias
        for layer in others:
            features = layer(features)
        logits = self._through(rest, state.repeat_interleave(len(labels), 0), features)
        successors: Tensor = (logits > 0).unflatten(0, (len(state), len(labels)))
        return successors

    def _through(self, layers: Sequence[nn.Module], state: Tensor, features: Tensor) -> Tensor:
        """Return the logits of successors, (batch, bits), from what the first layer has made of states and actions."""
        for layer in layers:
            features = layer(torch.cat((state, features), dim=1) if self.options.reread else features)
        return features

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        first, *rest = self.network
        logits = self._through(rest, state, first(torch.cat((state, action), dim=1)))  # (batch, bits)
        if self.training and self.options.activation == "sigmoid":
            return torch.sigmoid(logits)
        successor: Tensor = self.bin_concrete(logits, temperature)
        return successor
