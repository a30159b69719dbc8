"""Cells: a code in which a bit says which of its two looks a cell of a grid has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np
from attrs.validators import ge, gt
from numpy.typing import NDArray

from cubespace.base.options import option
from cubespace.learning.bit_learner import BitLearner, Unsuitable
from cubespace.learning.code import BACKGROUND, Code, SavedCode

if TYPE_CHECKING:
    from cubespace.base.arrays import Bits, Images
    from cubespace.data.domain import Pairs
    from cubespace.learning.bit_learner import Parts, Work
    from cubespace.learning.code import Pictures, Regions

Numbers = NDArray[np.float32]


@attrs.frozen(kw_only=True)
class CellsOptions:
    """When a grid fits."""

    error: float = option(0.01, "mean squared error with which pictures may be redrawn", gt(0.0))
    most: int = option(64, "cells of the largest grid that is tried", ge(2))


class CellsCode(Code):
    """``cell`` gives each pixel the number of its cell, or BACKGROUND; ``looks`` has both looks of all cells."""

    def __init__(self, cell: NDArray[np.int64], looks: Numbers) -> None:
        self.cell = cell  # (height, width)
        self.looks = looks  # (2, height, width) or (2, height, width, 3): all bits false, all bits true
        self.image_shape = looks.shape[1:]
        self.bits = int(cell.max()) + 1

    def encode_pictures(self, images: Images) -> Bits:
        """Return for each cell whether it is nearer to its second look."""
        shown = images.astype(np.float32) / 255
        nearer = np.square(shown - self.looks[0]) - np.square(shown - self.looks[1])  # how much nearer to the second
        grey = nearer if nearer.ndim == 3 else nearer.sum(3)  # (batch, height, width)
        member = self.cell.ravel()[:, None] == np.arange(self.bits)  # (pixels, bits)
        bits: Bits = grey.reshape(len(images), self.cell.size) @ member.astype(np.float32) > 0
        return bits

    def decode(self, bits: Bits) -> Pictures:
        """Return pictures in which every cell has the look of its bit."""
        padded = np.concatenate([bits, np.zeros((len(bits), 1), dtype=np.bool_)], axis=1)  # the last is the background
        second = padded[:, self.cell]  # (batch, height, width)
        pictures: Pictures = np.where(
            second.reshape(*second.shape, *(1,) * (self.looks.ndim - 3)), self.looks[1], self.looks[0]
        )
        return pictures

    def regions(self) -> Regions:
        """Return the cell of each pixel."""
        return self.cell.astype(np.intp)

    def saved(self) -> SavedCode:
        """Return the grid and the looks."""
        arrays = {"cell": self.cell, "looks": self.looks}
        return SavedCode(image_shape=self.image_shape, bits=self.bits, details={}, arrays=arrays)


class CellsLearner(BitLearner):
    """The coarsest grid is taken that redraws the training pictures; cells that never change are background."""

    Options = CellsOptions
    options: CellsOptions
    quick = True
    precondition = "counterexamples"
    method = "a grid whose cells each look one of two ways; nothing is trained by gradient"

    def learn(self, training: Pairs, held_out: Pairs, work: Work) -> Code:
        """Try grids, those with the fewest cells first."""
        del held_out, work
        images = np.concatenate([training.before, training.after])
        height, width = images.shape[1:3]
        grids = [(rows, columns) for rows in _divisors(height) for columns in _divisors(width)]
        tried = [grid for grid in grids if 1 < grid[0] * grid[1] <= self.options.most]
        for rows, columns in sorted(tried, key=lambda grid: (grid[0] * grid[1], grid)):
            code = _cut(images, rows, columns)
            if code is not None and self._error(code, images) <= self.options.error:
                return code
        raise Unsuitable("these pictures show no grid whose cells each look one of two ways")

    def read(self, saved: SavedCode, parts: Parts) -> Code:
        """Build the code again."""
        del parts
        return CellsCode(saved.arrays["cell"], saved.arrays["looks"])

    @staticmethod
    def _error(code: CellsCode, images: Images) -> float:
        return float(np.square(code.decode(code.encode(images)) - images / np.float32(255)).mean())


def _divisors(size: int) -> list[int]:
    """Return in how many parts a side can be cut: up to four pixels each."""
    return [parts for parts in range(1, size // 4 + 1) if size % parts == 0] or [1]


def _cut(images: Images, rows: int, columns: int) -> CellsCode | None:
    """Return the code of one grid: each cell is told apart along the direction in which it varies most."""
    pictures = images.astype(np.float32) / 255
    height, width = pictures.shape[1:3]
    down, across = np.arange(height) * rows // height, np.arange(width) * columns // width
    grid = down[:, None] * columns + across
    cell, looks = np.full(grid.shape, BACKGROUND, dtype=np.int64), np.stack([pictures.mean(0)] * 2)
    found = 0
    for number in range(rows * columns):
        pixels = grid == number
        shown = pictures[:, pixels].reshape(len(pictures), -1)  # (pictures, pixels of the cell)
        second = _second_look(shown)
        if second.any():
            cell[pixels] = found
            looks[0][pixels] = pictures[~second][:, pixels].mean(0)
            looks[1][pixels] = pictures[second][:, pixels].mean(0)
            found += 1
    return CellsCode(cell, looks) if found else None


def _second_look(shown: Numbers) -> NDArray[np.bool_]:
    """Return in which pictures a cell has its second look; in none if it always looks the same."""
    spread = shown - shown.mean(0)
    pattern = spread[np.square(spread).sum(1).argmax()]  # what differs most from the mean
    along = spread @ pattern
    middle = (along.min() + along.max()) / 2
    return along > middle if along.max() - along.min() > 1e-6 else np.zeros(len(shown), dtype=np.bool_)
