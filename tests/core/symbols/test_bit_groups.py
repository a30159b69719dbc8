"""Bits about one thing are found together, bits about different things apart."""

import numpy as np

from cubespace.symbols.bit_groups import dependent_bits


def test_the_bits_of_a_number_are_one_group() -> None:
    rng = np.random.default_rng(0)
    things = rng.integers(9, size=(4000, 3))  # three independent things of nine values …
    sets = rng.random((3, 9, 6)) < 0.4  # … each shown by six bits: is it one of these values?
    states = np.concatenate([sets[number][things[:, number]] for number in range(3)], axis=1)
    order = rng.permutation(18)
    groups = dependent_bits(states[:, order])
    about = order // 6
    live = states[:, order].any(0) & ~states[:, order].all(0)
    for number in range(3):
        assert len(np.unique(groups[(about == number) & live])) == 1
    assert len(np.unique(groups[live])) == 3


def test_independent_bits_stay_alone() -> None:
    states = np.random.default_rng(0).random((4000, 20)) < 0.5
    assert len(np.unique(dependent_bits(states))) == 20


def test_a_group_does_not_take_too_many_values() -> None:
    """A chain of 30 bits, each nearly the same as the one before, has very many."""
    rng = np.random.default_rng(0)
    states = np.logical_xor.accumulate(np.c_[rng.random((4000, 1)) < 0.5, rng.random((4000, 29)) < 0.2], axis=1)
    groups = dependent_bits(states)
    assert len(np.unique(groups)) > 1
    for number in np.unique(groups):
        assert len(np.unique(states[:, groups == number], axis=0)) <= 64


def test_bits_that_never_change_are_one_group() -> None:
    states = np.zeros((10, 5), dtype=np.bool_)
    states[:, 3] = True
    assert len(np.unique(dependent_bits(states))) == 1
    states[:5, 0] = True
    assert dependent_bits(states)[0] not in dependent_bits(states)[1:]
