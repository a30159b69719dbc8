"""What a phase of training is: some epochs that train some parts of the network by some losses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from cubespace.autoencoder import schedules
from cubespace.autoencoder.inference import encode_pixels
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.objective import Losses, Objective, Renewed
from cubespace.settings.recipe import AutoencoderConfig, TrainConfig


class Moment(NamedTuple):
    """The numbers that change as a phase goes on.

    Where its losses are compiled they are tensors: a number would be compiled in.
    """

    temperature: float = 1.0
    weights: Mapping[str, float] = MappingProxyType({})  # of the terms that count, by name


def as_tensors(moment: Moment, device: torch.device) -> Moment:
    """Return a moment whose numbers are tensors on a device, filled there: nothing waits for them."""

    def filled(number: float) -> Any:  # stands for the number in every formula
        return torch.full((), number, device=device)

    weights = {name: filled(weight) for name, weight in moment.weights.items()}
    return Moment(filled(moment.temperature), weights)


class Phase(ABC):
    """Some epochs of training with the same parts and losses.

    ``images`` is the whole training split, uint8 (2, transitions, pixels): the pictures before and those after.
    A phase that the settings list in ``train.extensions`` is an extension.
    """

    revision: ClassVar[int | None] = None  # raised whenever its results change; None: the version of its package counts
    name: ClassVar[str]
    main: ClassVar[bool] = False  # whether it takes the place of the joint training
    stops_early: ClassVar[bool] = False  # whether validation may end it: if it trains all that validation measures
    settings: ClassVar[tuple[str, ...]] = ()  # what the names of settings begin with that only this phase reads
    rewrites: ClassVar[bool] = False  # whether it sets weights by other means than gradients

    def __init__(self, model: SpaceAutoEncoder, images: Tensor, config: TrainConfig, objective: Objective) -> None:
        self.model = model
        self.images = images
        self.config = config
        self.objective = objective
        self.renewed: list[Renewed] = []  # parameters that the end of an epoch has set anew
        model.eval()
        for part in self.parts():
            part.train()

    @classmethod
    def adapted(cls, config: AutoencoderConfig) -> AutoencoderConfig:
        """Return the shape of the network that the phase can work with."""
        return config

    @classmethod  # noqa: B027 - most phases need nothing
    def extend(cls, model: SpaceAutoEncoder, config: TrainConfig) -> None:
        """Add the parts to a network, in ``model.extras``, that only this phase needs."""

    @classmethod
    @abstractmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:
        """Return how many epochs of ``steps`` updates the phase takes at most; 0 if :meth:`prepare` does it all."""

    @classmethod
    @abstractmethod
    def outline(cls, config: TrainConfig) -> str:
        """Return its length in words, for somebody who has not started it yet."""

    @abstractmethod
    def parts(self) -> Sequence[nn.Module]:
        """Return what is trained; the rest stays as it is, in evaluation mode."""

    def moment(self, progress: float) -> Moment:  # noqa: ARG002 - phases with schedules need it
        """Return the numbers that the losses depend on at a moment from 0 to 1 of the phase."""
        return Moment()

    def trained(self, rows: Tensor) -> Tensor:
        """Return which of the rows of a batch are trained on, all of them if nothing is held out; on the CPU."""
        return rows

    @abstractmethod
    def losses(self, rows: Tensor, moment: Moment) -> Losses:
        """Return the losses of some transitions, ``total`` among them."""

    def learning_rate(self, progress: float) -> float:
        """Return the learning rate of a moment."""
        return schedules.learning_rate(self.config, progress)

    def prepare(self) -> None:  # noqa: B027 - most phases need nothing
        """Do what is done once, before the first epoch."""

    def end_epoch(self, epoch: int) -> bool:  # noqa: ARG002
        """Do what is done after each epoch, counted from 1, and return whether that was enough."""
        return False

    def leave(self) -> None:  # noqa: B027 - most phases need nothing
        """Do what is done once, after the last epoch."""

    def state(self) -> dict[str, Tensor]:
        """Return what the rest of the phase depends on besides the network."""
        return {}

    def restore(self, state: dict[str, Tensor]) -> None:  # noqa: B027 - most phases have no state
        """Continue where :meth:`state` was taken."""

    def parameter_groups(self) -> list[tuple[float, list[nn.Parameter]]]:
        """Return the parameters of the parts in groups, each with a factor of the learning rate."""
        return [(1.0, [parameter for part in self.parts() for parameter in part.parameters()])]

    def settled(self, progress: float) -> bool:  # noqa: ARG002 - phases with schedules need it
        """Return whether the losses have stopped changing their meaning, so that early stopping may compare them."""
        return True

    def pictures(self, rows: Tensor) -> Tensor:
        """Return pictures in [0, 1], (2, rows, pixels): kept as bytes, converted batch by batch."""
        return self.images.index_select(1, rows).float().mul_(1.0 / 255.0)


class InstantPhase(Phase):
    """A phase without training: all its work is done when it is prepared."""

    @classmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:  # noqa: ARG003
        """Return 0: there are no epochs."""
        return 0

    def parts(self) -> Sequence[nn.Module]:
        """Return no parts: there is nothing to train."""
        return ()

    def losses(self, rows: Tensor, moment: Moment) -> Losses:
        """Fail: there is nothing to train."""
        raise NotImplementedError(f"the phase '{self.name}' has no epochs")


class FrozenBitsPhase(Phase):
    """A phase on the hard bits of the training split, which no longer change."""

    @cached_property
    def bits(self) -> Tensor:
        """Return the bits, bool (2, transitions, bits)."""
        return torch.stack([encode_pixels(self.model, part) for part in self.images])

    def states(self, rows: Tensor) -> Tensor:
        """Return the hard bits of some transitions as numbers, (2, rows, bits)."""
        return self.bits.index_select(1, rows).float()
