"""What changes while training, as functions of the progress of a phase, from 0 to 1."""

from __future__ import annotations

import attrs

from cubespace.settings.recipe import TemperatureConfig, TrainConfig


@attrs.frozen(kw_only=True)
class Lengths:
    """How many epochs each phase takes at most."""

    main: int
    actions: int
    discriminator: int
    round: int  # of consolidation
    consolidation: int  # all rounds
    decoder: int


def lengths(config: TrainConfig, transitions: int) -> Lengths:
    """Return the epochs that make the wanted numbers of updates on a data set."""
    steps = transitions // min(config.batch, transitions)  # of an epoch

    def epochs(given: int | None, updates: int) -> int:
        return given if given is not None else round(updates / steps) or min(1, updates)

    main = epochs(config.epochs, config.updates)
    turn = epochs(config.consolidation.epochs, config.consolidation.updates)
    return Lengths(
        main=main,
        actions=config.action_epochs or main,
        discriminator=config.discriminator_epochs or main,
        round=turn,
        consolidation=turn * config.consolidation.rounds,
        decoder=epochs(config.decoder_epochs, config.decoder_updates),
    )


def phase_names(
    config: TrainConfig, *, encoder_ready: bool = False, decoder_ready: bool = False, discriminator: bool = False
) -> list[str]:
    """Return the names of the phases of a training, in order; a phase of length 0 is left out.

    An encoder whose bits are final once it is prepared is not trained, nor is a decoder that is ready then. Where there
    is a discriminator, it is trained on the final bits and actions.
    """
    names = ["prepare"]
    if config.architecture == "two-stage":
        names += ["actions"] if encoder_ready else ["states", "actions"]
    else:
        names += [] if encoder_ready else ["joint"]
        names += ["consolidate"] if config.consolidation.rounds and not encoder_ready else []
        names += ["rewrite"] if config.rewrite else []
    names += ["discriminate"] if discriminator else []
    updates = config.decoder_updates if config.decoder_epochs is None else config.decoder_epochs
    return [*names, "decoder"] if updates and not decoder_ready else names


def temperature(config: TemperatureConfig, progress: float) -> float:
    """Return τ: exponential from start to end, held once the end is reached."""
    return float(config.start * (config.end / config.start) ** min(progress / config.hold, 1.0))


def learning_rate(config: TrainConfig, progress: float) -> float:
    """Return the learning rate: constant, then falling exponentially to its last fraction."""
    fallen = max(progress - config.decay_from, 0.0) / (1.0 - config.decay_from)
    return float(config.learning_rate * config.decay**fallen)


def falling(rate: float, progress: float) -> float:
    """Return a learning rate that falls linearly to 0."""
    return rate * (1.0 - progress)


def delayed(weight: float, start: float, progress: float) -> float:
    """Return the weight after its bootstrap delay, 0 before."""
    return weight if progress >= start else 0.0
