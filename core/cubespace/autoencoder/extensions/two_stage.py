"""The paper's ablation (4) in two stages: a State AutoEncoder, then an Action AutoEncoder on its frozen bits."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from cubespace.autoencoder.joint import JointPhase
from cubespace.autoencoder.losses import (
    direct,
    image_loss,
    total,
    variational_bits,
    variational_labels,
    weigh,
    zero_suppress,
)
from cubespace.autoencoder.objective import Losses
from cubespace.autoencoder.phase import FrozenBitsPhase, Moment
from cubespace.autoencoder.schedules import amount, epochs, temperature
from cubespace.settings.recipe import TrainConfig


class StatePhase(JointPhase):
    """The State AutoEncoder alone: the first stage of two."""

    revision = 2  # 2: the variational loss
    name = "states"
    stops_early = False  # successors are not learned yet

    def parts(self) -> Sequence[nn.Module]:
        """Return encoder and decoder."""
        return self.model.encoder, self.model.bin_concrete, self.model.decoder

    def moment(self, progress: float) -> Moment:
        """Return the temperature and the weights of the paper's terms."""
        return Moment(temperature(self.config.temperature, progress), weigh(self.config.losses, progress))

    def losses(self, rows: Tensor, moment: Moment) -> Losses:
        """Return the terms that need no action."""
        images = self.pictures(rows)
        weights = self.config.losses
        logits, states = self.model.encode(images, moment.temperature)
        before, after = image_loss(
            weights.image, self.model.decode(states), images, linear=self.model.decoder.draws_pixels
        )
        terms = {"before": before, "after": after, "zero_suppress": zero_suppress(states)}
        if weights.variational:
            terms["variational"] = variational_bits(logits, weights.prior)
        return total(terms, moment.weights)

    def settled(self, progress: float) -> bool:
        """Return whether the temperature is held and the delay is over."""
        return progress >= max(self.config.temperature.hold, self.config.losses.zero_suppress_from)


class ActionPhase(FrozenBitsPhase):
    """The Action AutoEncoder (Cube-AAE if the apply module is STRIPS-like) on frozen bits: the second stage of two."""

    revision = 2  # 2: the variational loss
    name = "actions"
    settings = ("train.action_epochs",)

    @classmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:
        """Return the epochs of the second stage."""
        return config.action_epochs or epochs(config.epochs, config.updates, steps)

    @classmethod
    def outline(cls, config: TrainConfig) -> str:
        """Return the length of the second stage."""
        return amount(config.action_epochs or config.epochs, config.updates)

    def parts(self) -> Sequence[nn.Module]:
        """Return action model and apply module."""
        return self.model.action, self.model.apply_module

    def moment(self, progress: float) -> Moment:
        """Return the temperature and the weights."""
        weight = self.config.losses.variational
        weights = {"direct": 1.0, "variational": weight} if weight else {"direct": 1.0}
        return Moment(temperature(self.config.temperature, progress), weights)

    def losses(self, rows: Tensor, moment: Moment) -> Losses:
        """Return the error of the predicted successor state, and the divergence of labels if it has a weight."""
        states = self.states(rows)
        labels, successor = self.model.act(states, moment.temperature)
        terms = {"direct": direct(states, successor)}
        if self.config.losses.variational:
            terms["variational"] = variational_labels(labels)
        return total(terms, moment.weights)

    def settled(self, progress: float) -> bool:
        """Return whether the temperature is held."""
        return progress >= self.config.temperature.hold
