"""Distinct differences: the one definition that learning, extraction, lifting and the learners share."""

import numpy as np
import pytest
import torch

from cubespace.base.arrays import Bits
from cubespace.base.differences import (
    changed_values,
    coverage,
    find_differences,
    group_effects,
    number_rows,
    packed_differences,
)


def rows(*texts: str) -> Bits:
    return np.array([[letter == "1" for letter in text] for text in texts])


def transitions(count: int, bits: int, effects: int, seed: int) -> tuple[Bits, Bits]:
    """Random transitions; some show the same difference and some change nothing."""
    rng = np.random.default_rng(seed)
    before = rng.random((count, bits)) < 0.5
    flips = rng.random((effects, bits)) < 2 / bits
    return before, before ^ flips[rng.integers(effects, size=count)]


def test_the_worked_example() -> None:
    found = find_differences(rows("100", "101", "001"), rows("010", "011", "001"))
    assert (found.add == rows("010", "000")).all()
    assert (found.delete == rows("100", "000")).all()
    assert found.counts.tolist() == [2, 1]
    assert found.first.tolist() == [0, 2]
    assert found.shown.tolist() == [0, 0, 1]


@pytest.mark.parametrize("case", [(2000, 50, 30, 0), (500, 3, 4, 1), (300, 200, 5, 2), (7, 9, 50, 3)])
def test_the_order_is_that_of_torch(case) -> None:
    before, after = transitions(*case)
    change = torch.from_numpy(after).to(torch.int8) - torch.from_numpy(before).to(torch.int8)
    distinct, shown, counts = torch.unique(change, dim=0, return_inverse=True, return_counts=True)
    found = find_differences(before, after)
    assert (found.add.astype(int) - found.delete.astype(int)).tolist() == distinct.tolist()
    assert found.counts.tolist() == counts.tolist()
    assert found.shown.tolist() == shown.tolist()


def test_every_transition_shows_its_difference() -> None:
    before, after = transitions(400, 20, 15, seed=4)
    for by_frequency in (False, True):
        found = find_differences(before, after, by_frequency=by_frequency)
        assert (found.add[found.shown] == (after & ~before)).all()
        assert (found.delete[found.shown] == (before & ~after)).all()
        assert (np.bincount(found.shown) == found.counts).all()


def test_the_most_frequent_comes_first_and_among_equals_the_one_that_is_shown_first() -> None:
    before = rows("00", "00", "00", "00")
    found = find_differences(before, rows("11", "10", "01", "10"), by_frequency=True)
    assert (found.add == rows("10", "11", "01")).all()
    assert found.first.tolist() == [1, 0, 2]
    assert found.shown.tolist() == [1, 0, 2, 0]


def test_no_effect_adds_and_deletes_the_same_bit() -> None:
    with pytest.raises(ValueError, match="same bit"):
        group_effects(rows("11"), rows("10"))


@pytest.mark.parametrize(("shape", "distinct"), [((0, 4), 0), ((0, 0), 0), ((3, 0), 1)])
def test_arrays_without_rows_or_columns(shape, distinct) -> None:
    found = number_rows(np.zeros(shape, dtype=np.uint8))
    assert len(found) == distinct
    assert found.counts.sum() == len(found.number) == shape[0]


def test_differences_are_directed() -> None:
    up, down = packed_differences(rows("00"), rows("10")), packed_differences(rows("10"), rows("00"))
    assert (up != down).any()
    assert coverage(up, up) == 1.0
    assert coverage(up, down) == 0.0
    assert coverage(np.concatenate([up, down]), down) == 0.5


def test_changed_values_are_the_old_ones_and_then_the_new_ones() -> None:
    assert changed_values(np.array([[3, 5]]), np.array([[3, 7]])).tolist() == [[-1, 5, -1, 7]]


def test_coverage_counts_transitions_and_not_kinds() -> None:
    states = rows("00", "10", "11")
    known = packed_differences(states[:1], states[1:2])
    shown = packed_differences(states[[0, 0, 0, 1]], states[[1, 1, 1, 2]])
    assert coverage(shown, known) == 0.75
