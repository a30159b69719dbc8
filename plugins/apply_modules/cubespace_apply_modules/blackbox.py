"""The apply module of the vanilla Space AutoEncoder: any function of state and action."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import torch
from attrs.validators import and_, ge, le
from torch import Tensor, nn

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import hidden
from cubespace.autoencoder.relaxations import BinConcrete
from cubespace.base.options import MOST_LAYERS, MOST_UNITS, option


@attrs.frozen(kw_only=True)
class BlackBoxOptions:
    """The size of the network."""

    width: int = option(300, "units of a hidden layer", and_(ge(1), le(MOST_UNITS)))
    depth: int = option(1, "hidden layers", and_(ge(0), le(MOST_LAYERS)))


class BlackBox(ApplyModule):
    """BinConcrete(network(z0, a)): can learn arbitrary conditional effects, so it has no STRIPS effects."""

    revision = 1
    Options = BlackBoxOptions
    strips: ClassVar[bool] = False

    def __init__(self, bits: int, actions: int, options: BlackBoxOptions) -> None:
        super().__init__(bits, actions, options)
        sizes = [bits + actions] + [options.width] * options.depth
        layers = [hidden(size, options.width, 0.0) for size in sizes[:-1]]
        self.network = nn.Sequential(*layers, nn.Linear(sizes[-1], bits))
        self.bin_concrete = BinConcrete()

    def successors(self, state: Tensor, labels: Tensor) -> Tensor:
        """Return the exact successors under several actions; the first layer sees each state and each action once."""
        first, *rest = self._layers()
        from_state = state @ first.weight[:, : self.bits].T  # (batch, units)
        from_action = first.weight[:, self.bits :].T[labels]  # (labels, units)
        features: Tensor = (from_state[:, None] + from_action).flatten(0, 1)  # (batch * labels, units)
        if first.bias is not None:
            features = features + first.bias
        for layer in rest:
            features = layer(features)
        successors: Tensor = (features > 0).unflatten(0, (len(state), len(labels)))
        return successors

    def _layers(self) -> list[Any]:
        """Return all layers in order, the first of which is linear."""
        return [layer for part in self.network for layer in (part if isinstance(part, nn.Sequential) else [part])]

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        logits = self.network(torch.cat((state, action), dim=1))  # (batch, bits)
        successor: Tensor = self.bin_concrete(logits, temperature)
        return successor
