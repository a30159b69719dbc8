"""Runs a tuning: trials are proposed, run by an executor and scored; a tuning that is killed can be continued.

Optuna still lists a trial that was running when the process was killed as running. It belongs to this folder, by an
identity that no other folder has, so it is simply continued from what its run folder holds. Several folders, on several
machines, may share a storage: each runs its own trials only.
"""

from __future__ import annotations

import datetime
import hashlib
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, NSGAIISampler, RandomSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import write_text
from cubespace.base.options import parse_spec
from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.executor import Executor, Files, Job, JobResult
from cubespace.experiments.jobs import LOGS
from cubespace.experiments.owned_folder import owned
from cubespace.experiments.tuning.genetic import Genes, GeneticSampler, genes_key
from cubespace.experiments.tuning.pruners import make_pruner
from cubespace.experiments.tuning.pruning import PrunedError
from cubespace.experiments.tuning.storage import JOURNAL, mend_journal, open_study
from cubespace.experiments.tuning.tuning_file import FILE, Tuning, read_tuning
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings import defaults
from cubespace.settings.run_config import RunConfig, dump_toml, flat

TRIALS, JOURNAL_FILE, BEST, IDENTITY = "trials", "journal.log", "best.toml", "identity.txt"
OWNER, REPEAT = "owner", "repeat"  # attributes of a trial: the tuning it belongs to, and the trial that it repeats
MAX_REPEATS = 50  # proposals of known configurations in a row, before a new one is drawn at random
ORPHAN_SECONDS = 60.0  # after which a trial that nobody owns was left by a process that was killed while proposing it
PROPOSING_SECONDS = 10.0  # that an earlier trial may take to be proposed, before it is not waited for
ENDED = (TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED)

Told = Callable[[FrozenTrial, JobResult], None]


