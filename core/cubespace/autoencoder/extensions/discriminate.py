"""The phase that trains the action discriminator, on the frozen bits and the frozen Action AutoEncoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, one_hot

from cubespace.autoencoder.extensions.discriminator import DISCRIMINATOR, ActionDiscriminator, find_discriminator
from cubespace.autoencoder.inference import label_states
from cubespace.autoencoder.losses import total
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.objective import Losses
from cubespace.autoencoder.phase import FrozenBitsPhase, Moment
from cubespace.autoencoder.schedules import amount, epochs
from cubespace.settings.recipe import TrainConfig

CALIBRATION_STRIDE = 10  # one of this many training transitions is kept to calibrate the discriminator
COLD = 1.0  # the temperature of evaluation, where nothing depends on it


class DiscriminatorPhase(FrozenBitsPhase):
    """Observed transitions against those that random actions make from the same states."""

    revision = 1
    name = "discriminate"
    settings = ("train.discriminator_",)

    @classmethod
    def extend(cls, model: SpaceAutoEncoder, config: TrainConfig) -> None:
        """Add the discriminator."""
        width, depth = config.discriminator_width, config.discriminator_depth
        model.extras[DISCRIMINATOR] = ActionDiscriminator(model.bits, model.actions, width=width, depth=depth)

    @classmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:
        """Return the epochs of the discriminator."""
        return config.discriminator_epochs or epochs(config.epochs, config.updates, steps)

    @classmethod
    def outline(cls, config: TrainConfig) -> str:
        """Return the length of the training of the discriminator."""
        return amount(config.discriminator_epochs or config.epochs, config.updates)

    @property
    def discriminator(self) -> ActionDiscriminator:
        """Return what is trained."""
        found = find_discriminator(self.model)
        assert found is not None  # it was added when the network was built
        return found

    def parts(self) -> Sequence[nn.Module]:
        """Return the discriminator."""
        return (self.discriminator,)

    @cached_property
    def labels(self) -> Tensor:
        """Return the labels of the training transitions, each once."""
        with torch.no_grad():
            parts = [label_states(self.model, *part.float()) for part in self.bits.split(1000, dim=1)]
        used: Tensor = torch.cat(parts).unique()
        return used

    def trained(self, rows: Tensor) -> Tensor:
        """Return all rows but those that are kept for the calibration."""
        return rows[rows % CALIBRATION_STRIDE != 0]

    def losses(self, rows: Tensor, moment: Moment) -> Losses:  # noqa: ARG002
        """Return the error of telling observed from random."""
        before, after = self.states(rows)  # (batch, bits) each
        with torch.no_grad():
            chosen = self.labels[torch.randint(len(self.labels), (len(before),), device=before.device)]
            random = self.model.apply_module(before, one_hot(chosen, self.model.actions).float(), COLD)
        logits = self.discriminator(torch.cat((before, before)), torch.cat((after, random))).float()
        observed = torch.cat((torch.ones_like(before[:, 0]), torch.zeros_like(before[:, 0])))
        return total({"observed": binary_cross_entropy_with_logits(logits, observed)}, {"observed": 1.0})

    def settled(self, progress: float) -> bool:  # noqa: ARG002
        """Return False: what early stopping compares does not depend on this phase."""
        return False

    def leave(self) -> None:
        """Calibrate on the transitions held out, and keep which labels are worth trying."""
        rows = torch.arange(0, self.images.shape[1], CALIBRATION_STRIDE, device=self.images.device)
        self.discriminator.eval()
        self.discriminator.calibrate(*self.states(rows))
        self.discriminator.used.fill_(False)
        self.discriminator.used[self.labels] = True
