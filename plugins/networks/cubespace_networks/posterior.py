"""Labels by Bayes' rule: an action model without a network of its own.

A STRIPS-like apply module says how probable each successor bit is, so the probability of a transition under each label
follows, and with it the posterior of the labels: no noise, nothing to collapse.
"""

from __future__ import annotations

import attrs
import torch
from attrs.validators import ge, gt
from torch import Tensor, nn
from torch.nn.functional import one_hot, softplus

from cubespace.autoencoder.action_model import ActionModel, ActionShape
from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.autoencoder.devices import full_precision
from cubespace.autoencoder.relaxations import softplus_inverse
from cubespace.base.options import option

INITIAL_SCALE = 2.0  # of the logit of a bit, as in Back-to-Logit
MARGIN = 1.0  # logits by which a written effect decides a bit
RARER = 2.0  # logits by which a label that is given anew is rarer than the most frequent one
TIE = 0.5  # weight of backward mistakes: of labels with equally many forward ones, the one with fewer is taken


@attrs.frozen(kw_only=True)
class PosteriorOptions:
    """What a label must explain besides the successor."""

    backward: float = option(0.3, "weight of the probability of the state before, given the one after", ge(0.0))
    deviation: float = option(2.0, "standard deviation of the initial backward effects", gt(0.0))
    prior: bool = option(True, "learn how frequent labels are; off: all are equally frequent")


class Posterior(ActionModel):
    """p(a | z0, z1) ∝ p(a) p(z1 | z0, a) p(z0 | z1, a)^w.

    The second factor is the apply module's, the third has a Back-to-Logit table of its own: without it one label serves
    several moves that set the same bits. That table says what holds before an action: the precondition network of the
    paper's follow-up.
    """

    revision = 2
    explains = True
    needs_effects = True
    Options = PosteriorOptions
    options: PosteriorOptions

    def __init__(self, bits: int, actions: int, shape: ActionShape, options: PosteriorOptions) -> None:
        super().__init__(bits, actions, shape, options)
        self.prior = nn.Parameter(torch.zeros(actions), requires_grad=options.prior)
        self.table = nn.Parameter(torch.randn(actions, bits) * options.deviation)
        self.scale = nn.Parameter(torch.full((bits,), softplus_inverse(INITIAL_SCALE)))
        self.shift = nn.Parameter(torch.zeros(bits))

    def forward(self, before: Tensor, after: Tensor, apply: ApplyModule) -> Tensor:
        """Return log p(a) p(z1 | z0, a) p(z0 | z1, a)^w in training, minus the mistakes of each label in evaluation.

        In training logits are normalised: their log-sum-exp is the logarithm of the likelihood of the transition.
        """
        with full_precision(before.device):
            before, after = before.float(), after.float()
            forward, backward = apply.bit_logits(), self.backward_logits()
            if not self.training:
                return -mistakes(before, after, *forward) - TIE * mistakes(after, before, *backward) / (1 + self.bits)
            logits = log_likelihood(before, after, *forward) + torch.log_softmax(self.prior, dim=0)
            if self.options.backward:
                logits = logits + self.options.backward * log_likelihood(after, before, *backward)
            return logits

    def backward_logits(self) -> tuple[Tensor, Tensor]:
        """Return how probable each bit is before each action, for bits that are false and true after it."""
        effect, scale = self.table + self.shift, softplus(self.scale)
        return effect - scale, effect + scale

    @torch.no_grad()
    def certain_before(self) -> Tensor | None:
        """Return the literals that the backward table is certain of; None if it has no part in training."""
        if not self.options.backward:
            return None
        false, true = self.backward_logits()
        return torch.cat((false > 0, true < 0), dim=1)

    @torch.no_grad()
    def leave_bit(self, bit: int) -> None:
        """Expect nothing of a bit before any action."""
        self.table[:, bit] = 0.0
        self.shift[bit] = 0.0

    @torch.no_grad()
    def write_rows(self, rows: Tensor, add: Tensor, delete: Tensor) -> None:
        """Expect before these actions the opposite of what they do, and give them a fair share of the prior."""
        self.table[rows] = (delete.float() - add.float()) * (2.0 * softplus(self.scale) + MARGIN) - self.shift
        if self.options.prior:
            self.prior[rows] = self.prior.max() - RARER

    def choose(self, logits: Tensor, temperature: float) -> Tensor:
        """Return the posterior in training, without noise, and the label with the fewest mistakes in evaluation."""
        del temperature
        if self.training:
            return torch.softmax(logits, dim=1)
        return one_hot(logits.argmax(1), self.actions).to(logits.dtype)


def log_likelihood(given: Tensor, bits: Tensor, false: Tensor, true: Tensor) -> Tensor:
    """Return log p(bits | given, a) of each label, (batch, actions), as four matrix products.

    ``false`` and ``true`` are the logits of a bit, (actions, bits), where the given bit is false and where it is true.
    For one bit that is false before and true after, with logit l in the table ``false``, this is l - softplus(l).
    """
    return (
        (bits * (1.0 - given)) @ false.T
        + (bits * given) @ true.T
        - (1.0 - given) @ softplus(false).T
        - given @ softplus(true).T
    )


def mistakes(given: Tensor, bits: Tensor, false: Tensor, true: Tensor) -> Tensor:
    """Return how many of the ``bits`` each label predicts wrongly, (batch, actions)."""
    on_false, on_true = (false > 0).to(given.dtype), (true > 0).to(given.dtype)
    predicted = (1.0 - given) @ on_false.T + given @ on_true.T  # true bits that a label predicts
    right = (bits * (1.0 - given)) @ on_false.T + (bits * given) @ on_true.T
    return bits.sum(1, keepdim=True) + predicted - 2.0 * right
