"""What is tuned: the choices for each setting, the objective, and the sampler that proposes trials."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import tomli_w

from cubespace.base.errors import UsageError
from cubespace.base.options import Text, structure
from cubespace.base.records import read_record
from cubespace.experiments.reach import refuse_idle_axes
from cubespace.learning.measures import HeldOutMeasures
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.results_file import RunResults
from cubespace.settings import defaults
from cubespace.settings.check import resolve_components
from cubespace.settings.run_config import RunConfig, flat, load_config, read_toml
from cubespace.settings.stages import MEASURES, RESULTS

FILE = "tuning.toml"
Choice = str | int | float | bool

# of the paper, section 4; delays are fractions of its 200 epochs
PAPER_SPACE: dict[str, list[Choice]] = {
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


@attrs.frozen(kw_only=True)
class Tuning:
    """A search for settings."""

    preset: str | None = None
    settings: Mapping[str, Any] = attrs.field(factory=dict)  # of every trial, by full name or in tables
    space: dict[str, list[Any]] = attrs.field(factory=lambda: dict(PAPER_SPACE))  # the choices for each setting
    objective: Literal["loss", "coverage", "plans"] = "loss"
    sampler: Literal["genetic", "tpe", "nsga2", "random"] = "genetic"
    population: int = attrs.field(default=20, validator=attrs.validators.ge(2))  # of the genetic samplers
    mutation: float = attrs.field(
        default=0.3, validator=attrs.validators.and_(attrs.validators.ge(0), attrs.validators.le(1))
    )
    seed: int = attrs.field(default=0, validator=attrs.validators.ge(0))  # of the sampler, not of the trials

    @property
    def size(self) -> int:
        """Return how many different configurations there are."""
        size = 1
        for choices in self.space.values():
            size *= len(choices)
        return size

    @property
    def maximised(self) -> bool:
        """Return whether a higher score is better."""
        return self.objective != "loss"

    @property
    def stage(self) -> str:
        """Return the last stage that a trial has to do."""
        return "evaluate" if self.objective == "plans" else "train"

    def configuration(self, chosen: Mapping[str, Any], catalogue: Catalogue) -> RunConfig:
        """Return the settings of a trial."""
        presets = {} if self.preset is None else flat(catalogue.find_preset(self.preset).settings)
        given = {**presets, **flat(self.settings), **chosen}
        settings = {key: Text(value) if isinstance(value, str) else value for key, value in given.items()}
        return resolve_components(catalogue, load_config(None, settings))

    def check(self, catalogue: Catalogue) -> None:
        """Refuse a space with unknown settings or values, before any work is done."""
        for key, choices in self.space.items():
            if not choices or len({repr(choice) for choice in choices}) < len(choices):
                raise UsageError(f"space: '{key}' needs choices, each given once")
            refuse_idle_axes([key], [self.configuration({key: choice}, catalogue) for choice in choices], catalogue)

    def score(self, folder: Path) -> float:
        """Return the score of a finished trial, on data that is neither for training nor for test."""
        if self.objective == "plans":
            results = read_record(RunResults, folder / RESULTS)
            return float(sum(row.valid or 0 for row in results.planners.values()))
        held_out = read_record(HeldOutMeasures, folder / MEASURES).validation
        score = held_out.covered if self.objective == "coverage" else held_out.total
        if score is None:
            raise UsageError(
                f"objective '{self.objective}' needs learned actions, which only a learner that trains has: "
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
