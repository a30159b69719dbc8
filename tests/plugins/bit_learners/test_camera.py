"""Values in pictures no two of which are alike: what pairs tell apart, and what actions carry."""

from __future__ import annotations

import numpy as np
import pytest

from cubespace_bit_learners.places.camera import CameraOptions, find_carried_places, find_steady_places
from cubespace_bit_learners.places.carried import larger_kind
from cubespace_bit_learners.places.joining import one_value
from cubespace_bit_learners.places.repeating import repeating
from cubespace_bit_learners.places.steady import clusters, steady_pixels
from cubespace_bit_learners.places.values import Compared

OPTIONS = CameraOptions()
SIDE, GAP = 6, 2  # pixels of a place, and between two


def draw(values: np.ndarray, rng: np.random.Generator, nuisance: float) -> np.ndarray:
    """Return pictures of places side by side; each value is a pattern, under a light that differs each time."""
    patterns = np.random.default_rng(3).uniform(60, 180, (int(values.max()) + 1, SIDE, SIDE))
    count, places = values.shape
    pictures = np.full((count, SIDE + 2 * GAP, places * (SIDE + GAP) + GAP), 100.0)
    for place in range(places):
        left = GAP + place * (SIDE + GAP)
        pictures[:, GAP:-GAP, left : left + SIDE] = patterns[values[:, place]]
    ramp = np.linspace(-1, 1, pictures.shape[2])
    pictures += nuisance * rng.uniform(-1, 1, (count, 1, 1)) * ramp * (pictures - 100) / 40
    return np.clip(np.rint(pictures + rng.normal(0, 1.5, pictures.shape)), 0, 255).astype(np.uint8)


def changed(values: np.ndarray, rng: np.random.Generator, most: int) -> np.ndarray:
    """Return values of which one place, a random one, has another value."""
    after, place = values.copy(), rng.integers(values.shape[1], size=len(values))
    rows = np.arange(len(values))
    after[rows, place] = (values[rows, place] + rng.integers(1, most, size=len(values))) % most
    return after


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    pairs = np.unique(np.stack([one, other]), axis=1).shape[1]
    return pairs == len(np.unique(one)) == len(np.unique(other))


def joined(small: np.ndarray) -> np.ndarray:
    """Return the value of each cluster; clusters lie in a row, one step apart."""
    return one_value(small, np.arange(small.max() + 1.0)[:, None], OPTIONS)


def test_clusters_that_pairs_do_not_tell_apart_are_one_value() -> None:
    rng = np.random.default_rng(0)
    value = rng.integers(3, size=4000)
    after = np.where(rng.random(4000) < 0.2, rng.integers(3, size=4000), value)
    variant = rng.integers(4, size=(2, 4000))  # drawn anew in every picture
    small = np.stack([value, after]) * 4 + variant
    assert same_partition(np.arange(12) // 4, joined(small))


def test_a_value_that_never_stays_is_still_one() -> None:
    """The hole of a sliding puzzle is elsewhere after every move."""
    rng = np.random.default_rng(0)
    value = rng.integers(4, size=4000)
    after = np.where(rng.random(4000) < 0.7, value, 0)
    after = np.where(value == 0, rng.integers(1, 4, size=4000), after)
    small = np.stack([value, after]) * 3 + rng.integers(3, size=(2, 4000))
    assert same_partition(np.arange(12) // 3, joined(small))


def test_what_is_drawn_anew_is_no_value() -> None:
    small = np.random.default_rng(0).integers(10, size=(2, 3000))
    assert len(np.unique(joined(small))) == 1


def test_pixels_that_stay_are_told_from_those_that_do_not() -> None:
    rng = np.random.default_rng(0)
    state = rng.integers(2, size=(1000, 1)) * 100.0
    before, after = (np.concatenate([state, np.zeros((1000, 1))], 1) + rng.normal(0, 20, (1000, 2)) for _ in range(2))
    assert steady_pixels(before.astype(np.float32), after.astype(np.float32), 25.0).tolist() == [True, False]


def test_registered_pictures_have_the_values_of_their_world() -> None:
    rng = np.random.default_rng(0)
    before = rng.integers(3, size=(1500, 3))
    after = changed(before, rng, 3)
    found = find_steady_places(draw(before, rng, 25.0), draw(after, rng, 25.0), OPTIONS)
    assert [len(place.patterns) for place in found.places] == [3, 3, 3]
    codes, truth = found.encode(draw(before, rng, 25.0)), before
    left = np.argsort([place.pixels.min() % 26 for place in found.places])
    assert all(same_partition(codes[:, left[place]], truth[:, place]) for place in range(3))


def test_more_values_than_clusters_can_tell_are_said_to_be_too_many() -> None:
    rng = np.random.default_rng(0)
    before = rng.integers(14, size=(600, 2))
    after = changed(before, rng, 14)
    assert find_steady_places(draw(before, rng, 5.0), draw(after, rng, 5.0), OPTIONS).overflow


def moved_things(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what is in four places before and after a move of a thing to an empty place, and how it lies there."""
    before = rng.permuted(np.tile([0, 1, 2, 0], (count, 1)), axis=1)
    lies = rng.integers(3, size=(count, 4))
    after, lies_after, rows = before.copy(), lies.copy(), np.arange(count)
    source = np.array([rng.choice(np.flatnonzero(row)) for row in before])
    target = np.array([rng.choice(np.flatnonzero(row == 0)) for row in before])
    after[rows, target], after[rows, source] = before[rows, source], 0
    lies_after[rows, target], lies_after[rows, source] = rng.integers(3, size=(2, count))
    return before, after, lies, lies_after


def test_things_that_never_lie_where_they_lay_are_found_by_what_is_carried() -> None:
    """What is not moved lies exactly as before, so only moves tell that a thing on the left is one on the right."""
    rng = np.random.default_rng(1)
    before, after, lies, lies_after = moved_things(2000, rng)
    shown = [np.where(thing > 0, 1 + 3 * (thing - 1) + how, 0) for thing, how in ((before, lies), (after, lies_after))]
    pictures = [draw(each, rng, 0.0) for each in shown]
    found = find_carried_places(*pictures, CameraOptions(carried_blur=0.0))  # variants are no shifts of each other
    assert found is not None
    assert found.loose
    assert [len(place.patterns) for place in found.places] == [3, 3, 3, 3]


def test_where_nothing_is_carried_nothing_is_found() -> None:
    rng = np.random.default_rng(0)
    before = rng.integers(2, size=(1000, 4))
    pictures = [draw(each, rng, 0.0) for each in (before, changed(before, rng, 2))]
    assert find_carried_places(*pictures, OPTIONS) is None


def test_pictures_that_show_nothing_have_no_places() -> None:
    noise = np.random.default_rng(0).integers(90, 110, size=(2, 200, 20, 20), dtype=np.uint8)
    assert find_steady_places(*noise, OPTIONS).places == ()
    assert find_carried_places(*noise, OPTIONS) is None


def test_clusters_are_numbered_without_gaps() -> None:
    points = np.random.default_rng(0).normal(size=(300, 2))
    code = clusters(points, 9, np.random.default_rng(0))
    assert set(code) == set(range(code.max() + 1))
    assert clusters(points[:, :0], 9, np.random.default_rng(0)).max() == 0


@pytest.mark.parametrize("far", [3.0, 9.0])
def test_two_kinds_of_numbers(far: float) -> None:
    lengths = np.concatenate([np.random.default_rng(0).normal(0, 0.3, 90), np.full(10, far)])
    assert larger_kind(lengths).tolist() == [False] * 90 + [True] * 10
