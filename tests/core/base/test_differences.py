"""The difference of two states, and which of them were seen."""

import numpy as np

from cubespace.base.differences import coverage, difference


def test_differences_are_directed() -> None:
    zero, one = np.array([[False, False]]), np.array([[True, False]])
    up, down = difference(zero, one), difference(one, zero)
    assert (up != down).any()
    assert coverage(up, up) == 1.0
    assert coverage(up, down) == 0.0


def test_coverage_counts_transitions_and_not_kinds() -> None:
    states = np.array([[False, False], [True, False], [True, True]])
    known = difference(states[:1], states[1:2])
    some = difference(states[[0, 0, 0, 1]], states[[1, 1, 1, 2]])
    assert coverage(some, known) == 0.75
