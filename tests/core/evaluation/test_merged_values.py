"""A value behind which pictures show two things is found; noise, a moving cursor and blurred edges are not."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from cubespace.evaluation.merged_values import merged_values

SIDE, PLACES, LOOKS = 6, 3, 4
REGIONS = np.repeat(np.arange(PLACES), SIDE)[None].repeat(SIDE, 0)  # places side by side


def pairs(count: int = 600, *, noise: float = 0.05, blur: float = 0.0, cursor: bool = False):
    """Return what three places show before and after one of them changes, and the pictures, from 0 to 1."""
    rng = np.random.default_rng(4)
    patterns = rng.uniform(0, 1, (LOOKS, SIDE, SIDE))
    before = rng.integers(LOOKS, size=(count, PLACES))
    after, rows = before.copy(), np.arange(count)
    changed = rng.integers(PLACES, size=count)
    after[rows, changed] = (after[rows, changed] + rng.integers(1, LOOKS, size=count)) % LOOKS

    def drawn(shown: np.ndarray) -> np.ndarray:
        pictures = patterns[shown].transpose(0, 2, 1, 3).reshape(count, SIDE, PLACES * SIDE)
        pictures = gaussian_filter(pictures, (0, blur, blur)) + rng.normal(0, noise, pictures.shape)
        if cursor:
            place = rng.integers(PLACES * SIDE - 1, size=count)
            pictures[rows, 2, place] = pictures[rows, 2, place + 1] = 1.0
        return pictures.reshape(count, -1).astype(np.float32)

    return (before, after), (drawn(before), drawn(after))


def found(shown, seen, looks: int, regions: np.ndarray = REGIONS):
    """Return the merged values of a code that tells only so many looks apart."""
    bits = [np.eye(looks, dtype=np.bool_)[np.minimum(part, looks - 1)].reshape(len(part), -1) for part in shown]
    return merged_values((bits[0], bits[1]), seen, np.repeat(np.arange(PLACES), looks).tolist(), regions)


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.3])
def test_two_looks_of_one_value_are_found_at_each_place(noise) -> None:
    shown, seen = pairs(noise=noise)
    merged = found(shown, seen, LOOKS - 1)
    last = {place * (LOOKS - 1) + LOOKS - 2 for place in range(PLACES)}
    assert last <= {value.bit for value in merged}
    assert {value.box for value in merged if value.bit in last} == {(0, 5, 0, 5), (0, 5, 6, 11), (0, 5, 12, 17)}
    strongest = max(merged, key=lambda value: value.contrast)
    assert strongest.bit in last


@pytest.mark.parametrize("how", [{}, {"noise": 0.3}, {"blur": 1.0}, {"cursor": True}, {"noise": 0.0}])
def test_a_code_that_tells_all_apart_is_not_accused(how) -> None:
    shown, seen = pairs(**how)
    assert found(shown, seen, LOOKS) == []


def test_what_no_variable_covers_is_found_too() -> None:
    shown, seen = pairs()
    regions = np.where(REGIONS == 1, -1, REGIONS)
    merged = found(shown, seen, LOOKS, regions)
    assert [(value.bit, value.box) for value in merged] == [(None, (0, 5, 6, 11))]
