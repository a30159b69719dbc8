"""Settings of version 0.2.0 and before as this version calls them: one table, and rules for what no table can say.

A run folder of an older version is opened with the settings that it means now. An old key that a user types is refused
with a line that names the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from cubespace.base.errors import UsageError
from cubespace.base.options import parse_spec
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO, is_of_training

OLD_SECTION = "model"  # every settings file of an older version has it, and no later one

RENAMED: Mapping[str, str] = MappingProxyType(
    {
        "model.bits": "autoencoder.bits",
        "model.actions": "autoencoder.actions",
        "model.apply": "autoencoder.apply",
        "model.decoder": "autoencoder.decoder",
        "model.action_width": "autoencoder.action_width",
        "model.action_depth": "autoencoder.action_depth",
        "model.action_activation": "autoencoder.action_activation",
        "model.initialisation": "autoencoder.initialisation",
        "model.least_coverage": "learner.least_coverage",
        "model.most_residue": "learner.most_residue",
        "model.discriminator_width": "train.discriminator_width",
        "model.discriminator_depth": "train.discriminator_depth",
    }
)
REPLACED: Mapping[str, str] = MappingProxyType(  # by settings that say more or less than the old one
    {
        "model.encoder": "learner.name, or autoencoder.encoder for the encoder of a network",
        "train.architecture": "train.extensions, the training steps beyond the joint one",
        "train.rewrite": "train.extensions, with or without rewrite",
    }
)
ZERO_FOR_NONE = (  # settings whose value 0 said that a step is left out
    "train.consolidation.rounds",
    "train.decoder_updates",
    "train.decoder_epochs",
    "train.discriminator_width",
)


def refuse_old_keys(keys: Mapping[str, Any], where: str) -> None:
    """Raise if settings, by dotted key, have one that this version calls otherwise; the message names the new one."""
    for key, value in keys.items():
        new = _encoder_now(str(value)) if key == "model.encoder" else RENAMED.get(key, REPLACED.get(key))
        if new is not None:
            raise UsageError(f"{where}: '{key}' was replaced in version 0.3.0: use {new}")
        if key.partition(".")[0] == OLD_SECTION:
            raise UsageError(f"{where}: '{key}' is not a setting; those of the network are called autoencoder.…")


def migrated(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an older version, by dotted key, as this version has them.

    Settings of gradient training that a quick learner never read are left out, and so is an apply module that nobody
    had asked for: today it would choose the learner that trains one.
    """
    spec = str(settings.get("model.encoder", AUTO))
    quick = spec == AUTO or parse_spec(spec).name in defaults.FORMER_ENCODERS
    kept = {key: value for key, value in settings.items() if key not in RENAMED and key not in REPLACED}
    kept |= {new: settings[old] for old, new in RENAMED.items() if old in settings}
    kept |= {"learner.name": spec if quick else defaults.TRAINED_LEARNER}
    if quick and spec != AUTO:
        return {key: value for key, value in kept.items() if not is_of_training(key)}
    if not quick:
        kept["autoencoder.encoder"] = spec
    elif kept.get("autoencoder.apply") == defaults.APPLY:
        del kept["autoencoder.apply"]
    decoder = str(kept.get("autoencoder.decoder", AUTO))
    if decoder == AUTO or parse_spec(decoder).name in defaults.FORMER_ENCODERS:
        kept.pop("autoencoder.decoder", None)
    if not quick:
        kept = {**defaults.FORMER_PARTS, **kept}
    kept = {key: value for key, value in kept.items() if key not in ZERO_FOR_NONE or value}
    return {**kept, "train.extensions": _extensions(settings)}


def _extensions(settings: Mapping[str, Any]) -> list[str]:
    """Return the training steps that the old settings amount to."""
    if settings.get("train.architecture") == "two-stage":
        steps = ["states", "actions"]
    else:
        steady = ("train.consolidation.rounds", "train.rewrite")
        steps = [defaults.FORMER_STEPS[key] for key in steady if settings.get(key, True)]
    judging = "model.discriminator_width"
    steps += [defaults.FORMER_STEPS[judging]] if settings.get(judging, 0) else []
    length = settings.get("train.decoder_epochs", settings.get("train.decoder_updates", 1))
    return [*steps, "decoder"] if length else steps


def _encoder_now(spec: str) -> str:
    """Return what an encoder of older versions is today."""
    if spec == AUTO or parse_spec(spec).name in defaults.FORMER_ENCODERS:
        return f"learner.name={spec}"
    return f"autoencoder.encoder={spec} with learner.name={defaults.TRAINED_LEARNER}"
