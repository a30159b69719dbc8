"""A network as a code: arrays in, arrays out, and the actions that it learned."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from builders import build_model, code_of
from toggles import tiny_recipe, toggles

from cubespace.autoencoder.network_code import NetworkCode
from cubespace.base.errors import InputError


@pytest.fixture(scope="module")
def code() -> NetworkCode:
    torch.manual_seed(0)
    return code_of(build_model(tiny_recipe().autoencoder, (12, 12)), tiny_recipe())


def test_the_network_and_its_effects_agree_on_arrays(code) -> None:
    add, delete = code.actions.effects()
    states = np.random.default_rng(0).random((16, 12)) < 0.5
    assert (code.actions.successors(states, np.arange(16)) == ((states & ~delete) | add)).all()


def test_pictures_come_out_in_their_shape_and_as_bytes(code) -> None:
    images = toggles(3).before
    bits = code.encode(images)
    assert code.decode(bits).shape == (3, 12, 12)
    assert np.abs(code.draw(bits) / 255 - code.decode(bits)).max() <= 0.5 / 255 + 1e-6
    assert code.encode(images[:0]).shape == (0, 12)
    assert code.draw(bits[:0]).shape == (0, 12, 12)


def test_a_picture_of_another_size_is_refused(code) -> None:
    with pytest.raises(InputError, match=r"12x12.*8x8"):
        code.encode(np.zeros((1, 8, 8), dtype=np.uint8))


@pytest.mark.parametrize(("apply", "strips"), [("btl", True), ("blackbox", False)])
def test_it_says_whether_effects_are_the_same_in_every_state(apply, strips) -> None:
    recipe = tiny_recipe(apply)
    code = code_of(build_model(recipe.autoencoder, (12, 12)), recipe)
    assert (code.actions.strips, code.actions.count) == (strips, 16)
    assert (code.groups, code.regions(), code.training) == (None, None, None)
