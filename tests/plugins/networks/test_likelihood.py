"""The likelihood of pictures and transitions: its terms, and how bits and labels are looked after between epochs."""

import attrs
import pytest
import torch
from builders import build_model
from toggles import tiny_recipe

from cubespace.autoencoder.inference import decode_pixels, encode_pixels
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.recipe import AutoencoderConfig, LossConfig
from cubespace_networks.likelihood import LikelihoodObjective, LikelihoodOptions

BITS = 3
SHAPE = AutoencoderConfig(
    bits=BITS, actions=4, encoder="mlp:depth=0,noise=0,dropout=0", decoder="sprites", action="posterior"
)


def objective(**options: float) -> LikelihoodObjective:
    return LikelihoodObjective(LossConfig(direct_from=0.0), LikelihoodOptions(**options))


def pixels_are_bits(apply: str = "btl") -> SpaceAutoEncoder:
    """A network of three bits, each of which is one pixel; no label has an effect."""
    torch.manual_seed(0)
    model = build_model(attrs.evolve(SHAPE, apply=apply), (1, 3))
    layer = next(part for part in model.encoder.modules() if isinstance(part, torch.nn.Linear))
    with torch.no_grad():
        layer.weight.copy_(20.0 * torch.eye(BITS))
        layer.bias.fill_(-10.0)
        model.decoder.sprites.weight.copy_(torch.eye(BITS))
        model.decoder.sprites.bias.zero_()
        rows, nothing = torch.arange(4), torch.zeros(4, BITS, dtype=torch.bool)
        model.apply_module.write_rows(rows, nothing, nothing)
        model.action.write_rows(rows, nothing, nothing)
    return model


def pictures(*rows: str) -> torch.Tensor:
    """Pairs such as 000>100 as bytes, (2, transitions, pixels)."""
    sides = [[[255 * int(c) for c in row.split(">")[side]] for row in rows] for side in (0, 1)]
    return torch.tensor(sides, dtype=torch.uint8)


def test_the_direct_term_is_minus_the_logarithm_of_the_sum_over_labels() -> None:
    model = pixels_are_bits().train()
    images = torch.rand(2, 5, 3)
    outputs = model(images, 1.0, draw_successor=False)
    terms = objective().terms(model, outputs, images)
    expected = -outputs.labels.double().exp().sum(1).log().mean() / BITS
    assert terms["direct"].item() == pytest.approx(expected.item(), rel=1e-4)
    assert terms["before"].item() == pytest.approx((outputs.pixels[0] - images[0]).square().mean().item(), rel=1e-5)


def test_the_weight_of_sprites_falls_to_nothing_and_all_terms_stay_named() -> None:
    model = pixels_are_bits().train()
    images = torch.rand(2, 5, 3)
    outputs = model(images, 1.0, draw_successor=False)
    early, late = (objective().losses(model, outputs, images, objective().weigh(progress)) for progress in (0.1, 0.9))
    assert list(early) == list(late)
    assert early["sprites"].item() == pytest.approx(1.0)  # three sprites of one pixel each, in pictures of three
    without = objective(sprites=0.0)
    losses = without.losses(model, outputs, images, without.weigh(0.9))
    assert late["total"] == losses["total"]


@pytest.mark.parametrize("apply", ["btl", "minmax", "smooth"])
def test_a_difference_that_no_label_explains_is_given_one(apply) -> None:
    model, images = pixels_are_bits(apply), pictures(*["000>100", "001>101", "011>010", "111>110", "010>001"])
    with evaluating(model):
        renewed = objective().end_epoch(model, images, 2, 10)
        before, after = (encode_pixels(model, part) for part in images)
        labels = model.action(before.float(), after.float(), model.apply_module).argmax(1)
    add, delete = model.apply_module.effects()
    right = (((before & ~delete[labels]) | add[labels]) == after).all(1)
    assert right.tolist() == [True, True, True, True, False]  # the last was seen only once
    assert labels[0] == labels[1] != labels[2] == labels[3]
    tables = {id(entry.parameter) for entry in renewed}
    assert tables == {id(table) for table in (*model.apply_module.tables(), *model.action.tables())}
    assert all(set(entry.rows.tolist()) == {int(labels[0]), int(labels[2])} for entry in renewed)


def test_a_label_that_explains_a_transition_is_not_given_to_another() -> None:
    model = pixels_are_bits()
    every, add = torch.arange(4), torch.eye(4, BITS).bool()
    model.apply_module.write_rows(every[:3], add[:3], torch.zeros(3, BITS, dtype=torch.bool))
    model.action.write_rows(every[:3], add[:3], torch.zeros(3, BITS, dtype=torch.bool))
    images = pictures("000>100", "000>010", "000>001", "000>000", "111>011", "111>011")
    with evaluating(model):
        assert objective().end_epoch(model, images, 2, 10) == ()  # all four labels are in use
    assert (model.apply_module.effects()[0] == add).all()


