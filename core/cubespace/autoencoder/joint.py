"""The paper's training: the whole Space AutoEncoder at once."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from cubespace.autoencoder.inference import mean_picture
from cubespace.autoencoder.model import evaluating
from cubespace.autoencoder.objective import Losses, check_losses
from cubespace.autoencoder.phase import Moment, Phase
from cubespace.autoencoder.schedules import amount, epochs, steps_of_epoch, temperature
from cubespace.settings.recipe import TrainConfig


class JointPhase(Phase):
    """The Space AutoEncoder, end to end."""

    name = "joint"
    main = True
    stops_early = True

    @classmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:
        """Return the epochs of the main phase."""
        return epochs(config.epochs, config.updates, steps)

    @classmethod
    def outline(cls, config: TrainConfig) -> str:
        """Return the length of the main phase."""
        return amount(config.epochs, config.updates)

    def parts(self) -> Sequence[nn.Module]:
        """Return the whole network."""
        return (self.model,)

    def prepare(self) -> None:
        """Let the decoder begin at the mean picture."""
        self.model.decoder.begin(mean_picture(self.images))

    def moment(self, progress: float) -> Moment:
        """Return the temperature and the weights of the objective."""
        return Moment(temperature(self.config.temperature, progress), self.objective.weigh(progress))

    def losses(self, rows: Tensor, moment: Moment) -> Losses:
        """Return the terms of the objective."""
        images = self.pictures(rows)
        objective = self.objective
        outputs = self.model(
            images,
            moment.temperature,
            draw_after=objective.needs_after(),
            draw_successor=objective.needs_successor(),
        )
        return check_losses(objective.losses(self.model, outputs, images, moment.weights), objective)

    def parameter_groups(self) -> list[tuple[float, list[nn.Parameter]]]:
        """Return the groups of the objective."""
        return self.objective.parameter_groups(self.model)

    def end_epoch(self, epoch: int) -> bool:
        """Let the objective look after the network."""
        steps = steps_of_epoch(self.config, self.images.shape[1])
        with evaluating(self.model):
            renewed = self.objective.end_epoch(self.model, self.images, epoch, self.epochs(self.config, steps))
        self.renewed = list(renewed)
        return False

    def settled(self, progress: float) -> bool:
        """Return whether the temperature is held and the objective has settled."""
        return progress >= self.config.temperature.hold and self.objective.settled(progress)
