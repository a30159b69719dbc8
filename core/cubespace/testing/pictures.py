"""Small worlds for the suites of learners, encoders and decoders."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from cubespace.autoencoder.encoder import Shape
from cubespace.autoencoder.inference import as_pixels
from cubespace.base.arrays import Images

PAIRS, BITS, CELL = 200, 12, 4
SHAPES: tuple[Shape, ...] = ((12, 12, 1), (12, 12, 3))


@attrs.frozen(eq=False)
class World:
    """The pictures before and after some transitions, in grey or in colour according to the shape."""

    shape: Shape
    before: Images
    after: Images

    @property
    def inputs(self) -> Tensor:
        """Return the pictures before, as input of a network."""
        return as_inputs(self.before)


def lamps(shape: Shape) -> World:
    """Return three by three lamps; each transition toggles one."""
    rng = np.random.default_rng(0)
    before = rng.integers(2, size=(PAIRS, 9), dtype=np.uint8)
    after = before.copy()
    after[np.arange(PAIRS), rng.integers(9, size=PAIRS)] ^= 1
    cell = np.ones((CELL, CELL), dtype=np.uint8)
    first, second = (np.kron(states.reshape(-1, 3, 3), cell) * np.uint8(255) for states in (before, after))
    return World(shape, _coloured(first, shape), _coloured(second, shape))


def towers(shape: Shape) -> World:
    """Return three disks on three pegs, as in the towers of Hanoi; each transition moves the top of a pile."""
    rng = np.random.default_rng(0)
    before = rng.integers(3, size=(PAIRS, 3))  # the peg of each disk, the smallest one first
    after = before.copy()
    for state in after:
        moves = [(disk, peg) for disk in range(3) for peg in range(3) if _may_move(state, disk, peg)]
        disk, peg = moves[rng.integers(len(moves))]
        state[disk] = peg
    return World(shape, _coloured(_piled(before), shape), _coloured(_piled(after), shape))


def as_inputs(pictures: Images) -> Tensor:
    """Return pictures as input of a network: rows of pixels in [0, 1]."""
    return as_pixels(pictures).float() / 255.0


def noise(shape: Shape) -> Tensor:
    """Return pictures of random noise, (pictures, pixels)."""
    return as_inputs(np.random.default_rng(1).integers(256, size=(PAIRS, *shape), dtype=np.uint8))


def _may_move(state: NDArray[np.int64], disk: int, peg: int) -> bool:
    """Return whether no smaller disk lies on the disk or on the peg it would move to."""
    return bool(peg != state[disk] and not np.isin(state[:disk], (state[disk], peg)).any())


def _piled(states: NDArray[np.int64]) -> Images:
    """Return pictures of towers: disks are two, three or four pixels wide, three high, and lie on the ground."""
    pictures = np.zeros((len(states), 12, 12), dtype=np.uint8)
    for picture, state in zip(pictures, states, strict=True):
        for peg in range(3):
            for level, disk in enumerate(np.flatnonzero(state == peg)[::-1]):  # the largest one lies lowest
                picture[9 - 3 * level : 12 - 3 * level, 4 * peg : 4 * peg + 2 + disk] = 255
    return pictures


def _coloured(pictures: Images, shape: Shape) -> Images:
    return pictures if shape[2] == 1 else np.stack((pictures, pictures // 2, pictures // 3), axis=-1)
