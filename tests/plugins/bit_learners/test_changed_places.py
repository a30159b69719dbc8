"""Places of scenes with depth: found by what changes, read where nothing else shows, drawn with what others add."""

import attrs
import numpy as np
import pytest
import torch

from cubespace.learning.code import SavedCode
from cubespace_bit_learners.places.changes import LearnerOptions, core_of, find_changed_places, simpler
from cubespace_bit_learners.places.context import ContextOptions, Seen, find_context
from cubespace_bit_learners.places.events import Score
from cubespace_bit_learners.places.finder import Place, Places
from cubespace_bit_learners.places.learner import new_code, read_code
from cubespace_bit_learners.places.lit import Lit

CELLS, SIDE = 6, 4  # a row of cells, each of so many pixels along a side
WIDTH = CELLS * SIDE
LEVELS = (60, 140, 220)  # of an empty cell and of two things
SHADOW = 40  # grey levels that a thing takes from the left column of the cell to its right


def scene(states: np.ndarray) -> np.ndarray:
    """Return pictures of a row of cells, (states, SIDE, WIDTH), in which things throw shadows on their neighbours."""
    pictures = np.repeat(np.asarray(LEVELS)[states], SIDE, axis=1)[:, None].repeat(SIDE, axis=1).astype(np.int16)
    for cell in range(1, CELLS):
        pictures[:, :, cell * SIDE] -= SHADOW * (states[:, [cell - 1]] > 0)
    return pictures.astype(np.uint8)


def pairs(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return states of four things in six cells, before and after one of them goes to an empty cell."""
    rng = np.random.default_rng(seed)
    before = rng.permuted(np.tile([0, 0, 1, 1, 2, 2], (count, 1)), axis=1)
    after = before.copy()
    for row in after:
        source, target = rng.choice(np.flatnonzero(row)), rng.choice(np.flatnonzero(row == 0))
        row[source], row[target] = 0, row[source]
    return before, after


@pytest.fixture(scope="module")
def found() -> Places:
    places = find_changed_places(*map(scene, pairs(3000, 0)), LearnerOptions(), 0.05)
    assert places is not None
    return places


def test_pixels_that_change_with_their_place_and_only_then_are_its_core() -> None:
    changes = np.array([[1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]], np.float32)
    assert core_of(changes, 0.8).tolist() == [True] * 5 + [False]


def test_each_cell_is_a_place_with_the_values_that_it_has(found: Places) -> None:
    assert sorted(len(place.patterns) for place in found.places) == [3] * CELLS
    before, after = pairs(500, 1)
    codes = np.concatenate([found.encode(scene(before)), found.encode(scene(after))])
    states = np.concatenate([before, after])
    joint = np.unique(np.concatenate([codes, states], axis=1), axis=0)
    assert len(joint) == len(np.unique(states, axis=0)) == len(np.unique(codes, axis=0))


def test_what_neighbours_add_is_drawn(found: Places) -> None:
    assert {(each.place, each.other) for each in found.context}
    code = new_code(found, (SIDE, WIDTH))
    pictures = scene(pairs(200, 2)[0])
    drawn = code.draw(code.encode(pictures))
    assert np.abs(drawn.astype(int) - pictures).max() < SHADOW / 4
    without = new_code(attrs.evolve(found, context=()), (SIDE, WIDTH))
    assert np.abs(without.draw(without.encode(pictures)).astype(int) - pictures).max() > SHADOW / 2


def test_such_a_code_is_saved_and_read(found: Places) -> None:
    code = new_code(found, (SIDE, WIDTH))
    saved = code.saved()
    assert isinstance(saved, SavedCode)
    again = read_code(saved)
    bits = code.encode(scene(pairs(50, 3)[1]))
    np.testing.assert_array_equal(again.draw(bits), code.draw(bits))


def test_a_code_of_a_version_without_context_is_read(found: Places) -> None:
    saved = new_code(attrs.evolve(found, context=()), (SIDE, WIDTH)).saved()
    older = attrs.evolve(saved, details={name: value for name, value in saved.details.items() if name != "context"})
    bits = read_code(saved).encode(scene(pairs(20, 3)[1]))
    assert torch.equal(*(torch.from_numpy(read_code(each).decode(bits)) for each in (saved, older)))


def test_a_place_that_explains_nothing_of_another_is_not_used() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(400, 3))
    flat = np.stack([100 * codes[:, 0] + 50 * codes[:, 1], 200 * codes[:, 1], 200 * codes[:, 2]], axis=1)
    flat = (flat + rng.integers(0, 4, flat.shape)).astype(np.uint8)
    seen = Seen(Lit((flat,), (np.ones(len(flat), dtype=np.float32),)), codes)
    means = [np.stack([flat[codes[:, place] == value, place].mean() for value in (0, 1)]) for place in range(3)]
    places = [Place(np.array([place]), mean[:, None].astype(np.float32) / 255) for place, mean in enumerate(means)]
    context, left = find_context(seen, places, ContextOptions())
    assert [(each.place, each.other) for each in context] == [(0, 1)]
    assert left < 5  # what is left is the noise of three pixels


def test_places_by_changes_are_taken_only_if_they_make_the_world_simpler(found: Places) -> None:
    options, given = LearnerOptions(), [scene(side) for side in pairs(3000, 0)]
    worse = attrs.evolve(found, score=Score(events=900, coverage=0.5, bits=2 * found.score.bits))
    assert len(simpler(worse, *given, options).places) == CELLS
    better = attrs.evolve(found, score=Score(events=9, coverage=1.0, bits=found.score.bits / 2))
    assert simpler(better, *given, options) is better


def test_pictures_in_which_nothing_changes_together_have_no_such_places() -> None:
    noise = np.random.default_rng(0).integers(0, 255, size=(2, 300, 6, 6), dtype=np.uint8)
    assert find_changed_places(noise[0], noise[1], LearnerOptions(), 1.0) is None
