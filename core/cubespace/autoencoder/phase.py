"""What a phase of training is: some epochs that train some parts of the network by some losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn

from cubespace.autoencoder import schedules
from cubespace.autoencoder.losses import Losses
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.schedules import Lengths, lengths
from cubespace.settings.recipe import TrainConfig


class Phase(ABC):
    """Some epochs of training with the same parts and losses.

    ``images`` is the whole training split, uint8 (2, transitions, pixels): the pictures before and those after.
    """

    name: ClassVar[str]

    def __init__(self, model: SpaceAutoEncoder, images: Tensor, config: TrainConfig) -> None:
        self.model = model
        self.images = images
        self.config = config
        self.lengths = lengths(config, images.shape[1])
        model.eval()
        for part in self.parts():
            part.train()

    @staticmethod
    @abstractmethod
    def epochs(lengths: Lengths) -> int:
        """Return how long the phase takes at most."""

    @abstractmethod
    def parts(self) -> Sequence[nn.Module]:
        """Return what is trained; the rest stays as it is, in evaluation mode."""

    @abstractmethod
    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the losses of some transitions, ``total`` among them, at a moment from 0 to 1 of the phase."""

    def learning_rate(self, progress: float) -> float:
        """Return the learning rate of a moment."""
        return schedules.learning_rate(self.config, progress)

    def prepare(self) -> None:  # noqa: B027 - most phases need nothing
        """Do what is to be done once, before the first epoch."""

    def end_epoch(self, epoch: int) -> bool:  # noqa: ARG002
        """Do what is to be done after so many epochs, and return whether that was enough."""
        return False

    def leave(self) -> None:  # noqa: B027 - most phases need nothing
        """Do what is to be done once, after the last epoch."""

    def state(self) -> dict[str, Tensor]:
        """Return what the rest of the phase depends on besides the network."""
        return {}

    def restore(self, state: dict[str, Tensor]) -> None:  # noqa: B027 - most phases have no state
        """Continue where :meth:`state` was taken."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """Yield the parameters of the parts."""
        for part in self.parts():
            yield from part.parameters()

    def settled(self, progress: float) -> bool:  # noqa: ARG002 - phases with schedules need it
        """Return whether the losses have stopped changing their meaning, so that early stopping may compare them."""
        return True

    def pictures(self, rows: Tensor) -> Tensor:
        """Return pictures in [0, 1], (2, rows, pixels): kept as bytes, converted batch by batch."""
        return self.images.index_select(1, rows).float().mul_(1.0 / 255.0)

    def some_pictures(self, count: int) -> Tensor:
        """Return about so many of the pictures before a transition, spread over the split, (pictures, pixels)."""
        step = max(1, self.images.shape[1] // count)
        rows = torch.arange(0, self.images.shape[1], step, device=self.images.device)
        return self.pictures(rows)[0]


class InstantPhase(Phase):
    """A phase without training: all its work is done when it is prepared."""

    @staticmethod
    def epochs(lengths: Lengths) -> int:  # noqa: ARG004
        """Return none."""
        return 0

    def parts(self) -> Sequence[nn.Module]:
        """Return nothing."""
        return ()

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Fail: there is nothing to train."""
        raise NotImplementedError(f"the phase '{self.name}' has no epochs")
