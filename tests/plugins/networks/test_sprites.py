"""The linear decoder: a background and a sprite for each true bit."""

import torch

from cubespace.autoencoder.inference import mean_picture
from cubespace.base.options import NoOptions
from cubespace_networks.sprites import SpritesDecoder

SHAPE, BITS = (4, 5, 3), 6


def decoder() -> SpritesDecoder:
    torch.manual_seed(0)
    return SpritesDecoder(SHAPE, BITS, NoOptions()).eval()


def test_it_has_one_sprite_for_each_bit_and_a_background_and_nothing_else() -> None:
    assert sum(parameter.numel() for parameter in decoder().parameters()) == 4 * 5 * 3 * (BITS + 1)
    assert decoder().sprites_of_bits().shape == (60, BITS)


def test_what_a_bit_adds_depends_on_no_other_bit() -> None:
    linear, states = decoder(), torch.randint(2, (20, BITS)).float()
    on, off = states.clone(), states.clone()
    on[:, 2], off[:, 2] = 1.0, 0.0
    sprite = linear.sprites_of_bits()[:, 2].expand(20, -1)
    torch.testing.assert_close(linear(on) - linear(off), sprite)


def test_pixels_are_painted_within_their_range() -> None:
    assert decoder().paint(torch.tensor([-0.5, 0.25, 1.5])).tolist() == [0.0, 0.25, 1.0]


def test_a_held_bit_leaves_the_mean_picture_as_it_was() -> None:
    states = torch.randint(2, (50, BITS), generator=torch.Generator().manual_seed(1)).float()
    for value in (False, True):
        linear = decoder()
        mean = linear(states).mean(0)
        linear.hold_bit(4, value, float(states[:, 4].mean()))
        held = states.clone()
        held[:, 4] = float(value)
        torch.testing.assert_close(linear(held).mean(0), mean)


def test_merged_bits_are_drawn_by_one() -> None:
    states = torch.randint(2, (50, BITS), generator=torch.Generator().manual_seed(1)).float()
    for opposite in (False, True):
        linear = decoder()
        states[:, 5] = 1.0 - states[:, 1] if opposite else states[:, 1]
        expected = linear(states)
        linear.merge_bits(1, 5, opposite=opposite)
        held = states.clone()
        held[:, 5] = 0.0
        torch.testing.assert_close(linear(held), expected)


def test_training_begins_with_the_mean_picture_as_background() -> None:
    pictures = torch.randint(256, (2, 7, 60), dtype=torch.uint8, generator=torch.Generator().manual_seed(2))
    linear = decoder()
    linear.begin(mean_picture(pictures))
    torch.testing.assert_close(linear(torch.zeros(1, BITS))[0], pictures.float().flatten(0, 1).mean(0) / 255.0)
