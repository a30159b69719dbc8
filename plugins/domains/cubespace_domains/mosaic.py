"""Fast drawing of grids: strips of cells are drawn in advance, in every combination, and then only copied."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images

MAX_TABLE_BYTES = 1 << 26  # the 15-puzzle's strips take 51 MB
MAX_STRIPS = 1 << 22  # so that float32 counts them exactly


class Mosaic:
    """Draws rectangular grids of which each cell shows one of the ``sprites``."""

    def __init__(self, sprites: NDArray[np.uint8], rows: int, columns: int) -> None:
        self.sprites = sprites  # (values, height, width)
        self.rows = rows
        self.columns = columns

    @property
    def image_shape(self) -> tuple[int, int]:
        """Return the height and width of the whole picture."""
        _, height, width = self.sprites.shape
        return self.rows * height, self.columns * width

    def draw(self, cells: NDArray[np.uint8]) -> Images:
        """Draw a batch of grids, given which sprite each cell shows: ``(batch, rows, columns)``."""
        _, height, width = self.sprites.shape
        flat = cells.reshape(-1, self.columns)  # (batch * rows, columns)
        pictures = np.empty((len(flat), height, self.columns * width), dtype=np.uint8)
        for first in range(0, self.columns, self._length):
            part = flat[:, first : first + self._length]
            strips = self._strips if part.shape[1] == self._length else self._draw_strips(part.shape[1])
            weights = len(self.sprites) ** np.arange(part.shape[1] - 1, -1, -1, dtype=np.float32)
            index = (part.astype(np.float32) @ weights).astype(np.intp)  # (batch * rows,), exact: see MAX_STRIPS
            if self._length == self.columns:
                np.take(strips, index, axis=0, out=pictures, mode="clip")  # the only mode that copies straight to out
            else:
                pictures[:, :, first * width : (first + part.shape[1]) * width] = strips[index]
        return pictures.reshape(-1, *self.image_shape)

    @cached_property
    def _length(self) -> int:
        """Return how many neighbouring cells make a strip: as many as the table has room for."""
        values, height, width = self.sprites.shape
        length = 1
        while length < self.columns:
            strips = values ** (length + 1)
            if strips > MAX_STRIPS or strips * height * width * (length + 1) > MAX_TABLE_BYTES:
                break
            length += 1
        return length

    @cached_property
    def _strips(self) -> NDArray[np.uint8]:
        return self._draw_strips(self._length)

    def _draw_strips(self, length: int) -> NDArray[np.uint8]:
        """Draw every combination of ``length`` cells in a row, the last cell changing fastest."""
        values, height, width = self.sprites.shape
        strips = np.empty((*(values,) * length, height, length, width), dtype=np.uint8)
        for cell in range(length):
            shape = [1] * length + [height, width]
            shape[cell] = values
            strips[..., cell, :] = self.sprites.reshape(shape)
        return strips.reshape(values**length, height, length * width)
