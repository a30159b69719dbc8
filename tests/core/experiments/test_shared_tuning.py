"""Several tunings that share a storage, and trials that are stopped early."""

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tiny_matrix import DEFAULTS, InProcess
from tiny_run import SETTINGS

from cubespace.base.errors import UsageError
from cubespace.base.options import NoOptions
from cubespace.experiments.executor import Job, JobResult
from cubespace.plugins.catalogue import load_plugins

optuna = pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")

from cubespace.experiments.tuning.genetic import genes_key  # noqa: E402
from cubespace.experiments.tuning.pruning import PrunedError  # noqa: E402
from cubespace.experiments.tuning.storage import open_storage  # noqa: E402
from cubespace.experiments.tuning.study import OWNER, REPEAT, TuningRun, completed, ended  # noqa: E402
from cubespace.experiments.tuning.tuning_file import Tuning  # noqa: E402
from cubespace.settings.run_config import load_config  # noqa: E402

SEEDS = {"data.seed": list(range(8))}


def trials_of(storage: str) -> list:
    names = optuna.get_all_study_names(storage)
    assert len(names) <= 1
    return optuna.load_study(study_name=names[0], storage=storage).trials if names else []


class Meeting(InProcess):
    """While it has its first trial at work, another tuning with a folder of the same name begins."""

    other: TuningRun | None = None

    def run(self, jobs, finished) -> None:
        if self.other is not None:
            met, self.other = self.other, None
            met.run(6, InProcess(NoOptions()))
        super().run(jobs, finished)


def test_two_folders_of_one_name_that_share_a_storage_never_run_the_same_trial(tmp_path) -> None:
    storage = f"sqlite:///{tmp_path}/s.db"
    tuning = Tuning(settings=dict(DEFAULTS), space=dict(SEEDS), objective="coverage", sampler="random")
    one, other = (TuningRun(tmp_path / place / "t", tuning, load_plugins(), storage) for place in "ab")
    by = Meeting(NoOptions())
    by.other = other
    study = one.run(6, by)
    trials = trials_of(storage)
    assert Counter(trial.state.name for trial in trials if "repeat" not in trial.user_attrs) == {"COMPLETE": 6}
    assert len({genes_key(trial.params) for trial in completed(study)}) == 6
    folders = [len(list((tmp_path / place / "t" / "trials").glob("*/measures.json"))) for place in "ab"]
    assert folders == [1, 5], "each trial has one run folder, in the tuning that owns it"
    assert len({trial.user_attrs[OWNER] for trial in trials}) == 2
    assert study.study_name.startswith("cube-tune-lightsout-coverage-")


def test_ranges_and_several_objectives(tmp_path) -> None:
    space = {
        "data.transitions": {"low": 300, "high": 500},
        "learner.least_coverage": {"low": 0.1, "high": 0.5, "log": True},
    }
    settings = {key: value for key, value in DEFAULTS.items() if key != "data.transitions"}
    tuning = Tuning(settings=settings, space=space, objective="coverage,cpu", population=2)
    run = TuningRun(tmp_path / "t", tuning, load_plugins())
    study = run.run(3, InProcess(NoOptions()))
    for trial in completed(study):
        assert 300 <= trial.params["data.transitions"] <= 500
        assert isinstance(trial.params["data.transitions"], int)
        assert 0.1 <= trial.params["learner.least_coverage"] <= 0.5
        assert len(trial.values) == 2
    best = load_config(tmp_path / "t" / "best.toml", {})
    assert best.data.transitions in {trial.params["data.transitions"] for trial in study.best_trials}


def test_another_process_that_makes_the_tables_at_the_same_moment_is_waited_for(tmp_path, monkeypatch) -> None:
    """Of two that open a new database, one finds a table that was not there when it looked."""
    taken = [
        "table studies already exists",
        "(sqlite3.IntegrityError) UNIQUE constraint failed: alembic_version.version_num",
    ]
    create, failures = optuna.create_study, list(taken)

    def racing(**options):
        if failures:
            raise RuntimeError(failures.pop())
        return create(**options)

    monkeypatch.setattr(optuna, "create_study", racing)
    tuning = Tuning(settings=dict(DEFAULTS), space={"data.seed": [0]}, objective="coverage", sampler="random")
    run = TuningRun(tmp_path / "t", tuning, load_plugins(), f"sqlite:///{tmp_path}/s.db")
    assert len(run.run(1, Pruned(NoOptions())).trials) == 1
    failures.append("no such host")
    with pytest.raises(UsageError, match="no such host"):
        run.run(1, Pruned(NoOptions()))


