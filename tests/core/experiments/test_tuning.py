"""Tuning: the genetic sampler, trials that are never repeated, a search that is killed and goes on."""

import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tiny_matrix import DEFAULTS, InProcess
from tiny_run import HASTY

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import NoOptions
from cubespace.plugins.catalogue import load_plugins

optuna = pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")

from cubespace.experiments.tuning.genetic import GeneticSampler, genes_key  # noqa: E402
from cubespace.experiments.tuning.study import TuningRun, completed  # noqa: E402
from cubespace.experiments.tuning.tuning_file import PAPER_SPACE, Tuning, read_tuning  # noqa: E402
from cubespace.settings.run_config import load_config  # noqa: E402

SPACE = {"a": [1, 2, 3, 4], "b": ["x", "y", "z"], "c": [0.1, 0.2, 0.3]}


def study_of(space, trials: int, **options) -> optuna.Study:
    sampler = GeneticSampler(space, **{"population": 8, "mutation": 0.3, "seed": 0, **options})
    study = optuna.create_study(sampler=sampler)
    distributions = {key: optuna.distributions.CategoricalDistribution(choices) for key, choices in space.items()}
    for _ in range(trials):
        trial = study.ask(distributions)
        study.tell(trial, trial.params["a"] + "xyz".index(trial.params["b"]) + trial.params["c"])
    return study


def test_no_configuration_comes_twice_until_all_were_tried() -> None:
    study = study_of(SPACE, 36)
    assert len({genes_key(trial.params) for trial in study.trials}) == 36


def test_offspring_is_a_mutated_parent_or_a_crossover_of_two() -> None:
    space = {f"g{number}": list(range(5)) for number in range(10)} | {"a": [1, 2], "b": ["x"], "c": [0.1]}
    always, never = (study_of(space, 30, mutation=share).trials for share in (1.0, 0.0))

    def distance(trial, others) -> int:
        return min(sum(trial.params[key] != other.params[key] for key in space) for other in others)

    assert all(distance(trial, always[: trial.number]) == 1 for trial in always[8:])
    for trial in never[8:]:
        assert all(trial.params[key] in {other.params[key] for other in never[: trial.number]} for key in space)


def test_the_search_finds_what_is_best_and_depends_on_its_seed_alone() -> None:
    one, same, other = (study_of(SPACE, 24, seed=seed) for seed in (1, 1, 2))
    assert [trial.params for trial in one.trials] == [trial.params for trial in same.trials]
    assert [trial.params for trial in one.trials] != [trial.params for trial in other.trials]
    assert one.best_params == {"a": 1, "b": "x", "c": 0.1}


def test_the_space_of_the_paper_is_that_of_the_paper() -> None:
    assert Tuning().size == 3 * 3 * 5 * 3 * 3 * 3 * 5 * 3 * 5 * 5
    Tuning(preset="paper").check(load_plugins())
    assert {round(200 * delay) for delay in PAPER_SPACE["train.losses.direct_from"]} == {10, 20, 40, 60, 100}


@pytest.mark.parametrize(
    ("space", "complaint"),
    [
        ({"autoencoder.bits": {"low": 9, "high": 3}}, "low < high"),
        ({"autoencoder.bits": {"low": 1}}, "high"),
        ({"autoencoder.bit": [1]}, "bits"),
        ({"autoencoder.bits": []}, "needs choices"),
        ({"autoencoder.bits": [0]}, "must be >= 1"),
        ({"autoencoder.bits": {"low": 0, "high": 3}}, "must be >= 1"),
    ],
)
def test_a_wrong_space_is_refused(space, complaint) -> None:
    with pytest.raises(UsageError, match=complaint):
        Tuning(space=space).check(load_plugins())


TINY = {**DEFAULTS, **HASTY, "train.epochs": 2}
CHOICES = {"autoencoder.bits": [8, 12], "train.learning_rate": [0.01, 0.003]}


@pytest.mark.parametrize("sampler", ["genetic", "tpe"])
def test_every_trial_is_a_run_and_the_best_is_a_configuration(tmp_path, sampler) -> None:
    tuning = Tuning(settings=dict(TINY), space=dict(CHOICES), sampler=sampler, population=2)
    run = TuningRun(tmp_path / "t", tuning, load_plugins())
    study = run.run(3, InProcess(NoOptions()))
    assert read_tuning(tmp_path / "t") == tuning
    assert len(completed(study)) == 3
    assert len({genes_key(trial.params) for trial in completed(study)}) == 3
    assert len(list((tmp_path / "t" / "trials").glob("*/measures.json"))) == 3
    best = load_config(tmp_path / "t" / "best.toml", {})
    assert best.autoencoder.bits == study.best_params["autoencoder.bits"]
    more = run.run(9, InProcess(NoOptions()))
    assert len(completed(more)) == 4, "there are no more configurations"
    with pytest.raises(UsageError, match="other choices"):
        TuningRun(tmp_path / "t", Tuning(settings=dict(TINY)), load_plugins()).run(1, InProcess(NoOptions()))


