"""Values in pictures no two of which are alike: what pairs tell apart, and what actions carry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import learned_code

from cubespace.data.domain import Pairs
from cubespace.learning.trial import try_code
from cubespace.settings.recipe import LearnerConfig
from cubespace_bit_learners.places.absorbing import absorbed
from cubespace_bit_learners.places.camera import CameraOptions, find_carried_places, find_steady_places
from cubespace_bit_learners.places.carried import _things, larger_kind, swapped
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


def moved_things(
    count: int, rng: np.random.Generator, things: tuple[int, ...] = (0, 1, 2, 0)
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what is in places before and after a move of a thing to an empty place, and how it lies there."""
    before = rng.permuted(np.tile(things, (count, 1)), axis=1)
    lies = rng.integers(3, size=before.shape)
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


def test_the_nearest_of_those_that_are_alike_are_joined_first() -> None:
    """A small cluster is like any other by what follows it; where it lies says which it belongs to."""
    small = np.array([[0] * 300 + [1] * 300 + [2, 2], [0] * 200 + [1] * 100 + [1] * 200 + [0] * 100 + [0, 1]])
    for lies, with_ in ((0.1, 0), (9.9, 1)):
        value = one_value(small, np.array([[0.0], [10.0], [lies]]), OPTIONS)
        assert value[2] == value[with_]
        assert value[0] != value[1]


def test_values_whose_changes_never_happen_again_are_none() -> None:
    """One press in a hundred comes with a picture that is askew, which is no third value of the lamp."""
    rng = np.random.default_rng(0)
    before = rng.integers(2, size=(2000, 8))
    pressed = rng.integers(8, size=2000)
    after = before ^ (np.abs(np.arange(8) - pressed[:, None]) <= 1)
    truth = np.stack([before, after])
    askew = (rng.random((2, 2000)) < 0.01) & (truth[:, :, 0] == 1)
    codes = truth.copy()
    codes[:, :, 0] = np.where(askew, 2, truth[:, :, 0])
    flat = np.repeat(100 * truth[:, :, :1] + 10 * (codes[:, :, :1] == 2), 4, axis=2).astype(np.uint8)
    light = np.ones(2000, dtype=np.float32)
    groups = [np.arange(4)] * 8
    found = repeating(codes, Compared(flat[0], flat[1], light, light), groups, OPTIONS)
    assert (found == truth).all()
    assert (repeating(truth, Compared(flat[0], flat[1], light, light), groups, OPTIONS) == truth).all()


def test_a_group_that_another_one_knows_all_about_is_a_part_of_it() -> None:
    rng = np.random.default_rng(0)
    peg, other = rng.integers(8, size=(2, 2, 2000))
    codes = np.stack([peg, (peg > 5).astype(int), other], axis=-1)
    groups = [np.arange(10), np.array([20, 21]), np.arange(30, 42)]
    found = absorbed(groups, codes, OPTIONS)
    assert sorted(each.tolist() for each in found) == [[*range(10), 20, 21], [*range(30, 42)]]


def test_what_is_carried_swaps_with_what_was_there() -> None:
    before = np.array([[1, 2, 0], [1, 0, 2], [0, 0, 1], [1, 1, 1]])
    after = np.array([[0, 2, 1], [1, 2, 0], [2, 1, 1], [1, 1, 1]])
    assert swapped(np.stack([before, after])) == pytest.approx(2 / 3)
    assert swapped(np.stack([before, before])) == 0.0


def laid(values: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Return pictures of squares of three greys, or none, in cells of 14 pixels; ``off`` is (pictures, cells, 2)."""
    y, x = np.mgrid[0:14, 0:14]
    inside = [np.clip(4.5 - np.abs(axis - 6.5 - off[..., side, None, None]), 0, 1) for side, axis in ((1, y), (0, x))]
    share = inside[0] * inside[1]  # (pictures, cells, 14, 14)
    grey = np.array([100.0, 220.0, 20.0, 160.0])[values][..., None, None]
    cells = 100 + share * (grey - 100)
    return np.rint(cells.transpose(0, 2, 1, 3).reshape(len(values), 14, -1)).astype(np.uint8)


def test_things_put_down_inexactly_are_learned_though_the_camera_is_fixed(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    before, after, _, _ = moved_things(2500, rng, (0, 1, 2, 0, 3, 0))
    places = rng.uniform(-1.5, 1.5, (2, 2500, 6, 2))
    stays = before == after
    off = np.where(stays[..., None], places[0], places[1])
    pairs = Pairs(laid(before, places[0]), laid(after, off))
    found = learned_code("places", tmp_path, pairs)
    bits = found.encode(pairs.before)
    assert len(np.unique(bits, axis=0)) == len(np.unique(before, axis=0))
    assert same_partition(np.unique(bits, axis=0, return_inverse=True)[1].ravel(), before @ 4 ** np.arange(6))
    assert "something that stays" in try_code(found, pairs, pairs).misfit(LearnerConfig())  # where exactly things lie


def test_fewer_looks_than_the_most_things_there_may_be_are_told_apart() -> None:
    """Two things that change places, each of one look in each of two places: a graph of four nodes."""
    first = np.arange(40) % 2
    small = np.stack([np.stack([first, 1 - first], axis=-1), np.stack([1 - first, first], axis=-1)])  # (2, pairs, 2)
    things = _things(small, np.ones((40, 2), dtype=np.bool_), 2, OPTIONS)
    assert things is not None
    assert things[0].tolist() == things[1].tolist()
    assert sorted(things[0].tolist()) == [0, 1]
