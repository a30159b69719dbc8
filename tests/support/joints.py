"""An arm of three joints in bits, with lamps that blink if wanted."""

import numpy as np


def one_hot(values: np.ndarray, size: int) -> np.ndarray:
    return np.eye(size, dtype=np.bool_)[values].reshape(len(values), -1)


def joints(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return transitions in which one of three joints of four angles moves on by one, as bits."""
    before = rng.integers(4, size=(count, 3))
    after = before.copy()
    rows = np.arange(count)
    turned = rng.integers(3, size=count)
    after[rows, turned] = (after[rows, turned] + 1) % 4
    return one_hot(before, 4), one_hot(after, 4)


def with_lamps(bits: tuple[np.ndarray, np.ndarray], lamps: int, rng) -> tuple[np.ndarray, np.ndarray]:
    before, after = (np.concatenate([half, rng.random((len(half), lamps)) < 0.5], axis=1) for half in bits)
    return before, after
