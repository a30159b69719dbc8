"""The phases after the main one: steady bits, exact effects, a decoder that draws hard bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from cubespace.autoencoder import schedules
from cubespace.autoencoder.extensions.bit_consolidation import agreed_bits, drop_unstable_bits, frequent_differences
from cubespace.autoencoder.inference import encode_pixels
from cubespace.autoencoder.losses import Losses, direct, image_loss, total, weigh
from cubespace.autoencoder.phase import InstantPhase, Phase
from cubespace.autoencoder.schedules import Lengths, temperature


class ConsolidationPhase(Phase):
    """The encoder alone, led to steady bits in rounds (see ``cubespace.autoencoder.extensions.bit_consolidation``)."""

    name = "consolidate"
    targets: Tensor  # bool (2, transitions, bits), agreed on at the beginning of the round

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
        free = (~self.model.encoder.held_bits()).float()
        agreement = binary_cross_entropy_with_logits(logits, targets, weight=free)
        return total({"agreement": agreement}, {"agreement": 1.0})


class FrozenBitsPhase(Phase):
    """A phase on the hard bits of the training split, which no longer change."""

    @cached_property
    def bits(self) -> Tensor:
        """Return the bits, bool (2, transitions, bits)."""
        return torch.stack([encode_pixels(self.model, part) for part in self.images])

    def states(self, rows: Tensor) -> Tensor:
        """Return the hard bits of some transitions as numbers, (2, rows, bits)."""
        return self.bits.index_select(1, rows).float()


class RewritePhase(InstantPhase, FrozenBitsPhase):
    """No training: the differences of the final bits are written into the nets that learned them only nearly."""

    name = "rewrite"

    def prepare(self) -> None:
        """Write the most frequent differences, as far as the apply module can be written to."""
        model = self.model
        if model.apply_module.writable:
            add, delete = frequent_differences(self.bits[0], self.bits[1], model.actions)
            model.action.write(add, delete)
            model.apply_module.write_effects(add, delete)


class ActionPhase(FrozenBitsPhase):
    """The Action AutoEncoder (Cube-AAE if the apply module is STRIPS-like) on frozen bits: the second stage of two."""

    name = "actions"

    @staticmethod
    def epochs(lengths: Lengths) -> int:
        """Return the epochs of the second stage."""
        return lengths.actions

    def parts(self) -> Sequence[nn.Module]:
        """Return action head and apply module."""
        return self.model.action, self.model.gumbel_softmax, self.model.apply_module

    def losses(self, rows: Tensor, progress: float) -> Losses:
        """Return the error of the predicted successor state."""
        states = self.states(rows)
        _, successor = self.model.act(states, temperature(self.config.temperature, progress))
        return total({"direct": direct(states, successor)}, {"direct": 1.0})

    def settled(self, progress: float) -> bool:
        """Return whether the temperature is held."""
        return progress >= self.config.temperature.hold


class DecoderPhase(FrozenBitsPhase):
    """The decoder alone, on frozen hard bits: cheap and always a gain, since it has only seen relaxed bits so far."""

    name = "decoder"

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
