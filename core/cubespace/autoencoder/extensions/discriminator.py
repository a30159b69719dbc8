"""The action discriminator of AMA2: which transitions can happen, learned from those that did.

There are no examples of what cannot happen. The transitions that random actions of the network make are a mixture of
possible and impossible ones (*unlabelled*), the observed ones are all possible (*positive*). A classifier that tells
observed from random underrates possible transitions by one constant factor, the probability that a possible transition
is among the observed ones; this factor is its mean on observed transitions that it was not trained on (Elkan and Noto
2008). Divided by it, the score is the probability that a transition can happen.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cubespace.autoencoder.layers import perceptron
from cubespace.autoencoder.model import SpaceAutoEncoder

DISCRIMINATOR = "discriminator"  # its name among the extras of a network
DROPOUT = 0.4  # as in the paper's other networks
POSSIBLE = 0.5  # a transition is taken for possible if it is more likely so than not


class ActionDiscriminator(nn.Module):
    """Score a transition by the bits of the states before and after it."""

    labelled: Tensor  # (), the probability that a possible transition is an observed one
    used: Tensor  # bool (actions,), the labels that observed transitions have: only these are worth trying

    def __init__(self, bits: int, actions: int, *, width: int, depth: int) -> None:
        super().__init__()
        self.network = perceptron(2 * bits, 1, width=width, depth=depth, dropout=DROPOUT)
        self.register_buffer("labelled", torch.tensor(1.0))
        self.register_buffer("used", torch.ones(actions, dtype=torch.bool))

    def forward(self, before: Tensor, after: Tensor) -> Tensor:
        """Return the logits, (batch,), of the probability that a transition is an observed one."""
        logits: Tensor = self.network(torch.cat((before, after), dim=1))
        return logits[:, 0]

    def possible(self, before: Tensor, after: Tensor) -> Tensor:
        """Return which transitions can happen, bool (batch,)."""
        return torch.sigmoid(self(before, after)) > POSSIBLE * self.labelled

    @torch.no_grad()
    def calibrate(self, before: Tensor, after: Tensor) -> None:
        """Estimate the constant factor on observed transitions that were not trained on."""
        self.labelled.copy_(torch.sigmoid(self(before, after)).mean())


def find_discriminator(model: SpaceAutoEncoder) -> ActionDiscriminator | None:
    """Return the discriminator of a network, None if it has none."""
    parts = dict(model.extras.items())
    found = parts.get(DISCRIMINATOR)
    return found if isinstance(found, ActionDiscriminator) else None
