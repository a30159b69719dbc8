"""What ``cube run --dry-run`` shows: the folder, the phases of training and the configuration, as a TOML file."""

from __future__ import annotations

from pathlib import Path

from cubespace.learning.schedules import phase_names
from cubespace.settings.recipe import TrainConfig
from cubespace.settings.run_config import RunConfig, dump_toml


def outline(folder: Path, config: RunConfig) -> str:
    """Return the configuration, after comments that say where the run goes and how it trains."""
    phases = (f"# phase {name}: {_length(config.train, name)}" for name in phase_names(config.train))
    return "\n".join((f"# {folder}", *phases, dump_toml(config)))


def _length(config: TrainConfig, phase: str) -> str:
    """Return how long a phase takes; an explicit number of epochs takes the place of updates."""
    if phase == "rewrite":
        return "no updates, the effects are written at once"
    if phase == "consolidate":
        rounds = config.consolidation
        return f"at most {rounds.rounds} rounds of {_amount(rounds.updates, rounds.epochs)}"
    if phase == "decoder":
        return _amount(config.decoder_updates, config.decoder_epochs)
    if phase == "actions" and config.action_epochs is not None:
        return _amount(0, config.action_epochs)
    return _amount(config.updates, config.epochs)


def _amount(updates: int, epochs: int | None) -> str:
    number, unit = (updates, "update") if epochs is None else (epochs, "epoch")
    return f"{number} {unit}{'' if number == 1 else 's'}"
