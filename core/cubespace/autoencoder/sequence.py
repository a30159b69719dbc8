"""Which phases a training has, in order.

An architecture is a choice of phases over the same parts: all jointly, or first the State AutoEncoder and then, on its
frozen bits, the Action AutoEncoder. A network that has an action discriminator trains it after its actions (AMA2).
"""

from __future__ import annotations

from cubespace.autoencoder.extensions.discriminator_phase import DiscriminatorPhase
from cubespace.autoencoder.extensions.finishing_phases import (
    ActionPhase,
    ConsolidationPhase,
    DecoderPhase,
    RewritePhase,
)
from cubespace.autoencoder.joint_phases import JointPhase, PreparePhase, StatePhase
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.phase import Phase
from cubespace.autoencoder.schedules import phase_names
from cubespace.settings.recipe import TrainConfig

PHASES: dict[str, type[Phase]] = {
    phase.name: phase
    for phase in (
        PreparePhase,
        JointPhase,
        StatePhase,
        ConsolidationPhase,
        RewritePhase,
        ActionPhase,
        DiscriminatorPhase,
        DecoderPhase,
    )
}


def phases(config: TrainConfig, model: SpaceAutoEncoder) -> list[type[Phase]]:
    """Return the phases of a training, in order."""
    names = phase_names(
        config,
        encoder_ready=model.encoder.ready,
        decoder_ready=model.decoder.ready,
        discriminator=model.discriminator is not None,
    )
    return [PHASES[name] for name in names]
