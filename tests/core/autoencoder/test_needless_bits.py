"""Bits that a linear decoder can do without, on worked examples."""

import torch

from cubespace.autoencoder.needless_bits import equal_bits, mixed_bits, weak_bits


def test_a_bit_that_moves_hardly_any_pixel_is_weak() -> None:
    sprites = torch.tensor([[1.0, 0.0, 0.1], [0.0, -0.9, 0.05]])  # (pixels, bits)
    every = torch.ones(3, dtype=torch.bool)
    assert weak_bits(sprites, every, 0.3).tolist() == [False, False, True]
    assert weak_bits(sprites, every, 0.05).tolist() == [False, False, False]


def test_what_is_typical_is_said_by_live_bits_alone() -> None:
    sprites = torch.tensor([[1.0, 0.2, 0.001, 0.002, 0.003]])
    live = torch.tensor([True, True, False, False, False])
    assert weak_bits(sprites, live, 0.3).tolist() == [False, False, True, True, True]
    assert not weak_bits(sprites, torch.zeros(5, dtype=torch.bool), 0.3).any()


def transitions(*rows: str) -> tuple[torch.Tensor, torch.Tensor]:
    before, after = (torch.tensor([[c == "1" for c in row.split(">")[side]] for row in rows]) for side in (0, 1))
    return before, after


# bit 2 is true where bits 0 and 1 are equal: it makes two kinds of transitions of each, and other bits draw the picture
MIXED = transitions("001>100", "010>111", "100>001", "111>010", "001>010", "100>111", "010>001", "111>100")


def test_a_bit_that_only_multiplies_differences_is_taken() -> None:
    before, after = MIXED
    pixels = torch.cat(MIXED)[:, :2].byte() * 255  # a pixel for each of the first two bits
    assert mixed_bits(before, after, pixels, torch.ones(3, dtype=torch.bool), 0.005) == [2]


def test_a_bit_that_pictures_need_is_kept_though_it_multiplies_differences() -> None:
    before, after = MIXED
    pixels = torch.cat(MIXED).byte() * 255  # the third pixel shows the third bit
    assert mixed_bits(before, after, pixels, torch.ones(3, dtype=torch.bool), 0.005) == []


def test_only_bits_that_may_be_taken_are() -> None:
    before, after = MIXED
    pixels = torch.cat(MIXED)[:, :2].byte() * 255
    assert mixed_bits(before, after, pixels, torch.tensor([True, True, False]), 0.005) == []


def test_bits_are_taken_alike_however_many_pictures_are_looked_at_at_once(monkeypatch) -> None:
    before, after = MIXED
    pixels = torch.cat(MIXED)[:, :2].byte() * 255
    monkeypatch.setattr("cubespace.autoencoder.needless_bits.ROWS_AT_ONCE", 3)
    assert mixed_bits(before, after, pixels, torch.ones(3, dtype=torch.bool), 0.005) == [2]


def test_equal_and_opposite_bits_are_found() -> None:
    states = torch.tensor([[False, False, True, False], [True, True, False, False], [True, True, False, True]])
    assert equal_bits(states, torch.ones(4, dtype=torch.bool)) == [(0, 1, False), (0, 2, True)]
    assert equal_bits(states, torch.tensor([False, True, True, True])) == [(1, 2, True)]