@attrs.define
class TuningRun:
    """A tuning in its folder."""

    folder: Path
    tuning: Tuning
    catalogue: Catalogue = attrs.field(repr=False)
    storage: str | None = None  # the address of a database that several machines share; None: a journal in the folder
    call: CellCall = attrs.field(factory=CellCall)
    _identity: str = attrs.field(init=False, default="")

    def run(self, trials: int, executor: Executor, at_once: int = 1, told: Told = lambda *_: None) -> optuna.Study:
        """Continue until ``trials`` trials have ended, or no configuration is left, ``at_once`` at a time.

        Trials that other machines run count too; they are not waited for.
        """
        self.tuning.check(self.catalogue)
        total = min(trials, self.tuning.size)
        with self._locked():
            study = self._study()
            begun: dict[str, FrozenTrial] = {}  # by the name of the job

            def jobs(given: Sequence[FrozenTrial]) -> list[Job]:
                made = [self._job(study, trial) for trial in given]
                begun.update({job.name: trial for job, trial in zip(made, given, strict=True)})
                return made

            def finished(result: JobResult) -> None:
                number = begun[result.job.name].number
                self._tell(study, begun[result.job.name], result)
                told(study.get_trials(deepcopy=False)[number], result)

            def more() -> list[Job]:
                return jobs(self._new_trials(study, total, at_once))

            executor.run_fed([*jobs(self._left_running(study)), *more()], finished, more)
            self._write_best(study)
        return study

    def _new_trials(self, study: optuna.Study, total: float, at_once: int) -> list[FrozenTrial]:
        """Return as many new trials as there is room for."""
        proposed: list[FrozenTrial] = []
        while True:
            self._fail_orphans(study)
            running = self._running(study)
            ours = [trial for trial in running if trial.user_attrs.get(OWNER) == self._identity]
            if len(ours) >= at_once or len(self._tried(study)) + len(running) >= total:
                return proposed
            trial = self._proposed(study)
            if trial is None:
                return proposed
            proposed.append(trial)

    def _running(self, study: optuna.Study) -> list[FrozenTrial]:
        trials: list[FrozenTrial] = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
        return trials

    def _tried(self, study: optuna.Study) -> list[FrozenTrial]:
        """Return the trials that have ended, successfully or not; a failed trial is not tried again."""
        whole = [trial for trial in study.get_trials(deepcopy=False, states=ENDED) if self._is_whole(trial)]
        return [trial for trial in whole if REPEAT not in trial.user_attrs]

    def _is_whole(self, trial: FrozenTrial) -> bool:
        """Return whether a trial has a value for every setting: otherwise it is still being proposed."""
        return set(trial.params) == set(self.tuning.space)

    def trial_config(self, trial: FrozenTrial) -> RunConfig:
        """Return the settings of a trial."""
        return self.tuning.configuration(trial.params, self.catalogue)

    def trial_folder(self, trial: FrozenTrial) -> Path:
        """Return the run folder of a trial."""
        return self.folder / TRIALS / f"{trial.number:04d}-{self.trial_config(trial).key('train')[:8]}"

    def _job(self, study: optuna.Study, trial: FrozenTrial) -> Job:
        """Return the work of a trial, whose run folder is made."""
        path = self.trial_folder(trial)
        if not (path / "config.toml").is_file():
            RunFolder.start(path, self.trial_config(trial), self.catalogue, look_for_files=False)
        words = self.call.words(path, self.tuning.stage, (path.parent,), diagnose=False)
        if self.tuning.prunes:
            words += ("--trial", f"{study.study_name}:{trial.number}", "--pruner", self.tuning.pruner)
            words += ("--storage", self._address())
        own = str(path.relative_to(self.folder))
        return Job(path.name, words, self.folder / LOGS / path.name, files=Files(self.folder, (own,), (own,)))

    def _tell(self, study: optuna.Study, trial: FrozenTrial, result: JobResult) -> None:
        """Report how a trial ended; one that is the best so far is written for ``cube run``."""
        if result.succeeded:
            study.tell(trial.number, self.tuning.scores(self.trial_folder(trial)))
            if trial.number in {best.number for best in study.best_trials}:
                self._write_best(study)
        else:
            pruned = result.exit_code == PrunedError.exit_code
            study.tell(trial.number, state=TrialState.PRUNED if pruned else TrialState.FAIL)

    def _proposed(self, study: optuna.Study) -> FrozenTrial | None:
        """Return a new trial, of a configuration that no other trial has; None if none is left."""
        for _ in range(MAX_REPEATS):
            trial = self._asked(study)
            twin = self._twin(study, trial)
            if twin is None:
                return study.get_trials(deepcopy=False)[trial.number]
            trial.set_user_attr(REPEAT, twin.number)
            # a known result informs the sampler, but is not computed again
            if twin.state == TrialState.COMPLETE:
                study.tell(trial, twin.values)
            else:
                pruned = twin.state == TrialState.PRUNED
                study.tell(trial, state=TrialState.PRUNED if pruned else TrialState.FAIL)
        genes = self._unseen(study)
        if genes is None:
            return None
        study.enqueue_trial(genes)
        return study.get_trials(deepcopy=False)[self._asked(study).number]

    def _twin(self, study: optuna.Study, trial: optuna.Trial) -> FrozenTrial | None:
        """Return an earlier trial with the same configuration, which is not a repetition itself.

        Of two machines that propose the same at the same time, the one whose trial came first keeps it: the other waits
        until earlier trials have been proposed.
        """
        deadline = time.monotonic() + PROPOSING_SECONDS
        while True:
            earlier = study.get_trials(deepcopy=False)[: trial.number]
            half = [other for other in earlier if other.state == TrialState.RUNNING and not self._is_whole(other)]
            if not half or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        key = genes_key(trial.params)
        return next((one for one in earlier if REPEAT not in one.user_attrs and genes_key(one.params) == key), None)

    def _unseen(self, study: optuna.Study) -> Genes | None:
        """Return a random configuration that no trial has, or None if all were tried."""
        taken = {genes_key(trial.params) for trial in study.get_trials(deepcopy=False)}
        rng = np.random.default_rng([self.tuning.seed, len(taken)])
        drawing = GeneticSampler(self.tuning.space, self.tuning.population, self.tuning.mutation, self.tuning.seed)
        if len(taken) >= self.tuning.size:
            return None
        while True:
            drawn = drawing.random(rng)
            if genes_key(drawn) not in taken:
                return drawn

    def _asked(self, study: optuna.Study) -> optuna.Trial:
        trial = study.ask()
        trial.set_user_attr(OWNER, self._identity)  # before it has settings: other machines leave it alone
        for key, of in self.tuning.dimensions().items():
            distribution = of.distribution()
            if isinstance(distribution, CategoricalDistribution):
                trial.suggest_categorical(key, distribution.choices)
            elif isinstance(distribution, IntDistribution):
                trial.suggest_int(key, distribution.low, distribution.high, log=distribution.log)
            elif isinstance(distribution, FloatDistribution):
                trial.suggest_float(key, distribution.low, distribution.high, log=distribution.log)
        return trial

    def _left_running(self, study: optuna.Study) -> list[FrozenTrial]:
        """Return the trials of this folder that were running when the process ended."""
        ours = [trial for trial in self._running(study) if trial.user_attrs.get(OWNER) == self._identity]
        for trial in ours:
            if not self._is_whole(trial):  # the process ended while it was being proposed
                study.tell(trial.number, state=TrialState.FAIL)
        return [trial for trial in ours if self._is_whole(trial)]

    def _fail_orphans(self, study: optuna.Study) -> None:
        """Report trials as failed whose process was killed before it could say whose they are."""
        now = datetime.datetime.now()
        for trial in self._running(study):
            age = (now - (trial.datetime_start or now)).total_seconds()
            # in this folder's journal, nobody else is at work
            if OWNER not in trial.user_attrs and (self.storage is None or age > ORPHAN_SECONDS):
                study.tell(trial.number, state=TrialState.FAIL, skip_if_finished=True)

    def _study(self) -> optuna.Study:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            if self.storage is None:
                mend_journal(self.folder / JOURNAL_FILE)
            return open_study(
                self._address(),
                sampler=self._sampler(),
                pruner=make_pruner(self.tuning.pruner),
                study_name=self._name(),
                directions=self.tuning.directions,
            )
        except Exception as error:  # a database may raise anything
            reason = next(iter(str(error).splitlines()), "")
            if self.storage is None:
                way = "remove its last whole lines until it can be read, or the file, to begin anew"
                journal = self.folder / JOURNAL_FILE
                raise InputError(f"'{journal}' is damaged ({type(error).__name__}: {reason}): {way}") from error
            raise UsageError(f"the storage of the tuning cannot be used ({type(error).__name__}: {reason})") from error

    def _address(self) -> str:
        """Return where the study is, for other processes too."""
        return self.storage or f"{JOURNAL}{(self.folder / JOURNAL_FILE).resolve()}"

    def _name(self) -> str:
        """Return the name of this study in a shared database: equal for equal questions, and readable."""
        domain = parse_spec(str(flat(self.tuning.settings).get("domain", defaults.DOMAIN))).name
        digest = hashlib.sha256(self.tuning.dump().encode()).hexdigest()[:8]
        return f"cube-tune-{domain}-{self.tuning.objective.replace(',', '-')}-{digest}"

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
        """Write the settings of the best trial for ``cube run --config``: of those, the best in the first objective."""
        sign = -1 if self.tuning.directions[0] == "maximize" else 1
        best = sorted(study.best_trials, key=lambda trial: sign * trial.values[0])
        if best:
            write_text(self.folder / BEST, dump_toml(self.trial_config(best[0])))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock out other processes, and refuse a folder that holds another tuning."""
        if (self.folder / FILE).is_file() and read_tuning(self.folder) != self.tuning:
            raise UsageError(f"{self.folder} is a tuning of other choices: choose another folder with -o")
        with owned(self.folder, "tuning", FILE):
            write_text(self.folder / FILE, self.tuning.dump())
            if not (self.folder / IDENTITY).is_file():
                write_text(self.folder / IDENTITY, f"{uuid.uuid4().hex}\n")
            self._identity = (self.folder / IDENTITY).read_text("utf-8").strip()
            yield


def ended(study: optuna.Study, state: TrialState) -> list[FrozenTrial]:
    """Return the trials that ended so, without those that only repeat another."""
    done = study.get_trials(deepcopy=False, states=(state,))
    return [trial for trial in done if REPEAT not in trial.user_attrs]


def completed(study: optuna.Study) -> list[FrozenTrial]:
    """Return the completed trials, without those that only repeat another."""
    return ended(study, TrialState.COMPLETE)
