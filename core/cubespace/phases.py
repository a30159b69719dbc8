"""Phases of training: each trains some parts of the network by some losses. A training is a sequence of phases.

An architecture is a choice of phases over the same parts: all jointly, or first the State AutoEncoder and then, on its
frozen bits, the Action AutoEncoder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace import schedules
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.consolidation import agreed_bits, constant_bits, drop_unstable_bits, frequent_differences
from cubespace.inference import encode_pixels
from cubespace.losses import Losses, direct, image_loss, total, transition_losses, weigh, zero_suppress
from cubespace.networks import Looking
from cubespace.recipe import TrainConfig
from cubespace.schedules import Lengths, lengths, temperature

SEEN = 500  # pictures that a network looks at before it is trained


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


class Joint(Phase):
    """The Space AutoEncoder, end to end."""

    name = "joint"

    @staticmethod
    def epochs(lengths: Lengths) -> int:
        """Return the epochs of the main phase."""
        return lengths.main

    def parts(self) -> Sequence[nn.Module]:
        """Return the whole network."""
        return (self.model,)

    def prepare(self) -> None:
        """Let those parts look that begin with what they see."""
        for module in self.model.encoder.modules():
            if isinstance(module, Looking):
                some = torch.arange(0, self.images.shape[1], max(1, self.images.shape[1] // SEEN))
                module.look(self.pictures(some.to(self.images.device))[0])

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


class Consolidate(Phase):
    """The encoder alone, led to steady bits in rounds (see ``cubespace.consolidation``)."""

    name = "consolidate"
    targets: (
        Tensor  # bool (2, transitions, bits), the bits that the transitions agreed on at the beginning of the round
    )

    @staticmethod
    def epochs(lengths: Lengths) -> int:
        """Return the epochs of all rounds."""
        return lengths.consolidation

    def parts(self) -> Sequence[nn.Module]:
        """Return the encoder."""
        return (self.model.encoder,)

    def learning_rate(self, progress: float) -> float:
        """Return the learning rate of the finish."""
        return schedules.falling(self.config.finish_rate, progress)

    def prepare(self) -> None:
        """Drop unstable bits and begin the first round."""
        drop_unstable_bits(self.model, self.images, self.config.consolidation)
        self.targets, _ = agreed_bits(self.model, self.images, self.config.consolidation)

    def end_epoch(self, epoch: int) -> bool:
        """Begin the next round when it is time; when no transition can be made to agree any more, it is enough."""
        if epoch % self.lengths.round:
            return False
        self.targets, moved = agreed_bits(self.model, self.images, self.config.consolidation)
        return moved == 0

    def leave(self) -> None:
        """Drop the bits that are unstable still."""
        drop_unstable_bits(self.model, self.images, self.config.consolidation)

    def state(self) -> dict[str, Tensor]:
        """Return the bits agreed on."""
        return {"targets": self.targets}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Put the bits agreed on back."""
        self.targets = state["targets"].to(self.images.device)

    def losses(self, rows: Tensor, progress: float) -> Losses:  # noqa: ARG002
        """Return the distance of the encoder's bits from those agreed on; constant bits must not move."""
        logits = self.model.encoder(self.pictures(rows).flatten(0, 1)).float()  # (2 rows, bits)
        targets = self.targets.index_select(1, rows).flatten(0, 1).float()
        free = (~constant_bits(self.model)).float()
        agreement = binary_cross_entropy_with_logits(logits, targets, weight=free)
        return total({"agreement": agreement}, {"agreement": 1.0})


class FrozenBits(Phase):
    """A phase on the hard bits of the training split, which no longer change."""

    @cached_property
    def bits(self) -> Tensor:
        """Return the bits, bool (2, transitions, bits)."""
        return torch.stack([encode_pixels(self.model, part) for part in self.images])

    def states(self, rows: Tensor) -> Tensor:
        """Return the hard bits of some transitions as numbers, (2, rows, bits)."""
        return self.bits.index_select(1, rows).float()


class Actions(FrozenBits):
    """The Action AutoEncoder (Cube-AAE if the apply module is STRIPS-like) on frozen bits: the second stage of two."""

    name = "actions"

    @staticmethod
    def epochs(lengths: Lengths) -> int:
        """Return the epochs of the second stage."""
        return lengths.actions

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
    """The decoder alone, on frozen hard bits: cheap and always a gain, since it has only seen relaxed bits so far.

    If wanted, the differences of the bits are first written into the nets that learned them only approximately.
    """

    name = "decoder"

    def prepare(self) -> None:
        """Write the differences if that is wanted and possible."""
        model, wanted = self.model, self.config.rewrite and self.config.architecture == "joint"
        if wanted and model.progress.writable:
            add, delete = frequent_differences(self.bits[0], self.bits[1], model.config.actions)
            model.action.write(add, delete)
            model.progress.write_effects(add, delete)

    @staticmethod
    def epochs(lengths: Lengths) -> int:
        """Return the epochs of the last phase."""
        return lengths.decoder

    def parts(self) -> Sequence[nn.Module]:
        """Return the decoder."""
        return (self.model.decoder,)

    def learning_rate(self, progress: float) -> float:
        """Return the learning rate of the finish."""
        return schedules.falling(self.config.finish_rate, progress)

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the reconstruction of both pictures."""
        before, after = image_loss(self.config.losses.image, self.model.decode(self.states(rows)), self.pictures(rows))
        return total({"before": before, "after": after}, weigh(self.config.losses, progress))


def phases(config: TrainConfig, lengths: Lengths) -> list[type[Phase]]:
    """Return the phases of a training, in order."""
    main: list[type[Phase]] = [Joint, Consolidate] if config.architecture == "joint" else [States, Actions]
    main.append(Decoder)
    return [phase for phase in main if phase.epochs(lengths)]
