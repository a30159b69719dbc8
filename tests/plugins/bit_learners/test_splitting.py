"""Values that are two by what the other picture of a pair knows: similar tiles, a gap, and what is neither."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from cubespace_bit_learners.places.events import Score
from cubespace_bit_learners.places.finder import PlacesOptions
from cubespace_bit_learners.places.selection import Grouping, simplest
from cubespace_bit_learners.places.splitting import SplittingOptions, split_values

PAIRS, PIXELS, APART = 1500, 150, 6.0
Numbers = NDArray[np.intp]


def shown(before: Numbers, after: Numbers, seed: int = 0) -> tuple[NDArray[np.float32], Numbers]:
    """Return noisy patterns of three things, and what limits of noise make of them: 1 and 2 look nearly alike."""
    rng = np.random.default_rng(seed)
    looks = np.zeros((3, PIXELS))
    looks[0, :50] = 10.0
    looks[2, 100:116] = APART / 4  # of 16 pixels together, six standard deviations
    thing = np.concatenate([before, after])
    patterns = looks[thing] + rng.normal(0, 1, (len(thing), PIXELS))
    return patterns.astype(np.float32), np.minimum(thing, 1)


def stays(share: float = 0.7, seed: int = 1) -> tuple[Numbers, Numbers]:
    rng = np.random.default_rng(seed)
    before, other = rng.integers(3, size=(2, PAIRS))
    return before, np.where(rng.random(PAIRS) < share, before, other)


def agreement(found: Numbers, before: Numbers, after: Numbers) -> float:
    """Return for how many patterns the second of the two things has a value of its own."""
    second = np.concatenate([before, after]) == 2
    new = found == 2
    return float(max((new == second)[found > 0].mean(), (new != second)[found > 0].mean()))


def test_similar_things_that_stay_what_they_are_are_two_values() -> None:
    before, after = stays()
    patterns, code = shown(before, after)
    found = split_values(patterns, code, SplittingOptions())
    assert found.max() == 2
    assert agreement(found, before, after) > 0.99


def test_a_gap_that_always_moves_is_told_from_a_tile_that_stays() -> None:
    before, after = stays()
    after = np.where(before == 2, np.arange(PAIRS) % 2, after)  # a gap changes places with something
    patterns, code = shown(before, after)
    found = split_values(patterns, code, SplittingOptions())
    assert found.max() == 2
    assert agreement(found, before, after) > 0.99


def test_one_value_stays_one() -> None:
    before, after = stays()
    patterns, code = shown(np.minimum(before, 1), np.minimum(after, 1))
    assert split_values(patterns, code, SplittingOptions()) is code


def test_what_comes_and_goes_by_itself_is_no_value() -> None:
    before, after = stays()
    patterns, code = shown(np.minimum(before, 1), np.minimum(after, 1))
    patterns[np.random.default_rng(2).random(len(patterns)) < 0.5, 120:130] += 4.0  # a pointer
    assert split_values(patterns, code, SplittingOptions()) is code


@pytest.mark.parametrize(("coverage", "splits"), [(0.99, True), (0.9, False)])
def test_values_are_split_only_if_events_recur_nearly_as_often(coverage: float, splits: bool) -> None:
    merged = Grouping([], "tight", Score(194, 0.99, 7.6), 72, 0.48, 0.0032, 0.0, overflow=False, common=72)
    score = Score(events=217, coverage=coverage, bits=8.0)
    exact = attrs.evolve(merged, kind="tight-split", score=score, values=81, unexplained=0.47, lost=0.0011, common=81)
    assert simplest([merged, exact], PlacesOptions()) is (exact if splits else merged)
