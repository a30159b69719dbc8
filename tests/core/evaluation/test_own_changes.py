"""A lamp that blinks is found, and where it is; what an action changes is not taken for one."""

import numpy as np
import pytest
from joints import joints, with_lamps

from cubespace.evaluation.own_changes import OwnChange, locate, own_changes


@pytest.mark.parametrize("lamps", [1, 2])
def test_bits_of_a_blinking_lamp_change_on_their_own(lamps) -> None:
    rng = np.random.default_rng(lamps)
    found = own_changes(*with_lamps(joints(2000, rng), lamps, rng))
    assert [change.bits for change in found] == [(12 + lamp,) for lamp in range(lamps)]
    assert all(0.45 < (change.fraction or 0) < 0.55 for change in found)


@pytest.mark.parametrize("count", [50, 200, 3000])
def test_what_actions_change_does_not_change_on_its_own(count) -> None:
    for seed in range(8):
        assert own_changes(*joints(count, np.random.default_rng(seed))) == []


def test_nothing_is_found_where_nothing_or_one_bit_changes() -> None:
    still = np.zeros((30, 4), dtype=np.bool_)
    assert own_changes(still, still) == []
    moved = still.copy()
    moved[:, 1] = True
    assert own_changes(still, moved) == []


def test_the_place_of_a_lamp_is_where_pictures_differ() -> None:
    rng = np.random.default_rng(0)
    bits = rng.random((200, 3)) < 0.5
    for shape in ((9, 12), (9, 12, 3)):
        pictures = rng.integers(20, size=(200, *shape), dtype=np.uint8)
        pictures[bits[:, 2], 2:5, 7:9] = 250
        found = locate(OwnChange(bits=(2,), fraction=0.5), bits, pictures)
        assert found.box == (2, 4, 7, 8)
        assert found.where == "rows 2–4, columns 7–8"
    assert locate(OwnChange(bits=(2,), fraction=0.5), bits & False, pictures).where == "bits z2"
