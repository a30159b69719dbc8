"""What is tuned: the choices for each setting, the objective, and the sampler that proposes trials."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs
import tomli_w

from cubespace.base.errors import UsageError
from cubespace.base.options import Text, parse_spec, structure
from cubespace.base.records import read_record
from cubespace.experiments.reach import refuse_idle_axes
from cubespace.experiments.tuning.pruners import is_pruner
from cubespace.learning.measures import HeldOutMeasures
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.manifest import MANIFEST, read_manifest
from cubespace.runs.folder.results_file import RunResults
from cubespace.runs.folder.run_folder import CONFIG
from cubespace.settings import defaults
from cubespace.settings.check import resolve_components
from cubespace.settings.run_config import RunConfig, flat, load_config, load_stored
from cubespace.settings.stages import MEASURES, RESULTS, STAGES, way_to
from cubespace.settings.toml_file import read_toml

if TYPE_CHECKING:
    from cubespace.experiments.tuning.space import Dimension

FILE = "tuning.toml"

# of the paper, section 4; delays are fractions of its 200 epochs
PAPER_SPACE: dict[str, list[int | float]] = {
    "train.learning_rate": [0.1, 0.01, 0.001],
    "autoencoder.bits": [100, 200, 1000],
    "autoencoder.actions": [100, 200, 400, 800, 1600],
    "autoencoder.action_width": [100, 300, 600],
    "autoencoder.action_depth": [1, 2, 3],
    "train.losses.zero_suppress": [0.1, 0.2, 0.5],
    "train.losses.variational": [-0.3, -0.1, 0.0, 0.1, 0.3],
    "train.losses.direct": [0.1, 1.0, 10.0],
    "train.losses.zero_suppress_from": [0.05, 0.1, 0.2, 0.3, 0.5],
    "train.losses.direct_from": [0.05, 0.1, 0.2, 0.3, 0.5],
}
OBJECTIVES, MAXIMISED = ("loss", "coverage", "plans", "cpu"), ("coverage", "plans")


def _are_objectives(_: object, __: object, value: str) -> None:
    names = value.split(",")
    wrong = [name for name in names if name not in OBJECTIVES]
    if wrong or len(set(names)) < len(names):
        raise ValueError(f"objectives are one or several of {', '.join(OBJECTIVES)}, joined by commas")


@attrs.frozen(kw_only=True)
class Tuning:
    """A search for settings."""

    preset: str | None = None
    settings: Mapping[str, Any] = attrs.field(factory=dict)  # of every trial, by full name or in tables
    space: dict[str, Any] = attrs.field(factory=lambda: dict(PAPER_SPACE))  # for each setting: choices, or a range
    objective: str = attrs.field(default="loss", validator=_are_objectives)  # one of OBJECTIVES, or several: loss,cpu
    pruner: str = attrs.field(default="none", validator=is_pruner)  # which trials are stopped early
    sampler: Literal["genetic", "tpe", "nsga2", "random"] = "genetic"
    population: int = attrs.field(default=20, validator=attrs.validators.ge(2))  # of the genetic samplers
    mutation: float = attrs.field(
        default=0.3, validator=attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))
    )
    seed: int = attrs.field(default=0, validator=attrs.validators.ge(0))  # of the sampler, not of the trials

    @property
    def size(self) -> float:
        """Return how many different configurations there are."""
        return math.prod(of.size for of in self.dimensions().values())

    def dimensions(self) -> dict[str, Dimension]:
        """Return what each setting may be."""
        from cubespace.experiments.tuning.space import dimension

        return {key: dimension(key, given) for key, given in self.space.items()}

    @property
    def objectives(self) -> tuple[str, ...]:
        """Return what is optimised; the first of several decides which trial is the best."""
        return tuple(self.objective.split(","))

    @property
    def directions(self) -> list[Literal["minimize", "maximize"]]:
        """Return whether a lower or a higher score is better, for each objective."""
        return ["maximize" if name in MAXIMISED else "minimize" for name in self.objectives]

    @property
    def prunes(self) -> bool:
        """Return whether trials may be stopped early."""
        return parse_spec(self.pruner).name != "none"

    @property
    def stage(self) -> str:
        """Return the last stage that a trial has to do."""
        return "evaluate" if "plans" in self.objectives else "train"

    def configuration(self, chosen: Mapping[str, Any], catalogue: Catalogue) -> RunConfig:
        """Return the settings of a trial."""
        presets = {} if self.preset is None else flat(catalogue.find_preset(self.preset).settings)
        given = {**presets, **flat(self.settings), **chosen}
        settings = {key: Text(value) if isinstance(value, str) else value for key, value in given.items()}
        return resolve_components(catalogue, load_config(None, settings))

    def check(self, catalogue: Catalogue) -> None:
        """Refuse a space with unknown settings or values, before any work is done."""
        from cubespace.experiments.tuning.space import samples

        for key, of in self.dimensions().items():
            refuse_idle_axes([key], [self.configuration({key: value}, catalogue) for value in samples(of)], catalogue)
            self._refuse_unmeasured(key)
        if self.prunes and len(self.objectives) > 1:
            raise UsageError("a pruner needs one objective: with several, no trial is worse at a point of its training")

    def _refuse_unmeasured(self, key: str) -> None:
        """Raise if a setting decides only what comes after the stage that is scored."""
        stages = [*way_to(self.stage), *([STAGES["lift"]] if self.stage == "evaluate" else [])]
        if key.split(".", maxsplit=1)[0] not in {section for stage in stages for section in stage.sections}:
            way = "; --objective plans judges plans" if self.stage == "train" else ""
            raise UsageError(f"'{key}' cannot be tuned: it changes nothing of the objective {self.objective}{way}")

    def scores(self, folder: Path) -> list[float]:
        """Return the scores of a finished trial, on data that is neither for training nor for test."""
        return [self._score(name, folder) for name in self.objectives]

    def _score(self, objective: str, folder: Path) -> float:
        if objective == "cpu":
            records = read_manifest(folder / MANIFEST, load_stored(folder / CONFIG))
            return sum(record.cpu_seconds for record in records.values())
        if objective == "plans":
            results = read_record(RunResults, folder / RESULTS)
            return float(sum(row.valid or 0 for row in results.planners.values()))
        held_out = read_record(HeldOutMeasures, folder / MEASURES).validation
        score = held_out.covered if objective == "coverage" else held_out.total
        if score is None:
            raise UsageError(
                f"objective '{objective}' needs learned actions, which only a learner that trains has: "
                f"set learner={defaults.TRAINED_LEARNER}, or objective to coverage or plans"
            )
        return score

    def dump(self) -> str:
        """Return it as TOML that :func:`read_tuning` reads back."""
        return tomli_w.dumps(attrs.asdict(self, filter=lambda _, value: value is not None))


def read_tuning(file: Path) -> Tuning:
    """Read a tuning file, or that of the folder of a tuning."""
    file = file / FILE if file.is_dir() else file
    return structure(Tuning, read_toml(file), str(file))
