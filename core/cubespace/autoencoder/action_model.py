"""What an action model is: the part of the network that infers which action leads from one latent state to another."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import attrs
from torch import Tensor, nn

from cubespace.autoencoder.apply_module import ApplyModule
from cubespace.base.options import NoOptions


@attrs.frozen(kw_only=True)
class ActionShape:
    """The size of an action model that is a network; others ignore it."""

    width: int = 300  # units of a hidden layer
    depth: int = 1  # hidden layers
    activation: str = "relu"  # or tanh


class ActionModel(nn.Module):
    """Infer the action between two states. A subclass is built as ``cls(bits, actions, shape, options)``."""

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    explains: ClassVar[bool] = False  # whether its logits in training are log p(a, z1 | z0): how well it explains them
    needs_effects: ClassVar[bool] = False  # whether it works with STRIPS-like apply modules only
    writable: ClassVar[bool] = False  # whether effects can be written into it: it then defines write_effects

    def __init__(self, bits: int, actions: int, shape: ActionShape, options: Any) -> None:
        super().__init__()
        self.bits = bits
        self.actions = actions
        self.shape = shape
        self.options = options

    @abstractmethod
    def forward(self, before: Tensor, after: Tensor, apply: ApplyModule) -> Tensor:
        """Return the logits of the action labels, (batch, actions), of transitions between states (batch, bits).

        In evaluation the label is the one with the largest logit. ``apply`` is the module that the action is for.
        """

    @abstractmethod
    def choose(self, logits: Tensor, temperature: float) -> Tensor:
        """Return the actions, (batch, actions): rows that sum to one while training, one-hot rows in evaluation."""

    def certain_before(self) -> Tensor | None:
        """Return the literals that hold before each action whatever holds after it, bool (actions, 2 bits).

        The first half are bits that are true, the second bits that are false. None if the model does not learn them.
        """
        return None

    def tables(self) -> list[nn.Parameter]:
        """Return the parameters, (actions, bits), whose rows are what is known about one action and no other."""
        return [parameter for parameter in self.parameters() if parameter.shape == (self.actions, self.bits)]

    def leave_bit(self, bit: int) -> None:
        """Be told that a bit never changes from now on."""

    def write_rows(self, rows: Tensor, add: Tensor, delete: Tensor) -> None:
        """Be told that some labels have these effects from now on, (rows, bits) each."""

    def write_effects(self, add: Tensor, delete: Tensor) -> None:
        """Let label ``a`` be given to the transitions whose difference is nearest to effect ``a``, (effects, bits)."""
        raise NotImplementedError(f"{type(self).__name__} learns its labels, they cannot be written")
