"""The action head: which action leads from one latent state to another."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cubespace.learning.layers import NEVER, hidden, make_identity


class ActionHead(nn.Module):
    """Name the action between two states: action(z0, z1), which reads z0 again at every layer."""

    def __init__(self, bits: int, actions: int, *, width: int, depth: int) -> None:
        super().__init__()
        inputs = [bits] + [width] * depth
        self.layers = nn.ModuleList(hidden(size + bits, width, 0.0) for size in inputs[:-1])
        self.label = nn.Linear(inputs[-1] + bits, actions)

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
