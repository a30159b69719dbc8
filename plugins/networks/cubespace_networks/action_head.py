"""The paper's action model: a network that names the action between two latent states."""

from __future__ import annotations

from typing import ClassVar

import attrs
import torch
from attrs.validators import and_, ge, lt
from torch import Tensor, nn

from cubespace.autoencoder.action_model import ActionModel, ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.layers import ACTIVATIONS, NEVER, NORM_FIRST, Order, hidden, make_identity
from cubespace.autoencoder.relaxations import GumbelSoftmax
from cubespace.base.options import option


@attrs.frozen(kw_only=True)
class HeadOptions:
    """The hidden layers, beyond their number, width and activation."""

    dropout: float = option(0.0, "fraction of hidden units left out in training", and_(ge(0.0), lt(1.0)))
    order: Order = option(NORM_FIRST, "order in hidden layers; the authors' code has the activation first")


class ActionHead(ActionModel):
    """Gumbel-Softmax(action(z0, z1)), where action is a network that reads z0 again at every layer."""

    revision = 1
    Options = HeadOptions
    writable: ClassVar[bool] = True

    def __init__(self, bits: int, actions: int, shape: ActionShape, options: HeadOptions) -> None:
        super().__init__(bits, actions, shape, options)
        inputs = [bits] + [shape.width] * shape.depth
        function = ACTIVATIONS[shape.activation]
        self.layers = nn.ModuleList(
            hidden(size + bits, shape.width, options.dropout, function, options.order) for size in inputs[:-1]
        )
        self.label = nn.Linear(inputs[-1] + bits, actions)
        self.gumbel_softmax = GumbelSoftmax()

    def forward(self, before: Tensor, after: Tensor, apply: ApplyModule) -> Tensor:
        """Return the logits of the action labels, (batch, actions)."""
        del apply  # the network infers the action from the two states alone
        features = after  # (batch, bits)
        for layer in self.layers:
            features = layer(torch.cat((features, before), dim=1))  # (batch, width)
        logits: Tensor = self.label(torch.cat((features, before), dim=1))
        return logits

    def choose(self, logits: Tensor, temperature: float) -> Tensor:
        """Return a relaxed, noisy choice in training and the most likely label in evaluation."""
        action: Tensor = self.gumbel_softmax(logits, temperature)
        return action

    @torch.no_grad()
    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Set the weights so that label ``a`` is given to the transitions whose difference is nearest to effect ``a``.

        The square of the distance between a difference d = z1 - z0 and an effect e is d² - 2 d·e + e², where d² is the
        same for all labels: so z1 is passed through, z0 is read again, and the last layer has 2 d·e - e² as logit.
        """
        bits = add.shape[1]
        passed = torch.ones(1)  # what a true bit of z1 has become after the hidden layers; a false one stays 0
        for layer in self.layers:
            linear, *between = layer.children()
            weight = linear.get_parameter("weight").zero_()  # (width, inputs + bits)
            weight[:bits, :bits] = torch.eye(bits)
            norm, activation = between[:2] if self.options.order == NORM_FIRST else (between[1], between[0])
            make_identity(norm)
            passed = activation(passed)
        effect = add.float() - delete.float()  # (effects, bits)
        count = len(effect)
        self.label.weight.zero_()
        self.label.weight[:count, :bits] = 2.0 * effect / passed.to(effect.device)
        self.label.weight[:count, -bits:] = -2.0 * effect
        self.label.bias.fill_(NEVER)  # labels without effect are never given
        self.label.bias[:count] = -effect.square().sum(1)
