"""Pictures of blocks in columns: flat squares, or solid blocks of which one hides parts of another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images
from cubespace.base.errors import UsageError

BLOCK_PIXELS = 10  # along a side of a cell; a flat block leaves a gap of one pixel
DEPTH_PIXELS = 4  # by which the top and the side of a solid block are drawn to the right and upwards
GROUND_PIXELS = 2
HAND_PIXELS = 2
TOLERANCE_FRACTION = 0.45  # of the smallest distance between two colours; below a half, so a blend of two is neither
MIDDLE_ROWS, MIDDLE_COLUMNS = slice(2, 6), slice(4, 8)  # of a cell: what no top and no side of another block reaches

POINTS = 3  # in each direction, by which it is seen how much of a pixel a turned block covers
FLAT_ROWS, FLAT_COLUMNS = slice(3, 7), slice(2, 6)  # of a cell: its middle, which a flat block off its place covers too

BACKGROUND, GROUND, HAND = (24, 24, 32), (96, 80, 64), (128, 128, 128)
COLOURS = {
    "red": (200, 25, 40),
    "yellow": (240, 215, 40),
    "blue": (45, 85, 215),
    "green": (50, 165, 70),
    "white": (240, 240, 240),
    "magenta": (200, 60, 200),
    "cyan": (60, 205, 220),
    "orange": (245, 122, 20),
}
NAMES = tuple(COLOURS)
TOP_LIGHT, SIDE_LIGHT = 0.8, 0.6  # of the front

Face = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.uint8]]  # rows, columns, the colour of each block there


class BlockPictures:
    """Draws blocks in cells and finds them again; cells are numbered column by column, from the ground upwards."""

    def __init__(self, blocks: int, columns: int, *, gripper: bool, solid: bool) -> None:
        self.blocks, self.columns = blocks, columns
        self._gripper, self._solid = gripper, solid
        self._palette = np.array([BACKGROUND, *COLOURS.values()], dtype=np.uint8)[: blocks + 1]
        pairs = combinations(self._palette.astype(float), 2)
        self.tolerance = TOLERANCE_FRACTION * min(float(np.abs(one - other).max()) for one, other in pairs)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture, in three colours."""
        width = self.columns * BLOCK_PIXELS + self._depth
        return self._head + self.blocks * BLOCK_PIXELS + GROUND_PIXELS, width, 3

    @property
    def _depth(self) -> int:
        return DEPTH_PIXELS if self._solid else 0

    @property
    def _head(self) -> int:
        """Return the height of what is above the columns."""
        return self._depth + (HAND_PIXELS + BLOCK_PIXELS + self._depth if self._gripper else 0)

    def _corner(self, cell: int) -> tuple[int, int]:
        """Return the upper left corner of a cell; the last cell is the gripper, in the middle."""
        column, height = divmod(cell, self.blocks)
        if column == self.columns:
            return HAND_PIXELS + self._depth, (self.columns - 1) // 2 * BLOCK_PIXELS
        return self._head + (self.blocks - 1 - height) * BLOCK_PIXELS, column * BLOCK_PIXELS

    def _places(self) -> list[int]:
        """Return the cells in the order of drawing: what is further right or higher hides what it touches."""
        count = self.blocks * self.columns
        return [*range(count), count] if self._gripper else list(range(count))

    def draw(self, cells: NDArray[np.uint8]) -> Images:
        """Draw the blocks, counted from 1, that are in the cells: (batch, cells), the gripper last."""
        pictures = np.empty((len(cells), *self.image_shape), dtype=np.uint8)
        pictures[:] = BACKGROUND
        pictures[:, -GROUND_PIXELS:] = GROUND
        if self._gripper:
            left = self._corner(self.blocks * self.columns)[1]
            pictures[:, :HAND_PIXELS, left : left + BLOCK_PIXELS] = HAND
        for cell in self._places():
            rows = np.flatnonzero(cells[:, cell])
            down, right = self._corner(cell)
            for face_rows, face_columns, colours in self._faces():
                drawn = colours[cells[rows, cell]][:, None]  # (rows, 1, 3)
                pictures[rows[:, None], face_rows + down, face_columns + right] = drawn
        return pictures

    def _faces(self) -> list[Face]:
        """Return the pixels of the faces of a block, relative to its upper left corner, and their colours."""
        if not self._solid:
            return [_grid(slice(1, BLOCK_PIXELS), slice(0, BLOCK_PIXELS - 1), self._palette)]
        top, side = ((self._palette * light).astype(np.uint8) for light in (TOP_LIGHT, SIDE_LIGHT))
        faces = []
        for step in range(DEPTH_PIXELS, 0, -1):  # from the back to the front
            faces.append(_grid(slice(-step, -step + 1), slice(step, step + BLOCK_PIXELS), top))
            side_columns = slice(BLOCK_PIXELS + step - 1, BLOCK_PIXELS + step)
            faces.append(_grid(slice(1 - step, BLOCK_PIXELS - step), side_columns, side))
        return [*faces, _grid(slice(0, BLOCK_PIXELS), slice(0, BLOCK_PIXELS), self._palette)]

    def draw_placed(self, cells: NDArray[np.uint8], places: NDArray[np.float32]) -> Images:
        """Draw flat blocks off their places by (batch, blocks, 3): right, down, in pixels, and turned, in degrees."""
        if self._solid:
            raise UsageError("solid blocks are drawn exactly in their cells: use flat ones to put them down inexactly")
        pictures = self.draw(np.zeros_like(cells)).astype(np.float32)
        for cell in self._places():
            rows = np.flatnonzero(cells[:, cell])
            block, (down, right) = cells[rows, cell].astype(np.intp), self._corner(cell)
            middle = np.array([right + (BLOCK_PIXELS - 1) / 2, down + (BLOCK_PIXELS + 1) / 2], dtype=np.float32)
            share = self._share(middle + places[rows, block - 1, :2], places[rows, block - 1, 2])[..., None]
            pictures[rows] = pictures[rows] * (1 - share) + share * self._palette[block][:, None, None]
        return np.rint(pictures).astype(np.uint8)

    def _share(self, middle: NDArray[np.float32], angle: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return which share of each pixel turned squares cover, by points within it: (squares, height, width)."""
        height, width = self.image_shape[:2]
        points = (np.arange(POINTS) + 0.5) / POINTS
        x = (np.arange(width)[:, None] + points).ravel().astype(np.float32) - middle[:, :1]  # (squares, columns)
        y = (np.arange(height)[:, None] + points).ravel().astype(np.float32) - middle[:, 1:]
        cosine, sine = (each(np.radians(angle))[:, None, None] for each in (np.cos, np.sin))
        along = np.abs(cosine * x[:, None] + sine * y[:, :, None])  # (squares, rows, columns)
        across = np.abs(cosine * y[:, :, None] - sine * x[:, None])
        inside = np.maximum(along, across) <= (BLOCK_PIXELS - 1) / 2
        covered: NDArray[np.float32] = inside.reshape(len(middle), height, POINTS, width, POINTS).mean(
            (2, 4), dtype=np.float32
        )
        return covered

    def look(self, images: Images) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the block that each cell shows, or 0, and whether the cell looks like it: (batch, cells) each."""
        cells = self._nearest(images, MIDDLE_ROWS, MIDDLE_COLUMNS)[0]
        return cells, self._clear(images, cells)

    def look_placed(self, images: Images) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Return the same of flat blocks that lie off their places: the middle of each cell decides."""
        cells, apart = self._nearest(images, FLAT_ROWS, FLAT_COLUMNS)
        return cells, apart <= self.tolerance

    def _nearest(self, images: Images, rows: slice, columns: slice) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """Return the block whose colour a part of each cell has, or 0, and how far it is: (batch, cells) each."""
        cells = np.zeros((len(images), self.blocks * self.columns + 1), dtype=np.uint8)
        nearest = np.zeros(cells.shape)
        for cell in self._places():
            down, right = self._corner(cell)
            middle = images[:, down:, right:][:, rows, columns].mean((1, 2))  # (batch, 3)
            apart = np.abs(middle[:, None] - self._palette)  # (batch, colours, 3)
            cells[:, cell] = apart.sum(2).argmin(1)
            nearest[:, cell] = np.take_along_axis(apart.max(2), cells[:, [cell]].astype(np.intp), axis=1)[:, 0]
        return cells, nearest

    def _clear(self, images: Images, cells: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which cells look as they are drawn; a fault outside of all cells counts for the last one."""
        apart = np.abs(images.astype(np.int16) - self.draw(cells))
        squares = apart[:, ::2] + apart[:, 1::2]
        squares = squares[:, :, ::2] + squares[:, :, 1::2]
        wrong = squares.max(3) > 4 * self.tolerance  # (batch, height / 2, width / 2)
        clear = np.ones(cells.shape, dtype=np.bool_)
        outside = wrong.copy()
        for cell in self._places():
            down, right = (corner // 2 for corner in self._corner(cell))
            part = (slice(None), slice(down, down + BLOCK_PIXELS // 2), slice(right, right + BLOCK_PIXELS // 2))
            clear[:, cell] = ~wrong[part].any((1, 2))
            outside[part] = False
        clear[:, -1] &= ~outside.any((1, 2))
        return clear


def _grid(rows: slice, columns: slice, colours: NDArray[np.uint8]) -> Face:
    """Return the pixels of a rectangle, row by row."""
    across = np.mgrid[rows, columns].reshape(2, -1)
    return across[0], across[1], colours
