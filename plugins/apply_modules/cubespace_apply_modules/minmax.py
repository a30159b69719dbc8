"""The naive Cube-Space apply: add, delete or nothing for each bit, applied by maximum and minimum."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from cubespace.autoencoder.apply_module import LEAST_PROBABILITY, ApplyModule
from cubespace.autoencoder.relaxations import GumbelSoftmax

ADD, DELETE, NOTHING = range(3)
WRITTEN_LOGIT = 8.0  # of an effect that is written, not learned
INITIAL_NOTHING_LOGIT = 2.0  # an action leaves most bits unchanged


class MinMax(ApplyModule):
    """max(min(z0, 1 - del(a)), add(a)), where effect is a table of F x 3 logits per action under Gumbel-Softmax."""

    revision = 1
    writable: ClassVar[bool] = True

    def __init__(self, bits: int, actions: int, options: Any) -> None:
        super().__init__(bits, actions, options)
        table = torch.randn(actions, bits, 3)
        table[..., NOTHING] += INITIAL_NOTHING_LOGIT
        self.table = nn.Parameter(table.flatten(1))  # (actions, bits * 3)
        self.gumbel_softmax = GumbelSoftmax()

    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed in training, exact bits in evaluation."""
        if not self.training:
            add, delete = self.effects()
            row = action.argmax(1)
            return ((state > 0.5) & ~delete[row] | add[row]).to(state.dtype)
        logits = (action @ self.table).view(-1, self.bits, 3)
        effect = self.gumbel_softmax(logits, temperature)  # (batch, bits, 3)
        return self.combine(state, effect[..., ADD], effect[..., DELETE])

    def bit_logits(self) -> tuple[Tensor, Tensor]:
        """Return the logits of the probabilities of the three effects, put together as relaxed effects are."""
        if not self.training:  # the likeliest of three may be less likely than not
            return super().bit_logits()
        effect = torch.softmax(self.table.view(-1, self.bits, 3), dim=2)  # (actions, bits, 3)
        add, delete = effect[..., ADD], effect[..., DELETE]
        after_false, after_true = (
            self.combine(state, add, delete).clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
            for state in (torch.zeros_like(add), torch.ones_like(add))
        )
        return torch.logit(after_false), torch.logit(after_true)

    def combine(self, state: Tensor, add: Tensor, delete: Tensor) -> Tensor:
        """Apply relaxed effects to a relaxed state."""
        return torch.maximum(torch.minimum(state, 1.0 - delete), add)

    def effects(self) -> tuple[Tensor, Tensor]:
        """Return the add and the delete mask of every action."""
        kind = self.table.detach().view(-1, self.bits, 3).argmax(2)  # (actions, bits)
        return kind == ADD, kind == DELETE

    def tables(self) -> list[nn.Parameter]:
        """Return the table of effects."""
        return [self.table]

    @torch.no_grad()
    def leave_bit(self, bit: int) -> None:
        """Set all effects on a bit to nothing."""
        self.table.view(self.actions, self.bits, 3)[:, bit] = (
            torch.eye(3, device=self.table.device)[NOTHING] * WRITTEN_LOGIT
        )

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
