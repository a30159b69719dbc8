"""A rendered table with blocks keeps the contract of domains, and is read from a little elsewhere, too."""

from importlib.util import find_spec

import numpy as np
import pytest

from cubespace.data.domain import Simulator
from cubespace.data.spoiling import spoil
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import Spoiling
from cubespace.testing import conformance

if find_spec("mujoco") is None:  # importing it would decide how it draws
    pytest.skip("MuJoCo is not installed, see README.md", allow_module_level=True)

test_tabletop = conformance("domain", "tabletop")


@pytest.fixture(scope="module")
def tabletop() -> Simulator:
    """Return four blocks on a table."""
    return load_plugins().create("domain", "tabletop")


def test_four_blocks_in_four_columns_are_840_states_that_look_different(tabletop: Simulator) -> None:
    """States and pictures are as many."""
    frames = tabletop._table.map.frames
    assert frames.shape == (840, 64, 64, 3)
    assert len(np.unique(frames.reshape(840, -1), axis=0)) == 840


def test_a_move_of_a_block_changes_shadows_and_faces_elsewhere(tabletop: Simulator) -> None:
    """That is what is hard about depth."""
    before = np.array([[0, 4, 8, 12]], dtype=np.uint8)  # one block in each column
    after = np.array([[5, 4, 8, 12]], dtype=np.uint8)  # the first one onto the second
    changed = np.abs(tabletop.render(before)[0].astype(int) - tabletop.render(after)[0]).max(2) > 2
    assert changed[:, 32:].any()  # far from both columns: a shadow


@pytest.mark.parametrize(
    "spoiling",
    [
        Spoiling(move=2.0, turn=1.0, gain=0.15, noise=0.012),
        Spoiling(place=1.5, place_turn=12.0),
    ],
    ids=["shaking", "misplaced"],
)
def test_pictures_of_a_camera_that_shakes_and_of_blocks_put_down_by_hand_are_read(
    tabletop: Simulator, spoiling: Spoiling
) -> None:
    """What is read is never wrong."""
    spoiled = spoil(tabletop, spoiling, 0)
    states = tabletop.random_states(100, np.random.default_rng(1))
    seen, readable = spoiled.read(spoiled.render(states))
    right = readable & (seen == states).all(1)
    assert right.mean() > 0.9
    assert not (readable & ~right).any()


def test_a_block_that_is_missing_or_there_twice_is_no_state(tabletop: Simulator) -> None:
    """Half of one picture beside half of another shows neither."""
    one, other = tabletop.render(np.array([[0, 4, 8, 12], [1, 0, 8, 12]], dtype=np.uint8))
    half = one.copy()
    half[:, :24] = other[:, :24]  # the first column of one, the others of the other
    twice, readable = tabletop.read(half[None])
    assert not readable[0] or (twice[0] != [0, 4, 8, 12]).any()
