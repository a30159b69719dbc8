"""Blocks on a table: the top block of a column moves onto another column, at once or by way of a gripper."""

from __future__ import annotations

from math import comb

import attrs
import numpy as np
from attrs.validators import and_, ge, le
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices, States
from cubespace.base.options import option
from cubespace.data.domain import Placing, Simulator
from cubespace_domains.block_pictures import NAMES, BlockPictures
from cubespace_domains.faults import joined, miscounted, unclear


@attrs.frozen(kw_only=True)
class BlocksOptions:
    """The numbers of blocks and columns, how blocks are moved, and how they are drawn."""

    blocks: int = option(4, "number of blocks, each of a colour of its own", and_(ge(1), le(len(NAMES))))
    columns: int = option(3, "number of columns in which blocks may stand", and_(ge(2), le(8)))
    gripper: bool = option(False, "a gripper picks a block up and puts it down: two moves instead of one")
    solid: bool = option(False, "blocks have depth: those above and beside it hide the top and the side of a block")


class Blocks(Simulator, Placing):
    """A state says in which cell each block is: column times the number of blocks, plus the height; or in the gripper.

    The gripper counts as one more cell, the last. In the goal all blocks stand in the last column, the
    first one on top.

    Reading: the colour in the middle of each cell says which block it shows, or none. A picture is readable if each
    block appears once, none floats, and the picture looks like that state: nowhere is a square of 2x2 pixels, on
    average, further from it than .45 of the distance of the two most similar colours. So it cannot look like another.
    """

    revision = 1
    closed = True
    Options = BlocksOptions

    def __init__(self, options: BlocksOptions) -> None:
        self.blocks, self.columns, self.gripper = options.blocks, options.columns, options.gripper
        self._pictures = BlockPictures(self.blocks, self.columns, gripper=self.gripper, solid=options.solid)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture, in three colours."""
        return self._pictures.image_shape

    @property
    def radices(self) -> tuple[int, ...]:
        """Return the number of cells, for each block."""
        return (self._held + self.gripper,) * self.blocks

    @property
    def _held(self) -> int:
        """Return the number of cells of the columns, which is the number of the cell in the gripper."""
        return self.blocks * self.columns

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw an order of the blocks and divide it among the columns; every state is equally likely.

        Of n blocks in m columns, (n + m - 1 over m - 1) divisions exist, for each of n! orders.
        """
        bars = self.columns - 1
        idle, busy = comb(self.blocks + bars, bars), comb(self.blocks - 1 + bars, bars)
        holding = rng.random(count) * (idle + busy) >= idle if self.gripper else np.zeros(count, dtype=np.bool_)
        states = np.full((count, self.blocks), self._held, dtype=np.uint8)
        for held in (0, 1):
            rows = np.flatnonzero(holding == held)
            placed = self.blocks - held
            order = rng.permuted(np.tile(np.arange(self.blocks), (len(rows), 1)), axis=1)[:, :placed]
            states[rows[:, None], order] = _divide(placed, self.blocks, bars, len(rows), rng)
        return states

    def goal(self) -> States:
        """Return all blocks in the last column, the first one on top."""
        return np.arange(self._held - 1, self._held - 1 - self.blocks, -1, dtype=np.uint8)[None]

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Move the top block of each column onto each other one, or pick one up, or put down the one that is held."""
        height, top = self._columns(states)
        full = height > 0  # (batch, columns)
        if not self.gripper:
            elsewhere = ~np.eye(self.columns, dtype=np.bool_)
            parents, source, target = np.nonzero(full[:, :, None] & elsewhere)
            return self._put(states, parents, top[parents, source], self._free(height, parents, target)), parents
        holding = states == self._held  # (batch, blocks)
        busy = holding.any(1)
        parents, column = np.nonzero(busy[:, None] | full)
        block = np.where(busy[parents], holding.argmax(1)[parents], top[parents, column])
        cell = np.where(busy[parents], self._free(height, parents, column), self._held)
        return self._put(states, parents, block, cell), parents

    def _columns(self, states: States) -> tuple[Indices, Indices]:
        """Return how many blocks each column has and which one is on top: (batch, columns) each."""
        cells = self._cells(states)
        height = (cells[:, : self._held].reshape(-1, self.columns, self.blocks) > 0).sum(2)
        numbers = np.arange(self.columns) * self.blocks + height - 1
        top = np.take_along_axis(cells, np.maximum(numbers, 0), axis=1).astype(np.intp) - 1
        return height, top

    def _free(self, height: Indices, rows: Indices, column: Indices) -> Indices:
        return np.asarray(column * self.blocks + height[rows, column], dtype=np.intp)

    def _put(self, states: States, rows: Indices, block: Indices, cell: Indices) -> States:
        children = states[rows]
        children[np.arange(len(rows)), block] = cell
        return children

    def _cells(self, states: States) -> NDArray[np.uint8]:
        """Return the block in each cell, counted from 1, or 0: (batch, cells), the gripper last."""
        cells = np.zeros((len(states), self._held + 1), dtype=np.uint8)
        cells[np.arange(len(states))[:, None], states] = np.arange(1, self.blocks + 1, dtype=np.uint8)
        return cells

    def render(self, states: States) -> Images:
        """Draw the blocks."""
        return self._pictures.draw(self._cells(states))

    def render_placed(self, states: States, places: NDArray[np.float32]) -> Images:
        """Draw flat blocks off their places."""
        return self._pictures.draw_placed(self._cells(states), places)

    def read_placed(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the cell of each block; the middle of each cell must look like what is read, the rest may differ."""
        return self._read(*self._pictures.look_placed(images))

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the cell of each block by the rule of the class."""
        return self._read(*self._pictures.look(images))

    def _read(self, cells: NDArray[np.uint8], clear: NDArray[np.bool_]) -> tuple[States, NDArray[np.bool_]]:
        readable = clear.all(1) & self._possible(cells)
        numbers = np.arange(1, self.blocks + 1)
        states = (cells[:, None] == numbers[:, None]).argmax(2).astype(np.uint8)  # (batch, blocks)
        states[~readable] = 0
        return states, readable

    def _possible(self, cells: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return whether each block appears once and none floats."""
        once = (np.sort(cells, axis=1)[:, -self.blocks :] == np.arange(1, self.blocks + 1)).all(1)
        once &= (cells > 0).sum(1) == self.blocks
        return np.asarray(once & ~self._floating(cells).any((1, 2)))

    def _floating(self, cells: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Return which cells of the columns hold a block above an empty cell: (batch, columns, heights)."""
        there = cells[:, : self._held].reshape(-1, self.columns, self.blocks) > 0
        floating = np.zeros_like(there)
        floating[:, :, 1:] = there[:, :, 1:] & ~there[:, :, :-1]
        return floating

    def faults(self, images: Images) -> list[str]:
        """Name unclear cells, else blocks that appear twice, are missing or float."""
        cells, clear = self._pictures.look(images)
        return [self._fault(cells[row], clear[row]) for row in range(len(images))]

    def _fault(self, cells: NDArray[np.uint8], clear: NDArray[np.bool_]) -> str:
        if not clear.all():
            grid = clear[: self._held].reshape(self.columns, self.blocks).T[::-1]  # as it is seen, the top row first
            beside = "" if clear[self._held] else "something unknown beside the columns"
            return joined([unclear(~grid, "neither a block nor nothing in"), beside])
        columns = cells[: self._held].reshape(self.columns, self.blocks)
        floating = [NAMES[block - 1] for block in columns[self._floating(cells[None])[0]].tolist()]
        counted = miscounted([NAMES[block - 1] for block in cells[cells > 0].tolist()], NAMES[: self.blocks])
        return joined([counted, *(f"{name} floats" for name in floating)])


def _divide(placed: int, heights: int, bars: int, count: int, rng: np.random.Generator) -> Indices:
    """Return the cells of blocks that are put down in order, (count, placed), in columns that bars separate at random.

    Worked example, three blocks and one bar: of the four positions 0, 1, 2, 3 the bar takes 2, so the first two blocks
    are in column 0, at heights 0 and 1, the third in column 1 at height 0.
    """
    positions = np.sort(rng.permuted(np.tile(np.arange(placed + bars), (count, 1)), axis=1)[:, :bars], axis=1)
    ends = positions - np.arange(bars)  # (count, bars), how many blocks are before each bar
    number = np.arange(placed)
    column = (number[None, :, None] >= ends[:, None, :]).sum(2)  # (count, placed)
    starts = np.concatenate([np.zeros((count, 1), dtype=np.intp), ends], axis=1)
    height = number - np.take_along_axis(starts, column, axis=1)
    return np.asarray(column * heights + height, dtype=np.intp)
