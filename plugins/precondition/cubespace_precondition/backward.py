"""Preconditions as effects backwards in time: a second Back-to-Logit network regresses the state before an action.

Forwards, an action sets some bits and leaves the others as they are. Backwards it does the same: given the state after
and the action, some bits must have been true, some false, and the others were as they are. The bits that must have had
a value are the precondition. The network learns this from the examples, and monotonicity makes it exact: a bit of
the state before is certain if its logit has the same sign whatever the bit is afterwards. The follow-up of the paper
trains such a network together with everything else (AMA4), and so does the action model ``posterior``: its backward
table is read off as it is. For other codes a network is trained here, on the final bits.
"""

from __future__ import annotations

import attrs
import numpy as np
import torch
from attrs.validators import ge, gt
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace.autoencoder.layers import Monotone
from cubespace.base.arrays import Bits, apply_effect
from cubespace.base.options import option
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions


@attrs.frozen(kw_only=True)
class BackwardOptions:
    """Which regressing network is read, and how one is trained."""

    own: bool = option(False, "train a network here even where the code has learned such a table")
    updates: int = option(1500, "gradient steps", ge(1))
    batch: int = option(500, "examples of a gradient step", ge(2))
    learning_rate: float = option(0.01, "learning rate of Adam", gt(0.0))
    sparsity: float = option(
        1e-3, "weight of the absolute size of effects: the larger it is, the more evidence a literal needs", ge(0.0)
    )


class Regression(nn.Module):
    """BN(z1) + effect(a): the logits of the state before."""

    def __init__(self, bits: int, actions: int) -> None:
        super().__init__()
        self.state_logit = Monotone(bits)
        self.table = nn.Parameter(torch.zeros(actions, bits))  # nothing is certain at first
        self.shift = nn.Parameter(torch.zeros(bits))

    def forward(self, after: Tensor, action: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of the bits before, and the effects they come from, (batch, bits) each."""
        effect = self.table[action]
        return self.state_logit(after) + effect + self.shift, effect

    @torch.no_grad()
    def certain(self) -> Tensor:
        """Return the literals, bool (actions, 2 bits), that hold before an action whatever holds after it."""
        self.eval()
        constants = torch.stack((torch.zeros_like(self.shift), torch.ones_like(self.shift)))
        false, true = self.state_logit(constants) + self.shift  # (bits,) each, false <= true
        return torch.cat((false + self.table > 0, true + self.table < 0), dim=1)


class Backward(PreconditionLearner):
    """Requires what the effect implies, and what the regressing network is certain of and all examples agree with."""

    Options = BackwardOptions
    revision = 2
    options: BackwardOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Read off the table of the code, or train a network on the examples and read that off."""
        certain = evidence.certain
        if certain is None or self.options.own:
            certain = self._train(evidence).certain().numpy()
        agreed: Bits = evidence.implied() | (certain & evidence.static())
        return Preconditions.of(np.asarray(agreed, dtype=np.bool_))

    def _train(self, evidence: Evidence) -> Regression:
        after = apply_effect(evidence.before, evidence.add[evidence.action], evidence.delete[evidence.action])
        states = torch.from_numpy(np.stack([evidence.before, after])).float()  # (2, transitions, bits)
        actions = torch.from_numpy(evidence.action)
        network = Regression(evidence.add.shape[1], len(evidence.add)).train()
        optimizer = torch.optim.Adam(network.parameters(), lr=self.options.learning_rate)
        for _ in range(self.options.updates):
            rows = torch.from_numpy(evidence.rng.integers(states.shape[1], size=self.options.batch))
            logits, effect = network(states[1, rows], actions[rows])
            loss = binary_cross_entropy_with_logits(logits, states[0, rows])
            loss = loss + self.options.sparsity * effect.abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return network
