"""How many pictures noise makes look like another state, beside how many it does."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from cubespace.evaluation.misreading import misread_share

PICTURES, PIXELS, NOISE = 4000, 30, 0.1
REGIONS = np.repeat(np.arange(2), PIXELS).reshape(2, PIXELS)  # two places of a row each
GROUPS = (0, 0, 1, 1)


def shown(
    apart: float, noise: float = NOISE
) -> tuple[NDArray[np.bool_], NDArray[np.float32], NDArray[np.float32], float]:
    """Return the bits that are read, pictures, what is drawn, and which fraction is misread.

    The two values of the first place are so many standard deviations apart, those of the second one ten times as far.
    """
    rng = np.random.default_rng(0)
    true = rng.integers(2, size=(PICTURES, 2))
    looks = np.zeros((2, 2, PIXELS))
    looks[:, 1] = np.array([1, 10])[:, None] * apart * noise / np.sqrt(PIXELS)
    clean = np.stack([looks[place, true[:, place]] for place in range(2)], axis=1)  # (pictures, 2, pixels)
    seen = clean + rng.normal(0, noise, clean.shape)
    far = np.square(seen[:, :, None] - looks).sum(3)  # (pictures, places, values)
    read = far.argmin(2)
    bits = np.eye(2, dtype=np.bool_)[read].reshape(PICTURES, 4)
    drawn = np.stack([looks[place, read[:, place]] for place in range(2)], axis=1)
    flat = (each.reshape(PICTURES, -1).astype(np.float32) for each in (seen, drawn))
    return bits, *flat, float((read != true).any(1).mean())


@pytest.mark.parametrize("apart", [4.0, 5.0, 6.0])
def test_the_estimate_is_near_the_truth(apart: float) -> None:
    bits, seen, drawn, misread = shown(apart)
    assert misread_share(bits, seen, drawn, GROUPS, REGIONS) == pytest.approx(misread, rel=0.5, abs=0.001)


def test_values_that_are_far_apart_are_not_misread() -> None:
    bits, seen, drawn, misread = shown(20.0)
    assert misread == 0.0
    assert misread_share(bits, seen, drawn, GROUPS, REGIONS) < 1e-9


def test_pictures_without_noise_are_not_misread() -> None:
    bits, _, drawn, _ = shown(4.0)
    assert misread_share(bits, drawn, drawn, GROUPS, REGIONS) == 0.0
