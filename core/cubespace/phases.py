"""Phases of training: each trains some parts of the network by some losses. A training is a sequence of phases.

An architecture is a choice of phases over the same parts: all jointly, or first the State AutoEncoder and then, on its
frozen bits, the Action AutoEncoder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import torch
from torch import Tensor, nn

from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.inference import encode_pixels
from cubespace.losses import Losses, direct, image_loss, total, transition_losses, weigh, zero_suppress
from cubespace.recipe import TrainConfig
from cubespace.schedules import temperature


class Phase(ABC):
    """Some epochs of training with the same parts and losses.

    ``images`` is the whole training split, uint8 (2, transitions, pixels): the pictures before and those after.
    """

    name: ClassVar[str]

    def __init__(self, model: SpaceAutoEncoder, images: Tensor, config: TrainConfig) -> None:
        self.model = model
        self.images = images
        self.config = config
        model.eval()
        for part in self.parts():
            part.train()

    @staticmethod
    @abstractmethod
    def epochs(config: TrainConfig) -> int:
        """Return how long the phase takes at most."""

    @abstractmethod
    def parts(self) -> Sequence[nn.Module]:
        """Return what is trained; the rest stays as it is, in evaluation mode."""

    @abstractmethod
    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the losses of some transitions, ``total`` among them, at a moment from 0 to 1 of the phase."""

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


class Joint(Phase):
    """The Space AutoEncoder, end to end."""

    name = "joint"

    @staticmethod
    def epochs(config: TrainConfig) -> int:
        """Return the epochs of the main phase."""
        return config.epochs

    def parts(self) -> Sequence[nn.Module]:
        """Return the whole network."""
        return (self.model,)

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return all terms of the paper."""
        images = self.pictures(rows)
        draw = self.config.losses.successor > 0
        outputs = self.model(images, temperature(self.config.temperature, progress), draw_successor=draw)
        return transition_losses(self.config.losses, outputs, images, progress)

    def settled(self, progress: float) -> bool:
        """Return whether the temperature is held and all delays are over."""
        losses = self.config.losses
        return progress >= max(self.config.temperature.hold, losses.direct_from, losses.zero_suppress_from)


class States(Joint):
    """The State AutoEncoder alone: the first stage of two."""

    name = "states"

    def parts(self) -> Sequence[nn.Module]:
        """Return encoder and decoder."""
        return self.model.encoder, self.model.bin_concrete, self.model.decoder

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the terms that need no action."""
        images = self.pictures(rows)
        _, states = self.model.encode(images, temperature(self.config.temperature, progress))
        before, after = image_loss(self.config.losses.image, self.model.decode(states), images)
        terms = {"before": before, "after": after, "zero_suppress": zero_suppress(states)}
        return total(terms, weigh(self.config.losses, progress))


class FrozenBits(Phase):
    """A phase on the hard bits of the training split, which no longer change."""

    def __init__(self, model: SpaceAutoEncoder, images: Tensor, config: TrainConfig) -> None:
        super().__init__(model, images, config)
        self.bits = torch.stack([encode_pixels(model, part) for part in images])  # bool (2, transitions, bits)

    def states(self, rows: Tensor) -> Tensor:
        """Return the hard bits of some transitions as numbers, (2, rows, bits)."""
        return self.bits.index_select(1, rows).float()


class Actions(FrozenBits):
    """The Action AutoEncoder (Cube-AAE if the apply module is STRIPS-like) on frozen bits: the second stage of two."""

    name = "actions"

    @staticmethod
    def epochs(config: TrainConfig) -> int:
        """Return the epochs of the second stage."""
        return config.action_epochs

    def parts(self) -> Sequence[nn.Module]:
        """Return action head and apply module."""
        return self.model.action, self.model.gumbel_softmax, self.model.progress

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the error of the predicted successor state."""
        states = self.states(rows)
        _, successor = self.model.act(states, temperature(self.config.temperature, progress))
        return total({"direct": direct(states, successor)}, {"direct": 1.0})

    def settled(self, progress: float) -> bool:
        """Return whether the temperature is held."""
        return progress >= self.config.temperature.hold


class Decoder(FrozenBits):
    """The decoder alone, on frozen hard bits: cheap and always a gain, since it has only seen relaxed bits so far."""

    name = "decoder"

    @staticmethod
    def epochs(config: TrainConfig) -> int:
        """Return the epochs of the last phase."""
        return config.decoder_epochs

    def parts(self) -> Sequence[nn.Module]:
        """Return the decoder."""
        return (self.model.decoder,)

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the reconstruction of both pictures."""
        before, after = image_loss(self.config.losses.image, self.model.decode(self.states(rows)), self.pictures(rows))
        return total({"before": before, "after": after}, weigh(self.config.losses, progress))


def phases(config: TrainConfig) -> list[type[Phase]]:
    """Return the phases of a training, in order."""
    main: list[type[Phase]] = [Joint] if config.architecture == "joint" else [States, Actions]
    main.append(Decoder)
    return [phase for phase in main if phase.epochs(config)]
