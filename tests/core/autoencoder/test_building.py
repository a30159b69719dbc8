"""Which phases a training has, and that each does its own part whether or not others are there."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from builders import build_model, trained_code
from toggles import EVERY_EPOCH, ON_THE_CPU, tiny_recipe, toggles

from cubespace.autoencoder.building import load_extensions, part_specs, phases
from cubespace.autoencoder.extensions.rewrite import RewritePhase
from cubespace.autoencoder.network_code import NetworkCode
from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.settings.recipe import AutoencoderConfig, Recipe, TrainConfig


def phase_names(*extensions: str) -> list[str]:
    return [phase.name for phase in phases(load_extensions(extensions, parts_of(load_plugins(), ON_THE_CPU)))]


def test_without_extensions_there_is_the_joint_training_alone() -> None:
    assert phase_names() == ["joint"]
    assert TrainConfig().extensions == ()  # as in our recipe


def test_extensions_follow_the_joint_training_in_their_order() -> None:
    assert phase_names("consolidate", "rewrite", "decoder") == ["joint", "consolidate", "rewrite", "decoder"]
    assert phase_names("decoder", "rewrite") == ["joint", "decoder", "rewrite"]


def test_the_two_stages_take_the_place_of_the_joint_training() -> None:
    assert phase_names("states", "actions", "discriminate") == ["states", "actions", "discriminate"]


def test_every_training_step_is_called_as_it_calls_itself() -> None:
    names = load_plugins().names("extension")
    assert [phase.name for phase in load_extensions(names, parts_of(load_plugins(), ON_THE_CPU))] == names


def test_a_misspelt_training_step_is_named() -> None:
    with pytest.raises(UsageError, match=r"No training step is called 'consolidat'\. Did you mean 'consolidate'"):
        phase_names("consolidat")


def test_the_parts_of_a_network_are_those_of_the_settings() -> None:
    config = AutoencoderConfig(encoder="conv:width=9")
    assert part_specs(config) == {
        "encoder": "conv:width=9",
        "decoder": "sprites",
        "action": "posterior",
        "apply": "btl",
        "objective": "likelihood",
    }


def test_labels_by_bayes_rule_need_effects() -> None:
    with pytest.raises(UsageError, match=r"'posterior' infers labels from the effects .* 'blackbox' has none"):
        build_model(AutoencoderConfig(apply="blackbox"), (12, 12))


def test_a_likelihood_needs_labels_that_have_one(tmp_path) -> None:
    recipe = tiny_recipe()
    unsuited = attrs.evolve(recipe, autoencoder=attrs.evolve(recipe.autoencoder, objective="likelihood"))
    with pytest.raises(UsageError, match="'likelihood' needs an action model that says how probable"):
        train(tmp_path, unsuited)


def test_an_extension_adds_the_parts_that_it_alone_needs() -> None:
    recipe = tiny_recipe(extensions=("discriminate",), discriminator_width=8)
    assert list(build_model(recipe.autoencoder, (12, 12), recipe.train).extras) == ["discriminator"]
    assert list(build_model(recipe.autoencoder, (12, 12)).extras) == []


@pytest.mark.parametrize(("extensions", "width"), [((), 3), (("rewrite",), 12)])
def test_only_what_is_rewritten_needs_room_for_every_bit(extensions, width) -> None:
    narrow = attrs.evolve(tiny_recipe().autoencoder, action_width=3)  # of 12 bits
    model = build_model(narrow, (12, 12), TrainConfig(extensions=extensions))
    assert model.action.shape.width == width


def wide(**train: object) -> Recipe:
    """A recipe with a label for every difference."""
    recipe = tiny_recipe(**train)
    return attrs.evolve(recipe, autoencoder=attrs.evolve(recipe.autoencoder, actions=100))


def train(folder: Path, recipe: Recipe) -> NetworkCode:
    return trained_code(folder, toggles(100), toggles(20, 1), recipe, EVERY_EPOCH)


@pytest.mark.parametrize("extensions", [("consolidate", "rewrite"), ("rewrite", "decoder"), ("rewrite",)], ids=str)
def test_differences_are_rewritten_whatever_phases_surround_that(tmp_path, extensions) -> None:
    code, split = train(tmp_path, wide(extensions=extensions)), toggles(100)
    before, after = code.encode(split.before), code.encode(split.after)
    labels = code.actions.label(before, after)
    assert (code.actions.successors(before, labels) == after).all()
    add, delete = code.actions.effects()
    assert (((before & ~delete[labels]) | add[labels]) == after).all()


def test_without_rewriting_the_nets_stay_as_they_were_learned(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(RewritePhase, "prepare", lambda _: pytest.fail("it must not be written to"))
    code = train(tmp_path, wide(extensions=("decoder",)))
    assert code.training is not None
    assert (code.training.rewritten, code.training.before_rewriting) == (False, None)
