"""Ours: the encoder is led to steady bits after the joint training."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace.autoencoder import schedules
from cubespace.autoencoder.extensions.bit_consolidation import agreed_bits, drop_unstable_bits
from cubespace.autoencoder.losses import total
from cubespace.autoencoder.objective import Losses
from cubespace.autoencoder.phase import Moment, Phase
from cubespace.autoencoder.schedules import steps_of_epoch
from cubespace.settings.recipe import TrainConfig


class ConsolidationPhase(Phase):
    """The encoder alone, led to steady bits in rounds (see ``cubespace.autoencoder.extensions.bit_consolidation``)."""

    revision = 1
    name = "consolidate"
    settings = ("train.consolidation.", "train.finish_rate")
    rewrites = True  # bits that are dropped are held constant, whatever was learned
    targets: Tensor  # bool (2, transitions, bits), agreed on at the beginning of the round

    @classmethod
    def epochs(cls, config: TrainConfig, steps: int) -> int:
        """Return the epochs of all rounds."""
        return cls.round_epochs(config, steps) * config.consolidation.rounds

    @staticmethod
    def round_epochs(config: TrainConfig, steps: int) -> int:
        """Return the epochs of one round."""
        return schedules.epochs(config.consolidation.epochs, config.consolidation.updates, steps)

    @classmethod
    def outline(cls, config: TrainConfig) -> str:
        """Return the number of rounds and their length."""
        rounds = config.consolidation
        return f"at most {rounds.rounds} rounds of {schedules.amount(rounds.epochs, rounds.updates)}"

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
        transitions = self.images.shape[1]
        if epoch % self.round_epochs(self.config, steps_of_epoch(self.config, transitions)):
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

    def losses(self, rows: Tensor, moment: Moment) -> Losses:  # noqa: ARG002
        """Return the distance of the encoder's bits from those agreed on; constant bits must not move."""
        logits = self.model.encoder(self.pictures(rows).flatten(0, 1)).float()  # (2 rows, bits)
        targets = self.targets.index_select(1, rows).flatten(0, 1).float()
        free = (~self.model.encoder.held_bits()).float()
        agreement = binary_cross_entropy_with_logits(logits, targets, weight=free)
        return total({"agreement": agreement}, {"agreement": 1.0})
