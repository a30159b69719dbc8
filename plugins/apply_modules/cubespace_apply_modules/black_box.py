"""The apply module of the vanilla Space AutoEncoder: any function of state and action."""

from __future__ import annotations

from typing import ClassVar

import attrs
import torch
from attrs.validators import ge
from torch import Tensor, nn

from cubespace.apply import ApplyModule
from cubespace.networks import hidden
from cubespace.noise import BinConcrete


@attrs.frozen(kw_only=True)
class BlackBoxOptions:
    """The size of the network."""

    width: int = attrs.field(default=300, validator=ge(1))
    depth: int = attrs.field(default=1, validator=ge(0))


class BlackBox(ApplyModule):
    """BinConcrete(network(z0, a)): can learn arbitrary conditional effects, so there is no STRIPS model of it."""

    Options = BlackBoxOptions
    strips: ClassVar[bool] = False

    def __init__(self, bits: int, actions: int, options: BlackBoxOptions) -> None:
        super().__init__(bits, actions, options)
        sizes = [bits + actions] + [options.width] * options.depth
        layers = [hidden(size, options.width, 0.0) for size in sizes[:-1]]
        self.network = nn.Sequential(*layers, nn.Linear(sizes[-1], bits))
        self.bin_concrete = BinConcrete()

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        logits = self.network(torch.cat((state, action), dim=1))  # (batch, bits)
        successor: Tensor = self.bin_concrete(logits, temperature)
        return successor
