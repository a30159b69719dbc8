"""The configuration of a run: one frozen tree, from defaults, preset, TOML file and command line, in this order.

Free of torch, so quick to import.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import tomli_w
from attrs.validators import ge, gt, optional

from cubespace.errors import InputError, UsageError
from cubespace.options import Text, structure
from cubespace.presets import find_preset
from cubespace.recipe import ModelConfig, TrainConfig

STAGES = ("data", "train", "extract", "plan")


@attrs.frozen(kw_only=True)
class DataConfig:
    """The data set: how many transitions, drawn and split by which seed."""

    transitions: int | None = attrs.field(default=None, validator=optional(ge(1)))  # None: the domain's usual number
    seed: int = attrs.field(default=0, validator=ge(0))


@attrs.frozen(kw_only=True)
class ExtractConfig:
    """How bits become a STRIPS model."""

    effects: Literal["differences", "network", "observed"] = "differences"
    precondition: str = "counterexamples"  # precondition learner, as NAME or NAME:key=value,…
    min_support: int = attrs.field(default=1, validator=ge(1))  # training transitions an action must explain
    seed: int = attrs.field(default=0, validator=ge(0))


@attrs.frozen(kw_only=True)
class PlanConfig:
    """Which instances to solve, by which planners, within which limits (the paper's by default)."""

    planners: tuple[str, ...] = ("fd-lmcut",)
    instances: int = attrs.field(default=30, validator=ge(1))
    length: int = attrs.field(default=7, validator=ge(1))  # exact distance of init from goal
    random_goals: bool = False  # another goal for each instance, for domains with few states near their own goal
    seed: int = attrs.field(default=0, validator=ge(0))
    time_limit: float = attrs.field(default=900.0, validator=gt(0))  # seconds per search
    memory_limit: int = attrs.field(default=2048, validator=gt(0))  # megabytes per search


@attrs.frozen(kw_only=True)
class RunConfig:
    """All that determines the result of a run."""

    domain: str = "mnist"  # as NAME or NAME:key=value,…
    data: DataConfig = attrs.field(factory=DataConfig)
    model: ModelConfig = attrs.field(factory=ModelConfig)
    train: TrainConfig = attrs.field(factory=TrainConfig)
    extract: ExtractConfig = attrs.field(factory=ExtractConfig)
    plan: PlanConfig = attrs.field(factory=PlanConfig)

    def key(self, stage: str) -> str:
        """Return the hash of all settings that the result of a stage depends on."""
        parts: dict[str, Any] = {"domain": self.domain}
        for name in STAGES[: STAGES.index(stage) + 1]:
            parts[name] = attrs.asdict(getattr(self, name))
            if name == "train":
                parts["model"] = attrs.asdict(self.model)
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def load_config(file: Path | None, settings: Mapping[str, object], preset: str | None = None) -> RunConfig:
    """Return the configuration of preset, TOML ``file`` and ``settings`` such as ``train.epochs``, the last on top."""
    table = {} if preset is None else find_preset(preset).settings
    if file is not None:
        table = _merged(table, read_toml(file))
    for key, value in settings.items():
        _put(table, key, value)
    return structure(RunConfig, table, f"{file}" if file else "configuration")


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file; one that is absent or malformed is an :class:`InputError` that names it."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file} is not a TOML file: {error}") from error


def parse_settings(pairs: Iterable[str]) -> dict[str, object]:
    """Read ``--set key=value`` arguments."""
    settings: dict[str, object] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"--set {pair}: write KEY=VALUE, such as --set train.epochs=50")
        settings[key.strip()] = Text(value.strip())
    return settings


def dump_toml(config: RunConfig) -> str:
    """Return the configuration as TOML that :func:`load_config` reads back; settings that are None are left out."""
    return tomli_w.dumps(_without_none(attrs.asdict(config)))


def differing_keys(one: RunConfig, other: RunConfig, stage: str) -> list[str]:
    """Return the dotted keys, as far as they matter to a stage, in which two configurations differ."""
    left, right = (flat(attrs.asdict(config)) for config in (one, other))
    wanted = {"domain", *STAGES[: STAGES.index(stage) + 1], *(["model"] if stage != "data" else [])}
    return sorted(
        key for key in left.keys() | right.keys() if left.get(key) != right.get(key) and key.split(".")[0] in wanted
    )


def _put(table: dict[str, Any], key: str, value: object) -> None:
    *path, last = key.split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UsageError(f"'{key}' goes below '{part}', which is a single setting")
    table[last] = value


def _merged(table: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Return a nested table with another one put on top."""
    both = {key for key in table.keys() & upper.keys() if isinstance(table[key], dict) and isinstance(upper[key], dict)}
    return {**table, **upper, **{key: _merged(table[key], upper[key]) for key in both}}


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _without_none(value) if isinstance(value, dict) else value
        for key, value in table.items()
        if value is not None
    }


def flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return a nested table with dotted keys, such as ``train.epochs``."""
    rows: dict[str, Any] = {}
    for key, value in table.items():
        rows |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return rows
