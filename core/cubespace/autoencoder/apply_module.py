"""What an apply module is: the part of the network that turns a latent state and an action into the successor state."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from cubespace.base.options import NoOptions

WARM = 1.0  # the temperature at which relaxed successors are probabilities
CERTAIN = 10.0  # the logit of a bit that an action decides
LEAST_PROBABILITY = 1e-4  # of a bit after an action: the logit stays finite


class ApplyModule(nn.Module):
    """Apply an action to a latent state.

    A subclass is built as ``cls(bits, actions, options)``. If it is STRIPS-like, the effect of an action is the same in
    every state, by construction, and :meth:`effects` names it.
    """

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    strips: ClassVar[bool] = True  # whether the effects are independent of the state
    writable: bool = False  # whether effects can be written into it: write_effects and write_rows do it

    def __init__(self, bits: int, actions: int, options: Any) -> None:
        super().__init__()
        self.bits = bits
        self.actions = actions
        self.options = options

    @abstractmethod
    def forward(self, state: Tensor, action: Tensor, temperature: float) -> Tensor:
        """Return the successor: relaxed, in [0, 1], while training; exact bits, 0 or 1, in evaluation.

        ``state`` is (batch, bits), ``action`` is (batch, actions) with rows that sum to one.
        """

    def bit_logits(self) -> tuple[Tensor, Tensor]:
        """Return how probable each bit is after each action: two tables of logits, (actions, bits).

        The first is for bits that are false before the action, the second for bits that are true. An action model that
        infers labels by Bayes' rule needs nothing else of a STRIPS-like module. Differentiable in training; in
        evaluation the signs are those of :meth:`effects`. A subclass may know them without asking :meth:`forward`.
        """
        if not self.training:
            add, delete = self.effects()
            return CERTAIN * (2.0 * add.float() - 1.0), CERTAIN * (1.0 - 2.0 * delete.float())
        device = next(self.parameters()).device
        every_action = torch.eye(self.actions, device=device)
        false = torch.zeros(self.actions, self.bits, device=device)
        after_false, after_true = (
            self(state, every_action, WARM).clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
            for state in (false, 1.0 - false)
        )
        return torch.logit(after_false), torch.logit(after_true)

    def tables(self) -> list[nn.Parameter]:
        """Return the parameters, (actions, bits, …), whose rows are what is known about one action and no other."""
        return [parameter for parameter in self.parameters() if parameter.shape[:2] == (self.actions, self.bits)]

    def successors(self, state: Tensor, labels: Tensor) -> Tensor:
        """Return the exact successors of states, (batch, bits), under each of some actions: bool (batch, labels, bits).

        For evaluation only. A subclass may know a faster way than one action at a time.
        """
        if self.strips:
            add, delete = self.effects()
            return (state[:, None].bool() & ~delete[labels]) | add[labels]
        actions = one_hot(labels, self.actions).to(state.dtype)
        rows: Tensor = self(state.repeat_interleave(len(labels), 0), actions.repeat(len(state), 1), 1.0)
        successors: Tensor = rows.bool().unflatten(0, (len(state), len(labels)))
        return successors

    def effects(self) -> tuple[Tensor, Tensor]:
        """Return the add and the delete mask of every action: two of bool (actions, bits), never both true."""
        raise NotImplementedError(f"{type(self).__name__} has no STRIPS effects")

    @torch.no_grad()
    def leave_bit(self, bit: int) -> None:
        """Let no action change a bit; a subclass whose tables are not of logits says how."""
        for table in self.tables():
            table[:, bit] = 0.0

    def write_rows(self, rows: Tensor, add: Tensor, delete: Tensor) -> None:
        """Give some actions these effects, (rows, bits) each, from which training goes on; others stay as they are."""
        raise NotImplementedError(f"{type(self).__name__} learns its effects, they cannot be written")

    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Give the first actions exactly these effects, two masks of (effects, bits), and the others none."""
        raise NotImplementedError(f"{type(self).__name__} learns its effects, they cannot be written")
