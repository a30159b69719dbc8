"""A small world whose true values are known: tiles in a row, of which an action swaps two neighbours."""

from __future__ import annotations

import attrs
import numpy as np

from cubespace.base.arrays import Images, Indices

CELL = 5  # pixels


@attrs.frozen(eq=False)
class TileRows:
    """Pairs of pictures, and the tile in each cell of the pictures before and after."""

    before: Images
    after: Images
    states_before: Indices
    states_after: Indices

    def __len__(self) -> int:
        return len(self.before)


def looks_of(values: int, seed: int = 7, colours: int = 1) -> Images:
    """What each tile looks like, (values, height, width, colours)."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (values, CELL, CELL, colours)).astype(np.uint8) * 200 + 30


def tile_rows(count: int, seed: int = 100, *, colours: int = 1, looks: Images | None = None) -> TileRows:
    """Four cells with four tiles, on a grey ground with a margin."""
    rng = np.random.default_rng(seed)
    before = np.stack([rng.permutation(4) for _ in range(count)])
    after, rows, first = before.copy(), np.arange(count), rng.integers(3, size=count)
    after[rows, first], after[rows, first + 1] = before[rows, first + 1], before[rows, first]
    looks = looks_of(4, colours=colours) if looks is None else looks
    return TileRows(draw(before, looks), draw(after, looks), before, after)


def draw(states: Indices, looks: Images) -> Images:
    count, cells = states.shape
    pictures = np.full((count, CELL + 2, cells * CELL + 2, looks.shape[3]), 90, dtype=np.uint8)
    for cell in range(cells):
        pictures[:, 1:-1, 1 + cell * CELL : 1 + (cell + 1) * CELL] = looks[states[:, cell]]
    return pictures if looks.shape[3] == 3 else pictures[..., 0]


def noisy(pictures: Images, sigma: float, seed: int) -> Images:
    """Pictures with pixel noise, as a fraction of the range."""
    rng = np.random.default_rng(seed)
    return np.clip(np.rint(pictures + rng.normal(0, 255 * sigma, pictures.shape)), 0, 255).astype(np.uint8)


def dimmed(pictures: Images, seed: int) -> Images:
    """Pictures each in a light of its own."""
    light = np.random.default_rng(seed).uniform(0.7, 1, (len(pictures), *[1] * (pictures.ndim - 1)))
    return np.rint(pictures * light).astype(np.uint8)


def smooth_blobs(count: int, seed: int) -> tuple[Images, Images]:
    """Pairs of pictures of noise, smooth in space: everything varies with its neighbours, nothing is seen twice."""
    noise = np.random.default_rng(seed).normal(0, 8, (2 * count, 12, 12))
    pictures = np.rint(noise.cumsum(1).cumsum(2) + 128).clip(0, 255).astype(np.uint8)
    return pictures[:count], pictures[count:]
