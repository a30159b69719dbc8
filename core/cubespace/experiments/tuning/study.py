"""Runs a tuning: trials are proposed, run by an executor and scored; a tuning that is killed can be continued.

Optuna still lists a trial that was running when the process was killed as running. It belongs to this folder, so it
is simply continued from what its run folder holds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.samplers import BaseSampler, NSGAIISampler, RandomSampler, TPESampler
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import write_text
from cubespace.experiments.executor import Executor, Job, JobResult
from cubespace.experiments.jobs import LOGS
from cubespace.experiments.owned_folder import owned
from cubespace.experiments.tuning.genetic import Genes, GeneticSampler, genes_key
from cubespace.experiments.tuning.tuning_file import FILE, Tuning, read_tuning
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.run_config import RunConfig, dump_toml

TRIALS, JOURNAL, BEST = "trials", "journal.log", "best.toml"
OWNER, REPEAT = "folder", "repeat"  # attributes of a trial: the folder it belongs to, and the trial that it repeats
MAX_REPEATS = 50  # proposals of known configurations in a row, before a new one is drawn at random


@attrs.define
class TuningRun:
    """A tuning in its folder."""

    folder: Path
    tuning: Tuning
    catalogue: Catalogue = attrs.field(repr=False)
    storage: str | None = None  # the address of a database that several machines share; None: a journal in the folder

    def run(
        self,
        trials: int,
        executor: Executor,
        at_once: int = 1,
        told: Callable[[FrozenTrial, JobResult], None] = lambda *_: None,
    ) -> optuna.Study:
        """Continue until ``trials`` trials have ended, or no configuration is left, ``at_once`` at a time."""
        self.tuning.check(self.catalogue)
        total = min(trials, self.tuning.size)
        with self._locked():
            study = self._study()
            while True:
                open_trials = self._left_running(study)
                room = min(at_once, total - len(self._tried(study)) - len(open_trials))
                for _ in range(room):
                    open_trials.append(self._proposed(study))
                if not open_trials:
                    break
                self._do(study, open_trials, executor, told)
            self._write_best(study)
        return study

    def _tried(self, study: optuna.Study) -> list[FrozenTrial]:
        """Return the trials that have ended, successfully or not; a failed trial is not tried again."""
        ended = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.FAIL))
        whole = [trial for trial in ended if set(trial.params) == set(self.tuning.space)]
        return [trial for trial in whole if REPEAT not in trial.user_attrs]

    def trial_config(self, trial: FrozenTrial) -> RunConfig:
        """Return the settings of a trial."""
        return self.tuning.configuration(trial.params, self.catalogue)

    def trial_folder(self, trial: FrozenTrial) -> Path:
        """Return the run folder of a trial."""
        return self.folder / TRIALS / f"{trial.number:04d}-{self.trial_config(trial).key('train')[:8]}"

    def _do(
        self,
        study: optuna.Study,
        trials: Sequence[FrozenTrial],
        executor: Executor,
        told: Callable[[FrozenTrial, JobResult], None],
    ) -> None:
        """Run trials and report their scores to the study; one that fails is reported as failed."""
        by_name: dict[str, FrozenTrial] = {}
        jobs = []
        for trial in trials:
            path = self.trial_folder(trial)
            if not (path / "config.toml").is_file():
                RunFolder.start(path, self.trial_config(trial), self.catalogue, look_for_files=False)
            words = ("cell", str(path), "--until", self.tuning.stage, "--reuse", str(path.parent))
            by_name[path.name] = trial
            jobs.append(Job(path.name, words, self.folder / LOGS / path.name))

        def finished(result: JobResult) -> None:
            trial = by_name[result.job.name]
            if result.succeeded:
                study.tell(trial.number, self.tuning.score(self.trial_folder(trial)))
            else:
                study.tell(trial.number, state=TrialState.FAIL)
            told(trial, result)

        executor.run(jobs, finished)

    def _proposed(self, study: optuna.Study) -> FrozenTrial:
        """Return a new trial, of a configuration that no other trial has."""
        for _ in range(MAX_REPEATS):
            trial = self._asked(study)
            twin = next((other for other in study.get_trials(deepcopy=False) if _twins(trial, other)), None)
            if twin is None:
                return study.get_trials(deepcopy=False)[trial.number]
            trial.set_user_attr(REPEAT, twin.number)
            # a known result informs the sampler, but is not computed again
            if twin.state == TrialState.COMPLETE:
                study.tell(trial, twin.value)
            else:
                study.tell(trial, state=TrialState.FAIL)
        study.enqueue_trial(self._unseen(study))
        return study.get_trials(deepcopy=False)[self._asked(study).number]

    def _unseen(self, study: optuna.Study) -> Genes:
        """Return a random configuration that no trial has."""
        taken = {genes_key(trial.params) for trial in study.get_trials(deepcopy=False)}
        rng = np.random.default_rng([self.tuning.seed, len(taken)])
        drawing = GeneticSampler(self.tuning.space, self.tuning.population, self.tuning.mutation, self.tuning.seed)
        while True:
            drawn = drawing.random(rng)
            if genes_key(drawn) not in taken:
                return drawn

    def _asked(self, study: optuna.Study) -> optuna.Trial:
        space: dict[str, BaseDistribution] = {
            key: CategoricalDistribution(choices) for key, choices in self.tuning.space.items()
        }
        trial = study.ask(space)
        trial.set_user_attr(OWNER, self.folder.name)
        return trial

    def _left_running(self, study: optuna.Study) -> list[FrozenTrial]:
        """Return the trials of this folder that were running when the process ended."""
        left = []
        for trial in study.get_trials(states=(TrialState.RUNNING,)):
            # in this folder's journal, every running trial is ours
            ours = trial.user_attrs.get(OWNER, None if self.storage else self.folder.name) == self.folder.name
            if ours and set(trial.params) == set(self.tuning.space):
                left.append(trial)
            elif ours:  # the process ended while it was being proposed
                study.tell(trial.number, state=TrialState.FAIL)
        return left

    def _study(self) -> optuna.Study:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        journal = self.folder / JOURNAL
        try:
            storage: Any = self.storage or JournalStorage(JournalFileBackend(str(journal)))
            return optuna.create_study(
                storage=storage,
                sampler=self._sampler(),
                study_name=self._name(),
                direction="maximize" if self.tuning.maximised else "minimize",
                load_if_exists=True,
            )
        except Exception as error:  # a database may raise anything
            reason = next(iter(str(error).splitlines()), "")
            if self.storage is None:
                way = "remove its last whole lines until it can be read, or the file, to begin anew"
                raise InputError(f"'{journal}' is damaged ({type(error).__name__}: {reason}): {way}") from error
            raise UsageError(f"the storage of the tuning cannot be used ({type(error).__name__}: {reason})") from error

    def _name(self) -> str:
        """Return the name of this study in a shared database: equal for equal questions."""
        return f"cubespace-{hashlib.sha256(self.tuning.dump().encode()).hexdigest()[:12]}"

    def _sampler(self) -> BaseSampler:
        tuning = self.tuning
        if tuning.sampler == "genetic":
            return GeneticSampler(tuning.space, tuning.population, tuning.mutation, tuning.seed)
        if tuning.sampler == "tpe":
            return TPESampler(seed=tuning.seed)
        if tuning.sampler == "nsga2":
            return NSGAIISampler(population_size=tuning.population, seed=tuning.seed)
        return RandomSampler(seed=tuning.seed)

    def _write_best(self, study: optuna.Study) -> None:
        """Write the settings of the best trial for ``cube run --config``."""
        if completed(study):
            write_text(self.folder / BEST, dump_toml(self.trial_config(study.best_trial)))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock out other processes, and refuse a folder that holds another tuning."""
        if (self.folder / FILE).is_file() and read_tuning(self.folder) != self.tuning:
            raise UsageError(f"{self.folder} is a tuning of other choices: choose another folder with -o")
        with owned(self.folder, "tuning", FILE):
            write_text(self.folder / FILE, self.tuning.dump())
            yield


def completed(study: optuna.Study) -> list[FrozenTrial]:
    """Return the completed trials, without those that only repeat another."""
    done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    return [trial for trial in done if REPEAT not in trial.user_attrs]


def _twins(trial: optuna.Trial, other: FrozenTrial) -> bool:
    """Return whether another trial, which is not a repetition itself, has the same configuration."""
    if other.number == trial.number or REPEAT in other.user_attrs:
        return False
    return genes_key(other.params) == genes_key(trial.params)
