import attrs
import pytest
import torch
from builders import build_model, code_of, training_run
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.extensions.bit_consolidation import (
    agree,
    differences,
    drop_unstable_bits,
    frequent_differences,
)
from cubespace.autoencoder.inference import encode_pixels
from cubespace.settings.recipe import AutoencoderConfig, ConsolidationConfig, Recipe, TrainConfig


def transitions(*rows: str) -> torch.Tensor:
    """Read ``"0110>0100"`` as logits: 1 for a true bit, -1 for a false one; (2, rows, bits)."""
    sides = zip(*(row.split(">") for row in rows), strict=True)
    return torch.tensor([[[2.0 * int(bit) - 1.0 for bit in bits] for bits in side] for side in sides])


def test_differences_are_grouped_and_sorted_by_number() -> None:
    before, after = transitions("000>100", "001>101", "100>000", "011>111") > 0
    distinct, counts, member = differences(before, after)
    assert distinct.tolist() == [[-1, 0, 0], [1, 0, 0]]
    assert counts.tolist() == [1, 3]
    assert member.tolist() == [1, 1, 0, 1]
    add, delete = frequent_differences(before, after, 1)
    assert add.tolist() == [[True, False, False]]
    assert not delete.any()


def test_a_stray_transition_takes_the_nearest_frequent_difference() -> None:
    logits = transitions("000>100", "001>101", "010>110", "001>100")  # the last loses its third bit as well
    logits[0, 3, 2] = 0.1  # of which it was unsure
    found = agree(logits, frequent=3, flips=1)
    assert found.rows.tolist() == [3]
    assert found.states[:, 0].tolist() == [[False, False, False], [True, False, False]]


@pytest.mark.parametrize(("frequent", "flips"), [(3, 0), (9, 5), (1, 5)])
def test_nobody_moves_if_it_costs_too_much_or_nothing_or_all_is_frequent(frequent, flips) -> None:
    logits = transitions("000>100", "001>101", "010>110", "001>100")
    assert len(agree(logits, frequent=frequent, flips=flips).rows) == 0


class ThreeBits:
    """A model whose third bit says nothing: it flickers, and the decoder does not read it."""

    def __init__(self) -> None:
        config = AutoencoderConfig(bits=3, actions=4, encoder="mlp:depth=0,noise=0,dropout=0", decoder="mlp:depth=0")
        self.model = build_model(config, (1, 3)).eval()
        layer, drawing = self.model.encoder.net[1][0], self.model.decoder.net[0]
        with torch.no_grad():
            layer.weight.copy_(torch.eye(3) * 10.0)
            layer.bias.fill_(-5.0)
            drawing.weight.copy_(torch.diag(torch.tensor([40.0, 40.0, 0.0])))
            drawing.bias.copy_(torch.tensor([-20.0, -20.0, -20.0]))


def pictures(*rows: str) -> torch.Tensor:
    return ((transitions(*rows) > 0) * 255).to(torch.uint8)


def test_a_needless_bit_that_flickers_is_dropped_and_a_needed_one_is_not() -> None:
    model = ThreeBits().model
    images = pictures(*["000>100", "010>110", "100>000"] * 10, "000>101", "010>111")
    images[..., 2] //= 25  # hardly to be seen
    with torch.no_grad():
        model.encoder.net[1][0].weight[2, 2] = 200.0  # … but the encoder does see it
    config = ConsolidationConfig()
    assert drop_unstable_bits(model, images, config) == [2]
    assert model.encoder.held_bits().tolist() == [False, False, True]
    assert not encode_pixels(model, images.flatten(0, 1))[:, 2].any()
    assert drop_unstable_bits(model, images, config) == []


def test_a_bit_that_tells_pictures_apart_is_kept() -> None:
    model = ThreeBits().model
    images = pictures(*["000>100", "010>110", "100>000"] * 10, "000>101", "010>111")
    assert drop_unstable_bits(model, images, ConsolidationConfig()) == []


@pytest.mark.parametrize("apply", ["btl", "btl:norm=none", "minmax", "smooth"])
def test_written_effects_reproduce_every_training_transition(tmp_path, apply) -> None:
    split = toggles(100)
    shape = attrs.evolve(tiny_recipe(apply).autoencoder, actions=100)  # room for every difference
    steps = ("consolidate", "rewrite", "decoder")
    short = TrainConfig(
        extensions=steps,
        epochs=2,
        decoder_epochs=1,
        batch=20,
        consolidation=ConsolidationConfig(rounds=2, epochs=2),
    )
    wide = Recipe(autoencoder=shape, train=short)
    run = training_run(tmp_path, split, toggles(20, 1), wide, execution=EVERY_EPOCH)
    rows = list(run)
    assert {row["phase"] for row in rows[2:-1]} == {"consolidate"}
    assert rows[-1]["phase"] == "decoder"
    code = code_of(run.model)
    before, after = code.encode(split.before), code.encode(split.after)
    labels = code.actions.label(before, after)
    assert (code.actions.successors(before, labels) == after).all()
    add, delete = code.actions.effects()
    assert (((before & ~delete[labels]) | add[labels]) == after).all()


def test_a_black_box_is_left_as_it_was_learned(tmp_path) -> None:
    run = training_run(tmp_path, toggles(40), toggles(20, 1), tiny_recipe("blackbox"), execution=EVERY_EPOCH)
    assert list(run)[-1]["phase"] == "decoder"


def test_the_action_head_has_room_for_every_bit_whatever_its_width(tmp_path) -> None:
    recipe = tiny_recipe()
    shape = attrs.evolve(recipe.autoencoder, action_width=3, actions=100)  # of 12 bits
    narrow = attrs.evolve(recipe, autoencoder=shape)
    run = training_run(tmp_path, toggles(100), toggles(20, 1), narrow, execution=EVERY_EPOCH)
    list(run)
    split = toggles(100)
    code = code_of(run.model)
    before, after = code.encode(split.before), code.encode(split.after)
    assert (code.actions.successors(before, code.actions.label(before, after)) == after).all()
