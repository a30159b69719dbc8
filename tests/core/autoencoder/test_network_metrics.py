import numpy as np
import pytest
import torch
from builders import build_model
from toggles import tiny_recipe, toggles

from cubespace.autoencoder.inference import decode, draw, effects, encode, label, successors
from cubespace.autoencoder.network_metrics import measure
from cubespace.base.errors import InputError


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return build_model(tiny_recipe().model, (12, 12))


@pytest.fixture(scope="module")
def split():
    return toggles(1200)  # more than one batch


def test_measures_are_what_their_names_say(model, split) -> None:
    z0, z1 = encode(model, split.before), encode(model, split.after)
    predicted = successors(model, z0, label(model, z0, z1))
    got = measure(model, split.before, split.after, (split.before[:50], split.after[:50]))
    assert got.transitions == 1200
    assert got.reconstruction == pytest.approx(np.square(decode(model, z0) - split.before / 255).mean(), rel=1e-4)
    assert got.successor == pytest.approx(np.square(decode(model, predicted) - split.after / 255).mean(), rel=1e-4)
    assert got.direct == pytest.approx((predicted != z1).mean(), rel=1e-4)
    assert got.exact == pytest.approx((predicted == z1).all(1).mean(), abs=1e-6)
    pairs = {(tuple(b & ~a), tuple(a & ~b)) for a, b in zip(z0, z1, strict=True)}
    assert got.differences == len(pairs)
    known = {(tuple(b & ~a), tuple(a & ~b)) for a, b in zip(z0[:50], z1[:50], strict=True)}
    covered = np.mean([(tuple(b & ~a), tuple(a & ~b)) in known for a, b in zip(z0, z1, strict=True)])
    assert got.covered == pytest.approx(covered)
    assert got.actions == len(set(label(model, z0, z1)))
    both = np.concatenate((z0, z1))
    assert got.live_bits == sum(0 < column.mean() < 1 for column in both.T)
    assert 0 < got.stable_states <= got.stable_bits <= 1


def test_measuring_changes_nothing_and_repeats_itself(model, split) -> None:
    model.train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    assert measure(model, split.before, split.after) == measure(model, split.before, split.after)
    assert model.training
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_the_network_and_its_effects_agree_on_arrays(model) -> None:
    add, delete = effects(model)
    states = np.random.default_rng(0).random((16, 12)) < 0.5
    actions = np.arange(16)
    assert (successors(model, states, actions) == ((states & ~delete) | add)).all()


def test_pictures_come_out_in_their_shape_and_as_bytes(model, split) -> None:
    bits = encode(model, split.before[:3])
    assert decode(model, bits).shape == (3, 12, 12)
    assert np.abs(draw(model, bits) / 255 - decode(model, bits)).max() <= 0.5 / 255 + 1e-6
    assert encode(model, split.before[:0]).shape == (0, 12)
    assert draw(model, bits[:0]).shape == (0, 12, 12)


def test_colour_pictures() -> None:
    coloured = toggles(30, colour=True)
    model = build_model(tiny_recipe().model, (12, 12, 3))
    bits = encode(model, coloured.before)
    assert draw(model, bits).shape == (30, 12, 12, 3)
    assert measure(model, coloured.before, coloured.after).transitions == 30


def test_a_picture_of_another_size_is_refused(model) -> None:
    with pytest.raises(InputError, match=r"12x12.*8x8"):
        encode(model, np.zeros((1, 8, 8), dtype=np.uint8))
