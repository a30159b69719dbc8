"""Which phases a training has, and that each does its own part whether or not others are there."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from builders import build_model, training_run
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.extensions.finishing_phases import RewritePhase
from cubespace.autoencoder.inference import effects, encode, label, successors
from cubespace.autoencoder.resuming import METRICS, TrainingRun
from cubespace.autoencoder.schedules import lengths, phase_names
from cubespace.autoencoder.sequence import PHASES, phases
from cubespace.settings.recipe import ConsolidationConfig, ModelConfig, Recipe, TrainConfig

NO_ROUNDS = ConsolidationConfig(rounds=0)


def test_a_joint_training_has_all_phases_in_order() -> None:
    assert phase_names(TrainConfig()) == ["prepare", "joint", "consolidate", "rewrite", "decoder"]


def test_the_two_stages_are_states_and_actions() -> None:
    assert phase_names(TrainConfig(architecture="two-stage")) == ["prepare", "states", "actions", "decoder"]


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"consolidation": NO_ROUNDS}, "consolidate"),
        ({"rewrite": False}, "rewrite"),
        ({"decoder_updates": 0}, "decoder"),
        ({"decoder_epochs": 0}, "decoder"),
    ],
    ids=["no rounds", "no rewriting", "no updates", "no epochs"],
)
def test_a_phase_that_is_not_wanted_leaves_the_others_as_they_are(settings, missing) -> None:
    assert phase_names(TrainConfig(**settings)) == [name for name in phase_names(TrainConfig()) if name != missing]


def test_epochs_of_the_decoder_take_the_place_of_its_updates() -> None:
    assert "decoder" in phase_names(TrainConfig(decoder_updates=0, decoder_epochs=3))


@pytest.mark.parametrize("architecture", ["joint", "two-stage"])
def test_what_is_ready_is_not_trained(architecture) -> None:
    config = TrainConfig(architecture=architecture)
    rest = {"joint": ["prepare", "rewrite"], "two-stage": ["prepare", "actions"]}[architecture]
    assert phase_names(config, encoder_ready=True) == [*rest, "decoder"]
    assert phase_names(config, encoder_ready=True, decoder_ready=True) == rest
    trained = [name for name in phase_names(config) if name != "decoder"]
    assert phase_names(config, decoder_ready=True) == trained


def test_a_ready_encoder_and_decoder_need_no_epoch() -> None:
    names = phase_names(TrainConfig(), encoder_ready=True, decoder_ready=True)
    length = lengths(TrainConfig(), 1000)
    assert sum(PHASES[name].epochs(length) for name in names) == 0


def test_a_discriminator_is_trained_after_the_actions() -> None:
    two_stages = TrainConfig(architecture="two-stage")
    assert phase_names(two_stages, discriminator=True) == ["prepare", "states", "actions", "discriminate", "decoder"]
    joint = phase_names(TrainConfig(), discriminator=True)
    assert joint == ["prepare", "joint", "consolidate", "rewrite", "discriminate", "decoder"]


def test_the_classes_are_those_of_the_names() -> None:
    model = build_model(attrs.evolve(tiny_recipe().model, discriminator_width=8), (12, 12))
    known: set[str] = set()
    for architecture in ("joint", "two-stage"):
        config = TrainConfig(architecture=architecture)
        names = phase_names(config, discriminator=True)
        assert [phase.name for phase in phases(config, model)] == names
        known |= set(names)
    assert set(PHASES) == known


def wide(**train: object) -> Recipe:
    """A recipe with a label for every difference."""
    recipe = tiny_recipe(**train)
    return attrs.evolve(recipe, model=attrs.evolve(recipe.model, actions=100))


def train(folder: Path, recipe: Recipe) -> TrainingRun:
    run = training_run(folder, toggles(100), toggles(20, 1), recipe, execution=EVERY_EPOCH)
    for _ in run:
        pass
    return run


@pytest.mark.parametrize(
    "settings",
    [{"decoder_epochs": 0}, {"decoder_epochs": None, "decoder_updates": 0}, {"consolidation": NO_ROUNDS}],
    ids=["no epochs of the decoder", "no updates of the decoder", "no consolidation"],
)
def test_differences_are_rewritten_whatever_phases_surround_that(tmp_path, settings) -> None:
    run, split = train(tmp_path, wide(**settings)), toggles(100)
    before, after = encode(run.model, split.before), encode(run.model, split.after)
    labels = label(run.model, before, after)
    assert (successors(run.model, before, labels) == after).all()
    add, delete = effects(run.model)
    assert (((before & ~delete[labels]) | add[labels]) == after).all()


def test_without_rewriting_the_nets_stay_as_they_were_learned(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(RewritePhase, "prepare", lambda _: pytest.fail("it must not be written to"))
    assert train(tmp_path, wide(rewrite=False)).trainer.finished


def test_a_network_that_is_ready_is_trained_in_no_epoch_and_its_effects_are_exact(tmp_path) -> None:
    recipe = Recipe(model=ModelConfig(encoder="places", decoder="places"))
    run, split = train(tmp_path, recipe), toggles(100)
    assert (run.done, run.epochs, (tmp_path / METRICS).read_text()) == (0, 0, "")
    before, after = encode(run.model, split.before), encode(run.model, split.after)
    assert (successors(run.model, before, label(run.model, before, after)) == after).all()
    again = train(tmp_path, recipe)
    assert again.trainer.finished
