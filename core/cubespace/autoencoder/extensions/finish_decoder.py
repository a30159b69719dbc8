"""Ours: the decoder alone, on frozen hard bits."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from cubespace.autoencoder import schedules
from cubespace.autoencoder.losses import image_loss, total, weigh
from cubespace.autoencoder.objective import Losses
from cubespace.autoencoder.phase import FrozenBitsPhase, Moment
from cubespace.settings.recipe import TrainConfig


class DecoderPhase(FrozenBitsPhase):
    """The decoder alone: cheap and always a gain, since it has only seen relaxed bits so far."""

    revision = 1
    name = "decoder"
    settings = ("train.decoder_", "train.finish_rate")

    @classmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:
        """Return the epochs of the last phase."""
        return schedules.epochs(config.decoder_epochs, config.decoder_updates, steps)

    @classmethod
    def outline(cls, config: TrainConfig) -> str:
        """Return the length of the last phase."""
        return schedules.amount(config.decoder_epochs, config.decoder_updates)

    def parts(self) -> Sequence[nn.Module]:
        """Return the decoder."""
        return (self.model.decoder,)

    def learning_rate(self, progress: float) -> float:
        """Return the learning rate of the finish."""
        return schedules.falling(self.config.finish_rate, progress)

    def moment(self, progress: float) -> Moment:
        """Return the weights of the paper's terms."""
        return Moment(weights=weigh(self.config.losses, progress))

    def losses(self, rows: Tensor, moment: Moment) -> Losses:
        """Return the reconstruction of both pictures."""
        outputs, linear = self.model.decode(self.states(rows)), self.model.decoder.draws_pixels
        before, after = image_loss(self.config.losses.image, outputs, self.pictures(rows), linear=linear)
        return total({"before": before, "after": after}, moment.weights)