def test_a_writer_waits_while_others_write(tmp_path) -> None:
    storage = open_storage(f"sqlite:///{tmp_path}/s.db")
    with storage.engine.connect() as connection:
        ((milliseconds,),) = connection.exec_driver_sql("PRAGMA busy_timeout")
    assert milliseconds == 60_000, "five seconds, the default, are short beside many processes"


class Pruned(InProcess):
    """Stops every trial at once."""

    def call(self, job: Job) -> JobResult:
        return JobResult(job=job, status=PrunedError.exit_code)


def test_what_repeats_a_pruned_trial_is_pruned_and_not_counted(tmp_path) -> None:
    tuning = Tuning(settings=dict(DEFAULTS), space={"data.seed": [0, 1, 2]}, objective="coverage", sampler="random")
    study = TuningRun(tmp_path / "t", tuning, load_plugins()).run(3, Pruned(NoOptions()))
    assert {trial.state.name for trial in study.trials} == {"PRUNED"}
    assert [trial for trial in study.trials if REPEAT in trial.user_attrs], "random proposals come twice"
    assert len(ended(study, optuna.trial.TrialState.PRUNED)) == 3


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "cubespace.cli", "tune", *words, "-o", str(folder)]


@pytest.mark.slow
def test_two_processes_on_one_sqlite_file_are_killed_and_resumed(tmp_path) -> None:
    """Twelve trials, three kills: every trial is run once, none is left running."""
    storage = f"sqlite:///{tmp_path}/s.db"
    settings = [word for key, value in DEFAULTS.items() for word in ("--set", f"{key}={value}")]
    choices = ["--set", "data.seed=0,1,2,3,4,5,6,7,8,9,10,11,12,13", "--objective", "coverage", "--sampler", "random"]
    words = [*settings, *choices, "--storage", storage, "--trials", "12", "--jobs", "1"]
    folders = [tmp_path / place / "t" for place in "ab"]
    moments, kills = random.Random(3), 0
    processes: dict[Path, subprocess.Popen] = {}
    while True:
        for folder in folders:
            if folder not in processes:
                with (tmp_path / f"{folder.parent.name}.txt").open("w") as said:
                    processes[folder] = subprocess.Popen(
                        command(folder, *words), stdout=subprocess.DEVNULL, stderr=said
                    )
        time.sleep(moments.uniform(4, 9))
        over = [process.poll() == 0 for process in processes.values()]
        if all(over):
            break
        if kills < 3 and len(trials_of(storage) if (tmp_path / "s.db").exists() else []) > 2 * kills:
            victim = folders[kills % 2]
            if processes[victim].poll() is None:
                processes.pop(victim).kill()
                kills += 1
        for folder in [folder for folder, process in processes.items() if process.poll() not in (None, 0)]:
            said = (tmp_path / f"{folder.parent.name}.txt").read_text()
            pytest.fail(f"{folder} ended with {processes[folder].returncode}: {said[-500:]}")
    assert kills == 3
    trials = [trial for trial in trials_of(storage) if "repeat" not in trial.user_attrs and trial.params]
    assert Counter(trial.state.name for trial in trials) == {"COMPLETE": 12}
    assert len({genes_key(trial.params) for trial in trials}) == 12
    assert not [trial for trial in trials_of(storage) if trial.state.name in ("RUNNING", "WAITING")]
    runs = [run for folder in folders for run in (folder / "trials").iterdir()]
    assert sorted(run.name[:4] for run in runs) == sorted(f"{trial.number:04d}" for trial in trials), "none in both"


@pytest.mark.slow
@pytest.mark.parametrize("pruner", ["median", "asha"])
def test_pruning_saves_updates_and_finds_the_same_best(tmp_path, pruner) -> None:
    """The same ten trials, some with learning rates that learn nothing: at least 30 % of the updates are saved."""
    rates = [0.003, 0.0000001, 0.01, 0.000001, 0.0000003, 0.005, 0.000003, 0.0000002, 0.000002, 0.0000004]
    settings = {**DEFAULTS, **SETTINGS, "train.extensions": [], "train.epochs": 40}
    updates, best = {}, {}
    for name in ("none", pruner):
        tuning = Tuning(settings=settings, space={"train.learning_rate": rates}, sampler="random", pruner=name, seed=3)
        study = TuningRun(tmp_path / name, tuning, load_plugins()).run(len(rates), InProcess(NoOptions()))
        epochs = [len(path.read_text().splitlines()) for path in (tmp_path / name).glob("trials/*/metrics.jsonl")]
        updates[name], best[name] = sum(epochs), study.best_params
        pruned = ended(study, optuna.trial.TrialState.PRUNED)
        assert bool(pruned) == (name != "none")
        assert not [trial for trial in study.trials if trial.state.name == "FAIL"]
        assert all(trial.intermediate_values for trial in pruned)
    assert best[pruner] == best["none"]
    assert updates[pruner] <= 0.7 * updates["none"]
