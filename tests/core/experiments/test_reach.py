"""An axis that reaches no phase of any cell is refused, with what would make it matter."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from cubespace.base.errors import UsageError
from cubespace.experiments.reach import refuse_idle_axes
from cubespace.experiments.tuning.tuning_file import Tuning
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import load_config

TRAINED = {"learner.name": "autoencoder"}


def refuse(axis: str, *cells: dict[str, object]) -> None:
    refuse_idle_axes([axis], [load_config(None, cell) for cell in cells], load_plugins())


@pytest.mark.parametrize(
    ("axis", "cell", "words"),
    [
        ("train.losses.direct", {}, "set learner=autoencoder"),
        ("autoencoder.bits", {}, "set learner=autoencoder"),
        ("encoder", {}, "set learner=autoencoder"),
        ("train.consolidation.rounds", {**TRAINED, "train.extensions": ["decoder"]}, "put consolidate into train.ext"),
        ("train.discriminator_width", TRAINED, "put discriminate into train.extensions"),
        ("train.finish_rate", {**TRAINED, "train.extensions": []}, "put consolidate or decoder into train.extensions"),
        ("lift.level", TRAINED, "set plan.model to lifted, repaired or auto"),
    ],
)
def test_an_idle_axis_is_refused_with_what_would_make_it_matter(axis, cell, words) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        refuse(axis, cell, cell)
    assert str(caught.value).startswith(f"axis '{axis}' reaches no phase of any cell")


@pytest.mark.parametrize(
    ("axis", "cell"),
    [
        ("train.losses.direct", TRAINED),
        ("train.consolidation.rounds", {**TRAINED, "train.extensions": ["consolidate"]}),
        ("train.seed", {}),
        ("seed", {}),
        ("data.transitions", {}),
        ("plan.length", {}),
        ("lift.level", {"plan.model": "lifted"}),
    ],
)
def test_an_axis_that_reaches_a_phase_is_kept(axis, cell) -> None:
    refuse(axis, cell, cell)


def test_it_is_kept_if_it_reaches_a_phase_of_one_cell() -> None:
    refuse("train.losses.direct", {}, TRAINED)


@pytest.mark.parametrize(
    ("learner", "space", "words"),
    [
        ("places", {"autoencoder.apply": ["btl", "minmax"]}, "learner 'places' trains nothing by gradient"),
        ("auto", {"train.losses.direct": [0.0, 0.1]}, "set learner=autoencoder"),
    ],
)
def test_a_tuning_is_refused_likewise(learner, space, words) -> None:
    tuning = Tuning(settings={"learner.name": learner}, space=space)
    with pytest.raises(UsageError, match=words):
        tuning.check(load_plugins())


def test_a_tuning_of_apply_modules_chooses_the_autoencoder() -> None:
    tuning = Tuning(space={"autoencoder.apply": ["btl", "minmax"]})
    tuning.check(load_plugins())
    assert tuning.configuration({"autoencoder.apply": "btl"}, load_plugins()).learner.name == "autoencoder"


@pytest.mark.parametrize(
    ("objective", "key", "words"),
    [
        ("coverage", "plan.length", "changes nothing of the objective coverage; --objective plans judges plans"),
        ("loss,cpu", "extract.precondition", "changes nothing of the objective loss,cpu"),
        ("plans", "diagnose.states", "changes nothing of the objective plans$"),
        ("plans", "extract.seed", None),
    ],
)
def test_a_setting_that_changes_nothing_of_the_objective_is_not_tuned(objective, key, words) -> None:
    values = ["static", "values"] if key == "extract.precondition" else [2, 3]
    tuning = Tuning(space={key: values}, objective=objective)
    with pytest.raises(UsageError, match=words) if words else nullcontext():
        tuning.check(load_plugins())
