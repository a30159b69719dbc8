"""How good a code is: what is measured is what the names say, and only where it was learned."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from builders import build_model, code_of, learned_code
from toggles import tiny_recipe, toggles

from cubespace.autoencoder.network_code import NetworkCode
from cubespace.data.domain import Pairs
from cubespace.learning.code_metrics import measure


@pytest.fixture(scope="module")
def code() -> NetworkCode:
    torch.manual_seed(0)
    return code_of(build_model(tiny_recipe().autoencoder, (12, 12)), tiny_recipe())


@pytest.fixture(scope="module")
def split() -> Pairs:
    return toggles(1200)  # more than one batch


def test_measures_are_what_their_names_say(code, split) -> None:
    z0, z1 = code.encode(split.before), code.encode(split.after)
    predicted = code.actions.successors(z0, code.actions.label(z0, z1))
    got = measure(code, split.before, split.after, (z0[:50], z1[:50]))
    assert got.transitions == 1200
    assert got.reconstruction == pytest.approx(np.square(code.decode(z0) - split.before / 255).mean(), rel=1e-4)
    assert got.successor == pytest.approx(np.square(code.decode(predicted) - split.after / 255).mean(), rel=1e-4)
    assert got.direct == pytest.approx((predicted != z1).mean(), rel=1e-4)
    assert got.exact == pytest.approx((predicted == z1).all(1).mean(), abs=1e-6)
    of_z1 = np.square(code.decode(z1) - split.after / 255).mean()
    assert got.total == pytest.approx(got.reconstruction + of_z1 + got.successor + got.direct, rel=1e-4)
    pairs = {(tuple(b & ~a), tuple(a & ~b)) for a, b in zip(z0, z1, strict=True)}
    assert got.differences == len(pairs)
    known = {(tuple(b & ~a), tuple(a & ~b)) for a, b in zip(z0[:50], z1[:50], strict=True)}
    covered = np.mean([(tuple(b & ~a), tuple(a & ~b)) in known for a, b in zip(z0, z1, strict=True)])
    assert got.covered == pytest.approx(covered)
    assert got.actions == len(set(code.actions.label(z0, z1)))
    both = np.concatenate((z0, z1))
    assert got.live_bits == sum(0 < column.mean() < 1 for column in both.T)
    assert 0 < got.stable_states <= got.stable_bits <= 1


def test_measuring_changes_nothing_and_repeats_itself(code, split) -> None:
    before = {name: tensor.clone() for name, tensor in code.model.state_dict().items()}
    assert measure(code, split.before, split.after) == measure(code, split.before, split.after)
    assert all(torch.equal(tensor, before[name]) for name, tensor in code.model.state_dict().items())


def test_without_learned_actions_nothing_is_said_about_them(tmp_path, split) -> None:
    got = measure(learned_code("places", tmp_path, split), split.before, split.after)
    assert (got.successor, got.direct, got.exact, got.total, got.actions) == (None,) * 5
    assert got.reconstruction < 1e-4
    assert (got.differences, got.live_bits, got.stable_states) == (18, 18, 1.0)


def test_colour_pictures() -> None:
    coloured = toggles(30, colour=True)
    code = code_of(build_model(tiny_recipe().autoencoder, (12, 12, 3)), tiny_recipe())
    assert code.draw(code.encode(coloured.before)).shape == (30, 12, 12, 3)
    assert measure(code, coloured.before, coloured.after).transitions == 30
