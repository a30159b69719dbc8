"""Pruners: how they are chosen, and at which points of their training trials are compared."""

from pathlib import Path

import attrs
import pytest

from cubespace.base.errors import UsageError
from cubespace.experiments.tuning.pruners import PRUNERS, Halving, Median, pruner_options
from cubespace.experiments.tuning.tuning_file import Tuning, read_tuning
from cubespace.settings.recipe import LossConfig, TrainConfig

optuna = pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")

from cubespace.experiments.tuning.pruners import make_pruner  # noqa: E402
from cubespace.experiments.tuning.pruning import PrunedError, Pruning  # noqa: E402
from cubespace.experiments.tuning.storage import open_study  # noqa: E402

GOOD, BAD = 0.1, 0.9


@pytest.fixture
def storage(tmp_path) -> str:
    address = f"sqlite:///{tmp_path}/s.db"
    open_study(address, study_name="s", directions=["minimize"])
    return address


def train(storage: str, loss: float, pruner: str, settled: float, epochs: int = 60) -> int:
    """Train a trial whose loss never changes; return how many epochs it got."""
    study = optuna.load_study(study_name="s", storage=storage)
    trial = study.ask()
    watcher = Pruning(storage, "s", trial.number, pruner, settled)
    row = {f"validation_{name}": loss / 3 for name in ("reconstruction", "successor", "direct")}
    for epoch in range(1, epochs + 1):
        watcher.step(epoch, epochs, "")
        try:
            watcher.epoch(row)
        except PrunedError:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            return epoch
    study.tell(trial, loss)
    return epochs


def test_a_pruner_is_written_like_any_component() -> None:
    assert pruner_options("median:first=8,least=20") == Median(first=8, least=20)
    assert pruner_options("asha:keep=3,every=10") == Halving(keep=3, every=10)
    assert all(field.metadata["help"] for each in PRUNERS.values() for field in attrs.fields(each))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("medain", "no pruner is called 'medain'. Did you mean 'median'? Available: none, median, asha."),
        ("median:fist=3", "unknown option 'fist'. Did you mean 'first'?"),
        ("median:first=0", "must be >= 1, not 0"),
        ("asha:least=101", "must be <= 100, not 101"),
    ],
)
def test_what_is_no_pruner_is_refused_by_name(tmp_path, text, why) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - its words are below
        Tuning(pruner=text)
    assert why in str(refused.value)
    file = tmp_path / "tuning.toml"
    file.write_text(f'pruner = "{text}"\n')
    with pytest.raises(UsageError) as refused:
        read_tuning(file)
    assert why in str(refused.value)


def test_a_tuning_of_the_version_before_is_read(tmp_path) -> None:
    (tmp_path / "tuning.toml").write_text('pruner = "asha"\n')
    assert read_tuning(tmp_path).prunes
    assert not Tuning().prunes


def test_no_trial_is_compared_before_its_losses_have_settled(storage) -> None:
    """Until a loss begins, all trials look alike: what is judged by it cannot be told apart."""
    settled = TrainConfig(losses=LossConfig(direct_from=0.5)).settled
    assert settled == pytest.approx(0.6)
    assert train(storage, GOOD, "median:first=1", settled) == 60
    assert train(storage, BAD, "median:first=1", settled) == 36, "60 % of 60 epochs"
    assert train(storage, BAD, "median:first=1,least=10", settled) == 6, "as it is asked for"


def test_trials_of_different_lengths_are_compared_at_the_same_points(storage) -> None:
    assert train(storage, GOOD, "median:first=1", 0.4, epochs=60) == 60
    assert train(storage, BAD, "median:first=1", 0.4, epochs=23) == 10, "the first epoch beyond 40 %"
    trials = optuna.load_study(study_name="s", storage=storage).trials
    assert [min(trial.intermediate_values) for trial in trials] == [5, 5]
    assert list(trials[1].intermediate_values) == list(range(5, 45, 5))


def test_the_first_trials_are_trained_whole(storage) -> None:
    assert train(storage, GOOD, "median:first=2", 0.4) == 60
    assert train(storage, BAD, "median:first=2", 0.4) == 60
    assert train(storage, BAD + 1, "median:first=2", 0.4) == 24


def test_of_four_trials_one_goes_on(storage) -> None:
    """The first always does: nothing is known yet."""
    lengths = [train(storage, loss, "asha:keep=4", 0.4) for loss in (0.5, 0.6, 0.7, 0.8, 0.4)]
    assert lengths == [60, 24, 24, 24, 60]


def test_by_default_half_of_the_trials_go_on_to_twice_as_much_of_their_training(storage) -> None:
    assert [train(storage, loss, "asha", 0.4) for loss in (0.5, 0.6, 0.4, 0.45)] == [60, 24, 60, 48]


def test_none_stops_nothing(storage) -> None:
    assert [train(storage, loss, "none", 0.4) for loss in (GOOD, GOOD, BAD, BAD)] == [60] * 4
    assert isinstance(make_pruner("none"), optuna.pruners.NopPruner)


def test_a_pruner_with_a_colon_reaches_the_cell(tmp_path) -> None:
    """Cells are told by words: a study, a trial, and a pruner with its options."""
    from tiny_matrix import DEFAULTS, InProcess

    from cubespace.base.options import NoOptions
    from cubespace.experiments.tuning.study import TuningRun
    from cubespace.plugins.catalogue import load_plugins

    tuning = Tuning(settings=dict(DEFAULTS), space={"data.seed": [0, 1]}, pruner="median:first=3", objective="coverage")
    study = TuningRun(Path(tmp_path) / "t", tuning, load_plugins()).run(1, InProcess(NoOptions()))
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"]
