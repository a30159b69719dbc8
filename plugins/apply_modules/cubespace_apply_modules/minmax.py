"""The naive Cube-Space apply: add, delete or nothing for each bit, applied by maximum and minimum."""

from __future__ import annotations

from typing import Literal

import attrs
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from cubespace.autoencoder.apply_module import LEAST_PROBABILITY, ApplyModule
from cubespace.autoencoder.relaxations import GumbelSoftmax
from cubespace.base.options import option
from cubespace_apply_modules.effect_network import EffectNetwork, EffectOptions, as_in_evaluation

ADD, DELETE, NOTHING = range(3)
WRITTEN_LOGIT = 8.0  # of an effect that is written, not learned


@attrs.frozen(kw_only=True)
class MinMaxOptions(EffectOptions):
    """The effect network, and how its three classes are relaxed and applied."""

    nothing: float = option(2.0, "by how much the initial logit of 'nothing' is larger: most bits stay; 0: theirs")
    noise: bool = option(True, "relax by Gumbel-Softmax as the text says; off: a softmax, as in the authors' code")
    first: Literal["delete", "add"] = option(
        "delete", "what is applied first: delete as in the text, or add as in the authors' code"
    )


class MinMax(ApplyModule):
    """max(min(z0, 1 - del(a)), add(a)), where effect(a) is F x 3 logits under Gumbel-Softmax."""

    revision = 1
    Options = MinMaxOptions

    def __init__(self, bits: int, actions: int, options: MinMaxOptions) -> None:
        super().__init__(bits, actions, options)
        self.writable = options.depth == 0
        if options.depth:
            self.network = EffectNetwork(actions, bits * 3, options, bias=True)
            with torch.no_grad():
                self.network.last.bias.view(bits, 3)[:, NOTHING] += options.nothing
        else:
            table = torch.randn(actions, bits, 3)
            table[..., NOTHING] += options.nothing
            self.table = nn.Parameter(table.flatten(1))  # (actions, bits * 3)
        self.gumbel_softmax = GumbelSoftmax()

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        if not self.training:
            add, delete = self.effects()
            row = action.argmax(1)
            return ((state > 0.5) & ~delete[row] | add[row]).to(state.dtype)
        logits = (self.network(action) if self.options.depth else action @ self.table).view(-1, self.bits, 3)
        relaxed = self.gumbel_softmax(logits, temperature) if self.options.noise else torch.softmax(logits, dim=-1)
        effect: Tensor = relaxed  # (batch, bits, 3)
        return self.combine(state, effect[..., ADD], effect[..., DELETE])

    def bit_logits(self) -> tuple[Tensor, Tensor]:
        """Return the logits of the probabilities of the three effects, put together as relaxed effects are."""
        if not self.training:  # the likeliest of three may be less likely than not
            return super().bit_logits()
        effect = torch.softmax(self._rows().view(-1, self.bits, 3), dim=2)  # (actions, bits, 3)
        add, delete = effect[..., ADD], effect[..., DELETE]
        after_false, after_true = (
            self.combine(state, add, delete).clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
            for state in (torch.zeros_like(add), torch.ones_like(add))
        )
        return torch.logit(after_false), torch.logit(after_true)

    def combine(self, state: Tensor, add: Tensor, delete: Tensor) -> Tensor:
        """Apply relaxed effects to a relaxed state."""
        if self.options.first == "add":
            return self.least(self.most(state, add), 1.0 - delete)
        return self.most(self.least(state, 1.0 - delete), add)

    def most(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the maximum."""
        return torch.maximum(left, right)

    def least(self, left: Tensor, right: Tensor) -> Tensor:
        """Return the minimum."""
        return torch.minimum(left, right)

    def effects(self) -> tuple[Tensor, Tensor]:
        """Return the add and the delete mask of every action."""
        kind = self._rows().detach().view(-1, self.bits, 3).argmax(2)  # (actions, bits)
        return kind == ADD, kind == DELETE

    def _rows(self) -> Tensor:
        """Return the logits of all effects, (actions, bits * 3)."""
        if not self.options.depth:
            return self.table
        with as_in_evaluation(self.network):
            return self.network.rows()

    def tables(self) -> list[nn.Parameter]:
        """Return the table of effects; a network has none, its weights serve all actions."""
        return [] if self.options.depth else [self.table]

    @torch.no_grad()
    def leave_bit(self, bit: int) -> None:
        """Set all effects on a bit to nothing."""
        nothing = one_hot(torch.tensor(NOTHING), 3) * WRITTEN_LOGIT
        if self.options.depth:
            self.network.hold(slice(3 * bit, 3 * bit + 3), nothing.to(self.network.last.weight))
        else:
            self.table.view(self.actions, self.bits, 3)[:, bit] = nothing.to(self.table)

    @torch.no_grad()
    def write_rows(self, rows: Tensor, add: Tensor, delete: Tensor) -> None:
        """Set the effects of some actions clearly."""
        kind = torch.where(add, ADD, torch.where(delete, DELETE, NOTHING))  # (rows, bits)
        self.table[rows] = one_hot(kind, 3).flatten(1).to(self.table.dtype) * WRITTEN_LOGIT

    @torch.no_grad()
    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Set the weights so that the first actions have these effects, (effects, bits), and the others none."""
        kind = torch.full((self.actions, self.bits), NOTHING, device=self.table.device)
        kind[: len(add)] = torch.where(add, ADD, torch.where(delete, DELETE, NOTHING))
        self.table.copy_(one_hot(kind, 3).flatten(1) * WRITTEN_LOGIT)
