"""Sliding tiles: the 8-puzzle, the 15-puzzle and larger ones, with digits or a picture on the tiles."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal

import attrs
import numpy as np
from attrs.validators import and_, ge, le
from numpy.typing import NDArray

from cubespace.base.arrays import Images, States
from cubespace.base.errors import InputError
from cubespace.base.options import option
from cubespace.data.domain import Simulator
from cubespace_domains import tiles
from cubespace_domains.faults import miscounted, unclear
from cubespace_domains.garden_spider import draw_spider
from cubespace_domains.mosaic import Mosaic

BLOCKS_PER_SIDE = tiles.TILE_PIXELS // 2  # of a tile
TOLERANCE_FRACTION = 0.45  # of the smallest distance between two tiles; below a half, so a blend of two is neither
MIN_TILE_DISTANCE = 1 / 3  # tiles closer than this could not be read reliably under pixel noise of sigma .05


@attrs.frozen(kw_only=True)
class TileOptions:
    """The number of tiles along a side, and what is on them."""

    size: int = option(3, "tiles along a side, at most 16", and_(ge(2), le(16)))  # states are uint8: at most 256 tiles
    image: Path | None = option(None, "the picture to cut into tiles, instead of the source")
    source: Literal["mnist", "mandrill", "spider", "cat"] = option("cat", "what is on the tiles")


class SlidingTiles(Simulator):
    """A square of tiles; tile 0, the blank, changes places with a neighbour.

    A state says which tile each cell shows, row by row; in the goal they are in order. Random states are permutations
    of either parity, as in the paper.

    Reading: the difference between a cell and a tile is averaged in blocks of 2x2 pixels. The cell shows the tile if no
    block differs by more than ``tolerance``, .45 of the distance of the two most similar tiles: then, by the triangle
    inequality, it cannot show another. A picture is readable if each cell shows a tile, each tile once.
    """

    revision = 1
    closed = True
    Options = TileOptions

    def __init__(self, options: TileOptions) -> None:
        self.size = options.size
        self.tiles = _tiles(options)  # (size * size, 14, 14)
        self.likeness = smallest_distance(self.tiles)
        if self.likeness < MIN_TILE_DISTANCE:
            name = f"picture '{options.image}'" if options.image else f"source '{options.source}'"
            raise InputError(
                f"{name} has tiles that are too similar at size {self.size}: their smallest distance is "
                f"{self.likeness:.3f}, at least {MIN_TILE_DISTANCE:.3f} is needed; choose another picture or size"
            )
        self.tolerance = TOLERANCE_FRACTION * self.likeness
        self._mosaic = Mosaic(self.tiles, self.size, self.size)

    @property
    def image_shape(self) -> tuple[int, ...]:
        """Return the height and width of a picture."""
        return self._mosaic.image_shape

    @property
    def radices(self) -> tuple[int, ...]:
        """Return the number of tiles, for each cell."""
        return (self.size**2,) * self.size**2

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        """Draw permutations of the tiles."""
        return rng.permuted(np.tile(self.goal(), (count, 1)), axis=1)

    def goal(self) -> States:
        """Return the tiles in order."""
        return np.arange(self.size**2, dtype=np.uint8)[None]

    def successors(self, states: States) -> tuple[States, NDArray[np.intp]]:
        """Let the blank change places with each of its neighbours."""
        blank = (states == 0).argmax(1)  # (batch,)
        neighbours = self._neighbours[blank]  # (batch, 4)
        parents, direction = np.nonzero(neighbours >= 0)
        target, source = neighbours[parents, direction], blank[parents]
        children = states[parents]  # (children, cells)
        rows = np.arange(len(children))
        children[rows, source] = children[rows, target]
        children[rows, target] = 0
        return children, parents

    def render(self, states: States) -> Images:
        """Draw the tiles."""
        return self._mosaic.draw(states.reshape(-1, self.size, self.size))

    def read(self, images: Images) -> tuple[States, NDArray[np.bool_]]:
        """Find the tile of each cell by the rule of the class."""
        matches = self._matches(images)
        readable = (matches.sum(2) == 1).all(1) & (matches.sum(1) == 1).all(1)  # one tile per cell, one cell per tile
        states = matches.argmax(2).astype(np.uint8)  # (batch, cells)
        states[~readable] = 0
        return states, readable

    def faults(self, images: Images) -> list[str]:
        """Name cells that show no tile, tiles that appear twice and, if all cells are clear, missing tiles."""
        return [self._fault(matches) for matches in self._matches(images)]

    def _fault(self, matches: NDArray[np.bool_]) -> str:
        clear = matches.sum(1) == 1
        if not clear.all():
            return unclear(~clear.reshape(self.size, self.size), "no tile in")
        return miscounted(matches.argmax(1).tolist(), range(self.size**2))

    def _matches(self, images: Images) -> NDArray[np.bool_]:
        """Return which cells show which tiles, of any number of pictures: ``(batch, cells, tiles)``."""
        chunk = max(1, (1 << 21) // int(np.prod(self.image_shape)))  # pictures whose differences stay in the cache
        shown = [self._shown(images[first : first + chunk]) for first in range(0, len(images), chunk)]
        return np.concatenate(shown) if shown else np.zeros((0, self.size**2, self.size**2), dtype=bool)

    def _shown(self, images: Images) -> NDArray[np.bool_]:
        """Return which cells show which tiles: ``(batch, cells, tiles)``."""
        pixels = images.astype(np.int16)
        matches = np.empty((len(images), self.size**2, self.size**2), dtype=bool)
        for number, tile in enumerate(self.tiles.astype(np.int16)):
            apart = np.abs(pixels - np.tile(tile, (self.size, self.size)))
            blocks = apart[:, ::2] + apart[:, 1::2]
            blocks = blocks[:, :, ::2] + blocks[:, :, 1::2]  # (batch, 7 size, 7 size), four pixels each
            worst = blocks.reshape(-1, self.size, BLOCKS_PER_SIDE, self.size, BLOCKS_PER_SIDE).max((2, 4))
            matches[:, :, number] = worst.reshape(-1, self.size**2) <= 4 * 255 * self.tolerance
        return matches

    @cached_property
    def _neighbours(self) -> NDArray[np.intp]:
        """Return the cells above, left, right and below each cell, -1 where there is none."""
        number = np.full((self.size + 2, self.size + 2), -1, dtype=np.intp)
        number[1:-1, 1:-1] = np.arange(self.size**2).reshape(self.size, self.size)
        around = [number[:-2, 1:-1], number[1:-1, :-2], number[1:-1, 2:], number[2:, 1:-1]]
        return np.stack(around, axis=-1).reshape(-1, 4)


def smallest_distance(pictures: NDArray[np.uint8]) -> float:
    """Return the distance of the two most similar tiles: their largest difference in a block of 2x2 pixels."""
    smallest = np.inf
    for number, tile in enumerate(pictures[:-1].astype(np.float32)):
        apart = np.abs(pictures[number + 1 :] - tile) / 255
        blocks = apart.reshape(-1, BLOCKS_PER_SIDE, 2, BLOCKS_PER_SIDE, 2).mean((2, 4))
        smallest = min(smallest, float(blocks.max((1, 2)).min()))
    return smallest


def _tiles(options: TileOptions) -> NDArray[np.uint8]:
    """Make the tile set that the options name."""
    if options.image is not None:
        return tiles.cut(options.image, options.size)
    if options.source == "mnist":
        return tiles.digits(options.size**2)
    if options.source == "spider":
        return tiles.cut_up(draw_spider(), options.size)
    return tiles.cut(tiles.mandrill() if options.source == "mandrill" else tiles.cat(), options.size)
