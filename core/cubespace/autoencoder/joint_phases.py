"""The main phases: the whole Space AutoEncoder at once, or first its State AutoEncoder alone."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from cubespace.autoencoder.inference import encode_pixels
from cubespace.autoencoder.losses import Losses, image_loss, total, transition_losses, weigh, zero_suppress
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.phase import InstantPhase, Phase
from cubespace.autoencoder.schedules import Lengths, temperature

PREPARED_WITH = 500  # pictures that encoder and decoder may look at before they are trained


class PreparePhase(InstantPhase):
    """No training: encoder and decoder begin with what they see in some of the pictures."""

    name = "prepare"

    def prepare(self) -> None:
        """Show them the pictures."""
        prepare(self.model, self.some_pictures(PREPARED_WITH))


def prepare(model: SpaceAutoEncoder, pixels: Tensor) -> None:
    """Let encoder and decoder begin with what they see in some pictures, (pictures, pixels) in [0, 1]."""
    model.encoder.prepare(pixels)
    model.decoder.prepare(pixels, encode_pixels(model, (pixels * 255.0).round().byte()))


class JointPhase(Phase):
    """The Space AutoEncoder, end to end."""

    name = "joint"

    @staticmethod
    def epochs(lengths: Lengths) -> int:
        """Return the epochs of the main phase."""
        return lengths.main

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


class StatePhase(JointPhase):
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
