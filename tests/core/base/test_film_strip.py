"""What is marked on a film strip."""

import numpy as np
import pytest

from cubespace.base.film_strip import INK, NEW, UNSEEN, WRONG, _mark, film_strip

FRAMES = np.zeros((3, 4, 4), dtype=np.uint8)


@pytest.mark.parametrize(
    ("wrong", "unseen", "accepted", "mark"),
    [
        (None, (), (), ("2", INK)),
        (None, (2,), (), ("2 unseen", UNSEEN)),
        (None, (2,), (1, 2), ("2 new, valid", NEW)),
        (2, (2,), (1,), ("2 unseen", WRONG)),
        (2, (), (1,), ("2", WRONG)),
    ],
)
def test_steps_are_marked_by_what_is_known_of_them(wrong, unseen, accepted, mark) -> None:
    assert _mark(2, wrong, unseen, accepted) == mark


def test_new_steps_that_are_valid_are_not_orange() -> None:
    def colours(accepted) -> set[tuple[int, ...]]:
        strip = film_strip(FRAMES[:1], FRAMES[:1], FRAMES, None, (1, 2), accepted)
        return {colour for _, colour in strip.getcolors(1 << 20)}

    assert UNSEEN in colours(())
    assert UNSEEN not in colours((1, 2))
    assert NEW in colours((1, 2))