def test_plans_can_be_the_objective(tmp_path) -> None:
    tuning = Tuning(settings=dict(DEFAULTS), space={"extract.precondition": ["static", "values"]}, objective="plans")
    study = TuningRun(tmp_path / "t", tuning, load_plugins()).run(2, InProcess(NoOptions()))
    assert study.best_value == 3
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 2


def test_a_trial_that_fails_is_told_and_not_tried_again(tmp_path) -> None:
    space = {"domain": ["lightsout:size=2", "images:path=nowhere"]}
    settings = {key: value for key, value in DEFAULTS.items() if key != "domain"}
    study = TuningRun(tmp_path / "t", Tuning(settings=settings, space=space, objective="coverage"), load_plugins()).run(
        2, InProcess(NoOptions())
    )
    assert Counter(trial.state.name for trial in study.trials) == {"COMPLETE": 1, "FAIL": 1}


@pytest.mark.slow
def test_a_search_that_is_killed_twice_is_complete_in_the_end(tmp_path) -> None:
    """24 trials; after two kills, all are complete, none is left running and no configuration came twice."""
    words = [word for key, value in TINY.items() for word in ("--set", f"{key}={value}") if key != "autoencoder.bits"]
    choices = ["--set", "autoencoder.bits=8,10,12,14", "--set", "train.learning_rate=0.01,0.003,0.001"]
    choices += ["--set", "train.losses.direct=0.02,0.1,0.5", "--trials", "24", "--jobs", "2", "-o", "t"]
    command = [sys.executable, "-m", "cubespace.cli", "tune", *words, *choices]
    moments = random.Random(1)
    for _ in range(2):
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(moments.uniform(6, 10))
        process.kill()
        process.wait()
    answer = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert len(json.loads(answer.stdout)["trials"]) == 24
    backend = optuna.storages.journal.JournalFileBackend(str(tmp_path / "t" / "journal.log"))
    storage = optuna.storages.JournalStorage(backend)
    (summary,) = optuna.get_all_study_summaries(storage)
    trials = optuna.load_study(study_name=summary.study_name, storage=storage).trials
    assert Counter(trial.state.name for trial in trials if len(trial.params) == 3) == {"COMPLETE": 24}
    assert not [trial for trial in trials if trial.state.name in ("RUNNING", "WAITING")]
    assert len({genes_key(trial.params) for trial in trials if len(trial.params) == 3}) == 24
    assert len(list(Path(tmp_path / "t" / "trials").iterdir())) == 24


@pytest.mark.parametrize("damage", [b"garbage\n", b"\xff\xfe\x00\n"])
def test_a_damaged_journal_is_named_with_the_way_out(tmp_path, damage) -> None:
    tuning = Tuning(settings=dict(DEFAULTS), space={"extract.precondition": ["static", "values"]}, objective="plans")
    (tmp_path / "journal.log").write_bytes(damage)
    (tmp_path / "tuning.toml").write_text(tuning.dump())
    with pytest.raises(InputError, match=r"journal\.log' is damaged .*remove"):
        TuningRun(tmp_path, tuning, load_plugins()).run(1, InProcess(NoOptions()))


def test_half_a_last_line_of_the_journal_is_cut_off_and_the_search_goes_on(tmp_path) -> None:
    tuning = Tuning(settings=dict(DEFAULTS), space={"data.seed": [0, 1, 2]}, objective="coverage", sampler="random")
    run = TuningRun(tmp_path / "t", tuning, load_plugins())
    run.run(1, InProcess(NoOptions()))
    journal = tmp_path / "t" / "journal.log"
    journal.write_bytes(journal.read_bytes()[:-40])  # a kill while it was being written
    for _ in range(2):  # the second reads what the first has written behind it
        study = TuningRun(tmp_path / "t", tuning, load_plugins()).run(2, InProcess(NoOptions()))
    assert len(completed(study)) == 2
    assert all(line.startswith(b"{") for line in journal.read_bytes().splitlines())
