"""Stops trials that will not be among the best: the process of a trial reports to the study, and asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import optuna

from cubespace.base.errors import CubeError
from cubespace.base.observer import Observer
from cubespace.experiments.tuning.pruners import WHOLE, make_pruner, pruner_options
from cubespace.experiments.tuning.storage import open_storage

TERMS = ("reconstruction", "successor", "direct")  # what is compared: their sum, on validation pairs


class PrunedError(CubeError):
    """The trial is stopped: others were better at this point."""

    exit_code = 75  # of a call of cube; no other error has it


class Pruning(Observer):
    """Reports the validation losses of a trial, and ends its training when the study says so."""

    def __init__(self, storage: str, study: str, trial: int, pruner: str, settled: float) -> None:
        super().__init__()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        loaded = optuna.load_study(study_name=study, storage=open_storage(storage), pruner=make_pruner(pruner, settled))
        self.sign = 1.0 if loaded.direction == optuna.study.StudyDirection.MINIMIZE else -1.0
        frozen = loaded.get_trials(deepcopy=False)[trial]
        self.trial = optuna.trial.Trial(loaded, frozen._trial_id)
        self.every = pruner_options(pruner).every
        self.fraction = 0.0
        self.reported = max(frozen.intermediate_values, default=0)

    def step(self, done: int, total: int, about: str) -> None:  # noqa: ARG002
        """Remember how much of the training is done."""
        self.fraction = done / max(1, total)

    def epoch(self, row: Mapping[str, Any]) -> None:
        """Report the first epoch beyond each point of comparison; raise if the trial is to be stopped."""
        percent = int(WHOLE * self.fraction)
        point = percent - percent % self.every  # the same for trials whose epochs differ in number
        terms = [row.get(f"validation_{name}") for name in TERMS]
        if point <= self.reported or percent >= WHOLE or any(term is None for term in terms):
            return
        self.reported = point
        self.trial.report(self.sign * sum(float(term) for term in terms if term is not None), point)
        if self.trial.should_prune():
            raise PrunedError(f"pruned after {percent} % of its training: other trials were better at this point")
