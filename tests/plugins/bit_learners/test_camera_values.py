"""A camera that moves: values between which chance decides, groups by what stays, ways that see no change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace_bit_learners.places.camera import CameraOptions, _simplest, _Way, _with_edges
from cubespace_bit_learners.places.determined import determined
from cubespace_bit_learners.places.events import Score

OPTIONS = CameraOptions()
PAIRS = 3000
Codes = NDArray[np.intp]


def lamps(rng: np.random.Generator, count: int = 5) -> Codes:
    """Return lamps in a ring before and after pressing one, which switches it and both of its neighbours."""
    before = rng.integers(2, size=(PAIRS, count))
    pressed = rng.integers(count, size=PAIRS)
    after = before.copy()
    for off in (-1, 0, 1):
        after[np.arange(PAIRS), (pressed + off) % count] ^= 1
    return np.stack([before, after])


def askew(codes: Codes, rng: np.random.Generator, group: int, value: int, as_before: float) -> Codes:
    """Return codes in which some pictures of a value have another one: after an action, more often if they had it."""
    seen, extra = codes.copy(), int(codes[:, :, group].max()) + 1
    off = rng.random(PAIRS) < 0.2
    later = np.where(rng.random(PAIRS) < as_before, off, rng.random(PAIRS) < 0.2)
    for side, chosen in zip(seen, (off, later), strict=True):
        side[chosen & (side[:, group] == value), group] = extra
    return seen


def test_values_between_which_chance_decides_are_one() -> None:
    rng = np.random.default_rng(0)
    truth = lamps(rng)
    seen = askew(askew(truth, rng, 3, 1, 0.5), rng, 1, 0, 0.5)
    assert (determined(seen, OPTIONS) == truth).all()


def test_real_values_stay_apart_though_they_change_whenever_they_can() -> None:
    rng = np.random.default_rng(1)
    before = rng.permuted(np.tile(np.arange(4), (PAIRS, 1)), axis=1)  # of four tiles the blank, 0, moves in every pair
    after, rows = before.copy(), np.arange(PAIRS)
    blank = (before == 0).argmax(1)
    other = (blank + rng.integers(1, 4, size=PAIRS)) % 4
    after[rows, blank], after[rows, other] = before[rows, other], 0
    truth = np.stack([before, after])
    assert (determined(truth, OPTIONS) == truth).all()
    split = determined(askew(truth, rng, 2, 0, 0.0), OPTIONS)
    assert (split == truth).all()


def test_a_dial_that_changes_alone_or_not_at_all_keeps_its_values() -> None:
    rng = np.random.default_rng(2)
    before = rng.integers(3, size=(PAIRS, 2))
    after = before.copy()
    turned, idle = rng.integers(2, size=PAIRS), rng.random(PAIRS) < 0.3
    after[np.arange(PAIRS), turned] = np.where(idle, before[np.arange(PAIRS), turned], rng.integers(3, size=PAIRS))
    codes = np.stack([before, after])
    assert (determined(codes, OPTIONS) == codes).all()


def test_pixels_at_the_edge_of_a_group_belong_to_it_and_others_to_none() -> None:
    label = np.full((5, 9), -1)
    label[1:4, 2:4], label[1:4, 7] = 0, 1
    located = np.ones(label.shape, dtype=np.bool_)
    located[0] = False
    found = _with_edges(label.ravel(), located.ravel(), label.shape).reshape(label.shape)
    assert (found[0] == -1).all()
    assert (found[1:4, :5] == 0).all()
    assert (found[1:4, 6:] == 1).all()


def test_a_way_to_which_pairs_show_no_change_that_others_see_is_not_chosen() -> None:
    def way(bits: float, idle: float, values: int) -> _Way:
        codes = np.zeros((2, 4, 1), dtype=np.intp)
        return _Way([np.arange(3)], codes, Score(9, 1.0, bits), values, False, 0.05, idle)

    blind, exact, finer = way(6.0, 0.1, 20), way(8.0, 0.001, 30), way(8.0, 0.0, 40)
    assert _simplest([blind, exact, finer], OPTIONS) is exact
    assert _simplest([blind], OPTIONS) is blind
