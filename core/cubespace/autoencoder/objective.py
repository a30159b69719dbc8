"""What an objective is: the terms of the loss of the whole network, and their weights as training goes on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
from torch import Tensor, nn

from cubespace.autoencoder.losses import total
from cubespace.base.errors import ContractError
from cubespace.base.options import NoOptions
from cubespace.settings.recipe import LossConfig

if TYPE_CHECKING:
    from cubespace.autoencoder.model import SpaceAutoEncoder, Transition


@attrs.frozen(eq=False)
class Renewed:
    """Rows of a parameter that were set anew: what the optimiser remembers about them no longer holds."""

    parameter: nn.Parameter
    rows: Tensor


Losses = dict[str, Tensor]  # terms by name, and their weighted sum as ``total``


def check_losses(losses: object, component: object) -> Losses:
    """Return losses, or raise a :class:`ContractError` that names the component that made them."""
    total = losses.get("total") if isinstance(losses, dict) else None
    if not isinstance(losses, dict) or not isinstance(total, Tensor) or total.ndim or not total.requires_grad:
        raise ContractError("its losses have no 'total', one number that depends on what is trained", component)
    return losses


class Objective(ABC):
    """The loss of the joint training. A subclass is built as ``cls(weights, options)``."""

    Options: ClassVar[type[Any]] = NoOptions
    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts

    def __init__(self, weights: LossConfig, options: Any) -> None:
        self.weights = weights
        self.options = options

    @abstractmethod
    def terms(self, model: SpaceAutoEncoder, outputs: Transition, images: Tensor) -> Losses:
        """Return the terms, unweighted, the same ones at every moment.

        ``images`` are the pictures before and after, (2, batch, pixels) in [0, 1].
        """

    @abstractmethod
    def weigh(self, progress: float) -> Mapping[str, float]:
        """Return the weights of terms at a moment from 0 to 1 of the training; what is left out is not trained on."""

    def losses(
        self, model: SpaceAutoEncoder, outputs: Transition, images: Tensor, weights: Mapping[str, float]
    ) -> Losses:
        """Return the terms and their weighted ``total``."""
        return total(self.terms(model, outputs, images), weights)

    def check(self, model: SpaceAutoEncoder) -> None:  # noqa: B027 - most objectives suit every network
        """Raise a :class:`UsageError` if the parts of the network are not such as the objective needs."""

    def needs_after(self) -> bool:
        """Return whether the picture of x1 drawn from its own bits is needed."""
        return True

    def needs_successor(self) -> bool:
        """Return whether the picture of the predicted successor is needed; drawing it takes a third of the decoder."""
        return True

    def parameter_groups(self, model: SpaceAutoEncoder) -> list[tuple[float, list[nn.Parameter]]]:
        """Return the parameters of the network in groups, each with a factor of the learning rate."""
        return [(1.0, list(model.parameters()))]

    def end_epoch(self, model: SpaceAutoEncoder, images: Tensor, epoch: int, epochs: int) -> Sequence[Renewed]:
        """Look after the network after an epoch, counted from 1, and return the parameters that were set anew.

        ``images`` are the training pairs as bytes, (2, transitions, pixels).
        """
        del model, images, epoch, epochs
        return ()

    def settled(self, progress: float) -> bool:
        """Return whether weights have stopped changing, so that early stopping may compare epochs."""
        return progress >= 1.0
