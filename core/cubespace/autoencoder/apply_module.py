"""What an apply module is: the part of the network that turns a latent state and an action into the successor state."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from torch import Tensor, nn
from torch.nn.functional import one_hot

from cubespace.base.options import NoOptions


class ApplyModule(nn.Module):
    """Apply an action to a latent state.

    A subclass is built as ``cls(bits, actions, options)``. If it is STRIPS-like, the effect of an action is the same in
    every state, by construction, and :meth:`effects` names it.
    """

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    strips: ClassVar[bool] = True  # whether the effects are independent of the state
    writable: ClassVar[bool] = False  # whether effects can be written into it: it then defines write_effects

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

    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Give the first actions exactly these effects, two masks of (effects, bits), and the others none."""
        raise NotImplementedError(f"{type(self).__name__} learns its effects, they cannot be written")
