"""Bit learners by name: quick ones, those of others, and codes that are read by the learner that made them."""

from __future__ import annotations

import pytest
from builders import learned_code, work_in
from tile_learner import TileCode, TileLearner, with_a_stranger
from tile_rows import tile_rows
from toggles import ON_THE_CPU, toggles

from cubespace.base.errors import InputError, UsageError
from cubespace.data.domain import Pairs
from cubespace.learning.code_file import save_code
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import make_learner, quick_learners, read_code


def test_quick_learners_are_those_that_train_nothing() -> None:
    assert set(quick_learners(load_plugins())) == {"piles", "places"}
    assert not any(learner.trained for learner in quick_learners(load_plugins()).values())


def test_a_quick_learner_of_somebody_else_is_among_them() -> None:
    assert set(quick_learners(with_a_stranger(TileLearner))) == {"piles", "places", "stranger"}


def test_a_misspelt_learner_is_named() -> None:
    with pytest.raises(UsageError, match=r"No bit learner is called 'place'\. Did you mean 'places'"):
        make_learner(load_plugins(), "place")


def test_a_learner_brings_its_precondition_learner() -> None:
    specs = ("places", "piles:columns=3", "autoencoder")
    assert [make_learner(load_plugins(), spec).precondition for spec in specs] == ["values", "values", "values"]


def test_the_identity_of_a_network_is_that_of_all_its_parts() -> None:
    named = dict(make_learner(load_plugins(), "autoencoder").components(work_in("").recipe))
    assert {"encoder", "decoder", "action", "apply", "objective"} == set(named)
    assert list(make_learner(load_plugins(), "places").components(work_in("").recipe)) == []


def test_a_code_is_read_by_the_learner_that_made_it(tmp_path) -> None:
    world = tile_rows(300)
    pairs = Pairs(world.before, world.after)
    code = TileLearner(None).learn(pairs, pairs, work_in(tmp_path))
    save_code(tmp_path / "code.safetensors", code, "stranger")
    again = read_code(with_a_stranger(TileLearner), tmp_path / "code.safetensors", ON_THE_CPU)
    assert isinstance(again, TileCode)
    assert (again.encode(pairs.before) == code.encode(pairs.before)).all()
    with pytest.raises(InputError, match=r"code\.safetensors holds a code that cannot be built: No bit learner is"):
        read_code(load_plugins(), tmp_path / "code.safetensors", ON_THE_CPU)


def test_a_code_that_cannot_be_read_is_blamed_on_its_learner(tmp_path) -> None:
    class Forgetful(TileLearner):
        def read(self, saved, parts):
            del saved, parts
            raise KeyError("means")

    save_code(tmp_path / "code.safetensors", learned_code("places", tmp_path, toggles(100)), "stranger")
    with pytest.raises(InputError, match=r"bit learner 'stranger' of plugin 'stranger' .* failed: KeyError"):
        read_code(with_a_stranger(Forgetful), tmp_path / "code.safetensors", ON_THE_CPU)
