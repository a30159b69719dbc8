"""The configuration of a run: one tree of defaults, preset, TOML file and command line, in this order; no torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import attrs
import tomli_w
from attrs.validators import and_, ge, gt, le, lt, optional

from cubespace.base.errors import UsageError
from cubespace.base.options import Text, structure
from cubespace.settings import defaults
from cubespace.settings.migration import OLD_SECTION, migrated, refuse_old_keys
from cubespace.settings.presets import find_preset, over
from cubespace.settings.recipe import AUTO, MOST_SEED, AutoencoderConfig, LearnerConfig, TrainConfig
from cubespace.settings.spoiled_camera import CameraSpoiling
from cubespace.settings.spoiled_pictures import PictureSpoiling
from cubespace.settings.stages import STAGES, Stage, way_to
from cubespace.settings.toml_file import read_toml

DEFAULT_PLANNER = defaults.PLANNER
TIME_LIMIT, MEMORY_LIMIT = 900.0, 2048  # seconds and megabytes per search, as in the paper
MOST_SECONDS = 1e9  # thirty years: more is no limit
MOST_MEMORY = 1 << 30  # megabytes: more than the kernel can count in bytes is no limit

# settings that command line and Python interface call by a short name
SHORT_NAMES = {
    "learner": ("learner.name",),
    "apply": ("autoencoder.apply",),
    "encoder": ("autoencoder.encoder",),
    "decoder": ("autoencoder.decoder",),
    "precondition": ("extract.precondition",),
    "planners": ("plan.planners",),
    "instances": ("plan.instances",),
    "length": ("plan.length",),
    "plan_model": ("plan.model",),
    "judge": ("plan.judge",),
    "time_limit": ("plan.time_limit",),
    "memory_limit": ("plan.memory_limit",),
    "seed": ("data.seed", "train.seed", "extract.seed", "plan.seed"),
}

_seed = and_(ge(0), le(MOST_SEED))
_share = and_(ge(0.0), lt(0.5))


def _some(_: object, __: object, value: tuple[str, ...]) -> None:
    if not value:
        raise ValueError("there must be at least one planner")


@attrs.frozen(kw_only=True)
class Spoiling(CameraSpoiling, PictureSpoiling):
    """What is done to clean data; nothing by default."""

    noise: float = attrs.field(default=0.0, validator=ge(0.0))  # standard deviation of noise on each pixel, of 1
    light: float = attrs.field(default=0.0, validator=and_(ge(0.0), lt(1.0)))  # each picture is darkened by up to this
    shift: int = attrs.field(default=0, validator=and_(ge(0), le(8)))  # pixels by which each picture may be shifted
    blink: int = attrs.field(default=0, validator=and_(ge(0), le(8)))  # lamps below the picture that blink at random
    wrong: float = attrs.field(default=0.0, validator=and_(ge(0.0), le(1.0)))  # fraction of pairs mixed up
    walks: int | None = attrs.field(default=None, validator=optional(ge(1)))  # random walks instead of random pairs
    from_goal: bool = False  # walks begin at the goal
    restart: int | None = attrs.field(default=None, validator=optional(ge(1)))  # steps after which walks begin anew

    @property
    def any(self) -> bool:
        """Return whether anything is spoiled."""
        return self != Spoiling()

    @property
    def pictures(self) -> bool:
        """Return whether pictures look different from what the domain draws."""
        return bool(self.noise or self.light or self.shift or self.blink) or self.camera or self.scene or self.pixels


@attrs.frozen(kw_only=True)
class DataConfig:
    """The data set: how many transitions, drawn and split by which seed."""

    transitions: int | None = attrs.field(default=None, validator=optional(ge(1)))  # None: the domain's usual number
    seed: int = attrs.field(default=0, validator=_seed)  # of drawing and splitting
    split: Literal["pair", "state"] = "pair"  # state: no held-out picture shows a state of a training picture
    spoil: Spoiling = attrs.field(factory=Spoiling)


@attrs.frozen(kw_only=True)
class ExtractConfig:
    """How bits become a STRIPS model."""

    effects: Literal["auto", "differences", "network", "observed", "predicted"] = "auto"  # auto: as the learner has it
    pairs: Literal["training", "all", "oracle"] = "training"  # read; all: held-out ones too; oracle: every move (AMA1)
    most_moves: int = attrs.field(default=20_000, validator=ge(1))  # that an oracle lists
    precondition: str = AUTO  # learner, as NAME or NAME:key=value,…; auto: the one that goes with the bit learner
    min_support: int = attrs.field(default=1, validator=ge(1))  # training transitions an action must explain
    seed: int = attrs.field(default=0, validator=_seed)  # of what a learner samples


@attrs.frozen(kw_only=True)
class LiftConfig:
    """How a lifted model is found and checked."""

    level: float = attrs.field(default=1e-3, validator=and_(gt(0.0), lt(1.0)))  # at which chance may pass for a rule
    least_share: float = attrs.field(default=0.01, validator=_share)  # of transitions; rarer forms are accidents
    most_accidents: float = attrs.field(default=0.1, validator=_share)  # of transitions; with more there is no model
    accident_rate: float = attrs.field(default=0.02, validator=_share)  # of what is expected; rarer ones are accidents
    least_states: int = attrs.field(default=5, validator=ge(1))  # with a value, to name it by what is absent there
    states: int = attrs.field(default=1000, validator=ge(1))  # on which it is compared with other models
    seed: int = attrs.field(default=0, validator=_seed)  # of the choice of these states


@attrs.frozen(kw_only=True)
class PlanConfig:
    """Which instances to solve, by which planners, within which limits (the paper's by default).

    A *repaired* model is the lifted one, grounded again, if it passes its checks, else the learned one; *auto* is the
    better of these two, by what pairs say.
    """

    model: Literal["learned", "lifted", "repaired", "auto"] = "learned"  # what is planned with
    planners: tuple[str, ...] = attrs.field(default=(DEFAULT_PLANNER,), validator=_some)  # as NAME or NAME:key=value,…
    instances: int = attrs.field(default=30, validator=ge(1))  # problems, the same for every planner
    length: int = attrs.field(default=7, validator=ge(1))  # exact distance of init from goal
    judge: Literal["strict", "authors"] = "strict"  # authors: plans are judged by the authors' laxer rule, too
    random_goals: bool = False  # another goal for each instance, for domains with few states near their own goal
    seed: int = attrs.field(default=0, validator=_seed)  # of the choice of instances
    time_limit: float = attrs.field(default=TIME_LIMIT, validator=and_(gt(0.0), le(MOST_SECONDS)))  # seconds per search
    memory_limit: int = attrs.field(default=MEMORY_LIMIT, validator=and_(gt(0), le(MOST_MEMORY)))  # megabytes


@attrs.frozen(kw_only=True)
class DiagnoseConfig:
    """The states on which the learned moves are compared with the true ones."""

    states: int = attrs.field(default=3000, validator=ge(1))  # how many, drawn at random
    seed: int = attrs.field(default=0, validator=_seed)  # of drawing them


@attrs.frozen(kw_only=True, repr=False)
class RunConfig:
    """All that determines the result of a run."""

    domain: str = defaults.DOMAIN  # as NAME or NAME:key=value,…
    data: DataConfig = attrs.field(factory=DataConfig)
    learner: LearnerConfig = attrs.field(factory=LearnerConfig)
    autoencoder: AutoencoderConfig = attrs.field(factory=AutoencoderConfig)
    train: TrainConfig = attrs.field(factory=TrainConfig)
    extract: ExtractConfig = attrs.field(factory=ExtractConfig)
    lift: LiftConfig = attrs.field(factory=LiftConfig)
    plan: PlanConfig = attrs.field(factory=PlanConfig)
    diagnose: DiagnoseConfig = attrs.field(factory=DiagnoseConfig)

    def __repr__(self) -> str:
        """Return the domain and the settings that differ from their defaults."""
        others = [f"{key}={value}" for key, value in self._differing.items() if key != "domain"]
        return f"<RunConfig of {self.domain}: {', '.join(others) or 'all defaults'}>"

    def also_needs(self, stage: str) -> str | None:
        """Return the stage, beside the one before it, whose files a stage reads with these settings."""
        return "lift" if stage == "evaluate" and self.plan.model != "learned" else None

    def way_to(self, stage: str) -> tuple[Stage, ...]:
        """Return the stages that lead to one with these settings, in order, and itself as the last."""
        *before, last = way_to(stage)
        also = self.also_needs(stage)
        return (*before, *([] if also is None else [STAGES[also]]), last)

    def settings_of(self, stage: str) -> dict[str, Any]:
        """Return the settings of one stage that differ from their defaults, by dotted key.

        Only these count: a setting that a later version adds changes nothing while it has its default.
        """
        sections = STAGES[stage].sections
        return {key: value for key, value in self._differing.items() if key.split(".")[0] in sections}

    @cached_property
    def _differing(self) -> dict[str, Any]:
        """Return all settings that differ from their defaults: a matrix asks for them again and again."""
        return {key: value for key, value in flat(attrs.asdict(self)).items() if value != _usual_settings()[key]}

    def own_key(self, stage: str) -> str:
        """Return the hash of what decides a stage besides the files it reads: its revision and its settings."""
        return _digest([stage, STAGES[stage].revision, self.settings_of(stage)])

    def key(self, stage: str) -> str:
        """Return the hash of what decides a stage and all that lead to it: known before any of them is done."""
        return _digest([self.own_key(each.name) for each in self.way_to(stage)])


@cache
def _usual_settings() -> dict[str, Any]:
    """Return every setting at its default, by dotted key."""
    return flat(attrs.asdict(RunConfig()))


def load_config(file: Path | None, settings: Mapping[str, object], preset: str | None = None) -> RunConfig:
    """Return the configuration of preset, TOML ``file`` and ``settings`` such as ``train.epochs``, the last on top."""
    table = {} if preset is None else over({}, find_preset(preset).settings)
    if file is not None:
        table = over(table, read_toml(file))
    return _structured(table, settings, f"{file}" if file else "configuration")


def with_settings(config: RunConfig, settings: Mapping[str, object]) -> RunConfig:
    """Return the configuration with ``settings`` such as ``plan.length`` on top."""
    return _structured(_without_none(attrs.asdict(config)), settings, "configuration")


def load_stored(file: Path) -> RunConfig:
    """Return the configuration in a run folder; one of an older version as this version has it."""
    table = read_toml(file)
    if OLD_SECTION in table:
        return _structured({}, migrated(flat(table)), str(file))
    return _structured(table, {}, str(file))


def _structured(table: dict[str, Any], settings: Mapping[str, object], source: str) -> RunConfig:
    """Return the configuration of a nested table with ``settings`` on top; errors name the ``source``."""
    for key, value in settings.items():
        _put(table, key, value)
    refuse_old_keys(flat(table), source)
    config = structure(RunConfig, table, source)
    for key, value in flat(attrs.asdict(config)).items():
        try:
            str(value).encode()
        except UnicodeEncodeError:
            raise UsageError(f"{key}: {value} has bytes that are no text, and settings are text: rename it") from None
    return config


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
    matter = {section for each in way_to(stage) for section in each.sections}
    differing = (key for key in left.keys() | right.keys() if left.get(key) != right.get(key))
    return sorted(key for key in differing if key.split(".")[0] in matter)


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _put(table: dict[str, Any], key: str, value: object) -> None:
    *path, last = key.split(".")
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise UsageError(f"'{key}' goes below '{part}', which is a single setting")
    if isinstance(table.get(last), dict):
        raise UsageError(f"'{key}' is given as one value and as a table with {', '.join(table[last])}: choose one")
    table[last] = value


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
