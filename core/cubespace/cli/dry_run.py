"""What ``cube run --dry-run`` shows: the folder, the phases of training and the configuration, as TOML or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import attrs

from cubespace.autoencoder.schedules import phase_names
from cubespace.base.options import parse_spec
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.recipe import AUTO, ModelConfig, TrainConfig
from cubespace.settings.run_config import RunConfig, dump_toml

AT_ONCE = {"prepare": "the networks look at some pictures", "rewrite": "the effects are written at once"}


def outline(folder: Path, config: RunConfig, loaded: Catalogue) -> str:
    """Return the configuration, after comments that say where the run goes and how it trains."""
    phases = [f"# phase {name}: {length}" for name, length in _phases(config, loaded).items()]
    return "\n".join((f"# {folder}", *phases, dump_toml(config)))


def outline_json(folder: Path, config: RunConfig, loaded: Catalogue) -> str:
    """Return the same as JSON."""
    facts = {"run": str(folder), "phases": _phases(config, loaded), "settings": attrs.asdict(config)}
    return json.dumps(facts, indent=2) + "\n"


def _phases(config: RunConfig, loaded: Catalogue) -> dict[str, str]:
    """Return how long each phase takes; where the encoder is still to be chosen, some phases depend on it."""
    judges = config.model.discriminator_width > 0
    if config.model.encoder == AUTO:
        always = phase_names(config.train, encoder_ready=True, decoder_ready=True, discriminator=judges)
        names = phase_names(config.train, discriminator=judges)
        condition = ", unless the encoder that is chosen needs no training"
    else:
        encoder, decoder = _ready(config.model, loaded)
        always = names = phase_names(config.train, encoder_ready=encoder, decoder_ready=decoder, discriminator=judges)
        condition = ""
    return {name: f"{_length(config.train, name)}{'' if name in always else condition}" for name in names}


def _ready(config: ModelConfig, loaded: Catalogue) -> tuple[bool, bool]:
    """Return whether encoder and decoder need no training."""
    encoder = loaded.find("encoder", parse_spec(config.encoder).name).load()
    decoder = encoder.decoder if config.decoder == AUTO else parse_spec(config.decoder).name
    return bool(encoder.ready), bool(loaded.find("decoder", decoder).load().ready)


def _length(config: TrainConfig, phase: str) -> str:
    """Return how long a phase takes; an explicit number of epochs takes the place of updates."""
    if phase in AT_ONCE:
        return f"no updates, {AT_ONCE[phase]}"
    if phase == "consolidate":
        rounds = config.consolidation
        return f"at most {rounds.rounds} rounds of {_amount(rounds.updates, rounds.epochs)}"
    if phase == "decoder":
        return _amount(config.decoder_updates, config.decoder_epochs)
    if phase == "actions" and config.action_epochs is not None:
        return _amount(0, config.action_epochs)
    if phase == "discriminate" and config.discriminator_epochs is not None:
        return _amount(0, config.discriminator_epochs)
    return _amount(config.updates, config.epochs)


def _amount(updates: int, epochs: int | None) -> str:
    number, unit = (updates, "update") if epochs is None else (epochs, "epoch")
    return f"{number} {unit}{'' if number == 1 else 's'}"
