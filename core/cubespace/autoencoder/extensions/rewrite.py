"""Ours: the differences of the final bits are written into the parts that learned them only nearly."""

from __future__ import annotations

import attrs

from cubespace.autoencoder.extensions.bit_consolidation import frequent_differences
from cubespace.autoencoder.phase import FrozenBitsPhase, InstantPhase
from cubespace.settings.recipe import AutoencoderConfig, TrainConfig


class RewritePhase(InstantPhase, FrozenBitsPhase):
    """Effects and labels are set to the most frequent differences of the training pairs, without any training."""

    revision = 1
    name = "rewrite"
    rewrites = True

    @classmethod
    def adapted(cls, config: AutoencoderConfig) -> AutoencoderConfig:
        """Return an action model wide enough to pass every bit through."""
        return attrs.evolve(config, action_width=max(config.action_width, config.bits))

    @classmethod
    def outline(cls, config: TrainConfig) -> str:  # noqa: ARG003
        """Return that there are no updates."""
        return "no updates, the effects are written at once"

    def prepare(self) -> None:
        """Write the most frequent differences, if both the action model and the apply module can be written to."""
        model = self.model
        if model.apply_module.writable and model.action.writable:
            add, delete = frequent_differences(self.bits[0], self.bits[1], model.actions)
            model.action.write_effects(add, delete)
            model.apply_module.write_effects(add, delete)