@pytest.mark.parametrize(("epoch", "options"), [(1, {}), (2, {"reseed": 0}), (9, {"reseed": 1}), (10, {"reseed": 1})])
def test_labels_are_given_anew_only_when_it_is_time(epoch, options) -> None:
    with evaluating(model := pixels_are_bits()):
        assert objective(**options).end_epoch(model, pictures(*["000>100"] * 3), epoch, 10) == ()


def test_a_needless_bit_is_held_and_pictures_and_effects_are_those_of_the_others() -> None:
    model = pixels_are_bits()
    with torch.no_grad():
        model.decoder.sprites.weight[:, 2] *= 0.01
        model.decoder.drawn_well.fill_(True)
    images = pictures("000>100", "010>110", "101>001", "001>011")
    with evaluating(model):
        objective(reseed=0).end_epoch(model, images, 4, 10)
    assert model.encoder.held_bits().tolist() == [False, False, True]
    assert not encode_pixels(model, images.flatten(0, 1))[:, 2].any()  # it was false in most pictures
    add, delete = model.apply_module.effects()
    assert not (add | delete)[:, 2].any()


def test_bits_are_given_up_only_once_pictures_are_drawn_well() -> None:
    images = pictures("000>100", "010>110", "101>001", "001>011")
    for well in (False, True):
        model = pixels_are_bits()
        with torch.no_grad():
            model.decoder.sprites.weight[0, 0] = float(well)  # the first pixel is drawn, or it is not
            model.decoder.sprites.weight[2, 2] = 0.25
        dim = images.clone()
        dim[..., 2] //= 4
        with evaluating(model):
            layer = next(part for part in model.encoder.modules() if isinstance(part, torch.nn.Linear))
            layer.weight[2, 2] = 80.0  # the encoder sees the dim pixel as before
            objective(reseed=0).end_epoch(model, dim, 4, 10)
        assert bool(model.decoder.drawn_well) is well
        assert bool(model.encoder.held_bits().any()) is well


def test_bits_that_are_equal_or_opposite_become_one_and_pictures_stay() -> None:
    model = pixels_are_bits()
    layer = next(part for part in model.encoder.modules() if isinstance(part, torch.nn.Linear))
    with torch.no_grad():
        model.decoder.drawn_well.fill_(True)
        layer.weight[1] = torch.tensor([-20.0, 0.0, 0.0])  # bit 1 is the opposite of bit 0
        layer.bias[1] = 10.0
    images = pictures("010>110", "110>010", "011>111", "010>011")
    with evaluating(model):
        first = decode_pixels(model, encode_pixels(model, images.flatten(0, 1)))
        objective(reseed=0, weak=0.0, needless=0.0).end_epoch(model, images, 8, 10)
        again = decode_pixels(model, encode_pixels(model, images.flatten(0, 1)))
    assert model.encoder.held_bits().tolist() == [False, True, False]
    torch.testing.assert_close(first, again)


def test_tables_of_effects_have_a_rate_of_their_own_and_nothing_is_left_out() -> None:
    model = pixels_are_bits()
    (rate, others), (faster, tables) = objective().parameter_groups(model)
    assert (rate, faster) == (1.0, 10.0)
    assert {id(table) for table in tables} == {id(model.apply_module.table), id(model.action.table)}
    assert {id(parameter) for parameter in (*others, *tables)} == {id(parameter) for parameter in model.parameters()}


def test_it_works_with_a_decoder_that_has_no_sprites() -> None:
    config = attrs.evolve(tiny_recipe().autoencoder, action="posterior")
    model = build_model(config, (3, 3)).train()
    images = torch.rand(2, 5, 9)
    terms = objective().terms(model, model(images, 1.0, draw_successor=False), images)
    assert terms["sprites"] == 0
    with evaluating(model):
        objective().end_epoch(model, (images * 255).byte(), 4, 10)
    assert not model.encoder.held_bits().any()


def test_a_module_into_which_nothing_can_be_written_learns_its_labels_by_gradient(monkeypatch) -> None:
    model = pixels_are_bits()
    monkeypatch.setattr(model.apply_module, "writable", False)
    with evaluating(model):
        assert objective().end_epoch(model, pictures(*["000>100"] * 3), 2, 10) == ()


def test_it_is_the_objective_that_plugins_offer() -> None:
    assert isinstance(load_plugins().create("objective", "likelihood", LossConfig()), LikelihoodObjective)
