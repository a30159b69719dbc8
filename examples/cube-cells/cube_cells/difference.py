"""An action model that sees only what changes: two transitions with the same difference have the same label."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from cubespace.autoencoder.action_model import ActionModel, ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import perceptron
from cubespace.autoencoder.relaxations import GumbelSoftmax


class Difference(ActionModel):
    """Gumbel-Softmax(network(z1 - z0))."""

    def __init__(self, bits: int, actions: int, shape: ActionShape, options: Any) -> None:
        super().__init__(bits, actions, shape, options)
        self.label = perceptron(bits, actions, width=shape.width, depth=shape.depth)
        self.gumbel_softmax = GumbelSoftmax()

    def forward(self, before: Tensor, after: Tensor, apply: ApplyModule) -> Tensor:
        """Return the logits of the labels, (batch, actions)."""
        del apply
        logits: Tensor = self.label(after - before)
        return logits

    def choose(self, logits: Tensor, temperature: float) -> Tensor:
        """Return a relaxed, noisy choice in training and the most likely label in evaluation."""
        action: Tensor = self.gumbel_softmax(logits, temperature)
        return action
