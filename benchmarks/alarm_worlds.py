"""Small worlds with a judge of their own, for benchmarks/alarms.py: learning sees their pairs of pictures only."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom

from cubespace.base.arrays import Images, Indices

BLOCK_COLOURS = ((220, 40, 40), (40, 180, 60), (50, 90, 220), (230, 200, 40))
NOISE = 4.0  # grey levels, the standard deviation of the camera's noise
GROUND = (225, 225, 220)
APART = 0.2  # of black to white
READABLE = 0.35  # of the way from one thing to another


class GraphWorld:
    """A world that is small enough to list: all states as pictures, and all moves between them."""

    def __init__(self, frames: Images, moves: Indices, cell: tuple[int, int]) -> None:
        self.frames = frames  # (states, height, width, …), without noise
        self.moves = moves  # (moves, 2)
        self.cell = cell  # height and width of the parts that are read one by one
        self.targets = [moves[moves[:, 0] == state, 1] for state in range(len(frames))]
        self.legal = {(one, other) for one, other in moves.tolist()}

    @property
    def count(self) -> int:
        """Return how many states there are."""
        return len(self.frames)

    def sample(self, count: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return random moves, each state equally often: the states before and after."""
        before = rng.integers(self.count, size=count)
        return before, self.step(before, rng)

    def step(self, states: Indices, rng: np.random.Generator) -> Indices:
        """Return a random successor of each state."""
        return np.array([rng.choice(self.targets[state]) for state in states.tolist()], dtype=np.intp)

    def successors(self, states: Indices) -> tuple[Indices, Indices]:
        """Return the row of the state that each successor belongs to, and the successors."""
        targets = [self.targets[state] for state in states.tolist()]
        return np.repeat(np.arange(len(states)), [len(part) for part in targets]), np.concatenate(targets)

    def is_move(self, one: int, other: int) -> bool:
        """Return whether a move leads from one state to the other."""
        return (one, other) in self.legal

    def draw(self, states: Indices) -> Images:
        """Return the pictures of states, without noise."""
        return self.frames[states]

    def read(self, pictures: Images, seen_as: Images | None = None) -> Indices:
        """Return the state of each picture; -1 if some cell shows nothing that it can, such as a blend of two things.

        A cell shows the nearest thing unless it lies ``READABLE`` of the way to another one: half-way is a blend.
        ``seen_as`` are the frames as a blurred camera or a cursor in the corner shows them.
        """
        looks, shown = [], []
        seen = self._cells(self.frames if seen_as is None else seen_as)
        for clear, kept, given in zip(self._cells(self.frames), seen, self._cells(pictures), strict=True):
            _, number = np.unique(clear, axis=0, return_inverse=True)
            number = number.ravel()
            usual = np.stack([kept[number == look].mean(0) for look in range(number.max() + 1)])
            looks.append(number)
            shown.append(_nearest(given, usual))
        states = {row: state for state, row in enumerate(map(tuple, np.stack(looks, axis=1).tolist()))}
        return np.array([states.get(row, -1) for row in map(tuple, np.stack(shown, axis=1).tolist())])

    def _cells(self, images: Images) -> list[NDArray[np.float64]]:
        """Return the pixels of each cell, (pictures, pixels)."""
        height, width = self.cell
        return [
            images[:, row : row + height, column : column + width].reshape(len(images), -1).astype(np.float64)
            for row in range(0, images.shape[1], height)
            for column in range(0, images.shape[2], width)
        ]


def _nearest(given: NDArray[np.float64], usual: NDArray[np.float64]) -> Indices:
    """Return the nearest row of those that are usual; -1 for what lies between two of them."""
    squares, between = _squares(given, usual), _squares(usual, usual)
    nearest = squares.argmin(1)
    own = squares[np.arange(len(given)), nearest][:, None]
    way = (own + between[nearest] - squares) / (2 * np.maximum(between[nearest], 1))
    way[np.arange(len(given)), nearest] = 0
    return np.where(way.max(1) < READABLE, nearest, -1)


def _squares(rows: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances of rows to other rows."""
    return np.maximum((rows**2).sum(1)[:, None] - 2 * rows @ others.T + (others**2).sum(1)[None], 0)


def bins(blocks: int = 4, columns: int = 3) -> GraphWorld:
    """Return coloured blocks stacked in bins: the top block of a bin may be put on top of another bin."""
    states = [
        tuple(order[start:end] for start, end in zip((0, *cuts), (*cuts, blocks), strict=True))
        for order in permutations(range(blocks))
        for cuts in _cuts(blocks, columns - 1)
    ]
    number: Mapping[tuple[tuple[int, ...], ...], int] = {state: row for row, state in enumerate(states)}
    moves = []
    for state, row in number.items():
        for source in range(columns):
            for target in range(columns):
                if source != target and state[source]:
                    after = list(state)
                    after[source], after[target] = state[source][:-1], (*state[target], state[source][-1])
                    moves.append((row, number[tuple(after)]))
    return GraphWorld(np.stack([_stacked(state, blocks) for state in states]), np.array(moves), (10, 16))


def _cuts(blocks: int, cuts: int) -> list[tuple[int, ...]]:
    if not cuts:
        return [()]
    return [(*rest, cut) for cut in range(blocks + 1) for rest in _cuts(cut, cuts - 1)]


def _stacked(state: tuple[tuple[int, ...], ...], blocks: int) -> NDArray[np.uint8]:
    """Draw bins side by side; for four blocks and three bins the picture has 40 x 48 pixels."""
    picture = np.empty((10 * blocks, 16 * len(state), 3), dtype=np.uint8)
    picture[:] = GROUND
    for column, stack in enumerate(state):
        for height, block in enumerate(stack):
            bottom = 10 * (blocks - height)
            picture[bottom - 9 : bottom - 1, 16 * column + 3 : 16 * column + 13] = BLOCK_COLOURS[block]
    return picture


def lift(floors: int = 4, switches: int = 3) -> GraphWorld:
    """Return a lift that moves while its door is shut, and switches that are turned on their floor while it is open."""
    states = [
        (floor, door, *lit) for floor in range(floors) for door in (0, 1) for lit in product((0, 1), repeat=switches)
    ]
    number = {state: row for row, state in enumerate(states)}
    moves = []
    for (floor, door, *lit), row in number.items():
        after = [(floor, 1 - door, *lit)]
        if not door:
            after += [(other, 0, *lit) for other in (floor - 1, floor + 1) if 0 <= other < floors]
        elif floor < switches:
            after.append((floor, 1, *(on ^ (place == floor) for place, on in enumerate(lit))))
        moves += [(row, number[state]) for state in after]
    return GraphWorld(np.stack([_lifted(state, floors) for state in states]), np.array(moves), (10, 16))


def _lifted(state: tuple[int, ...], floors: int) -> NDArray[np.uint8]:
    """Draw the shaft with the cabin, whose door is light or dark, and a lamp for each switch."""
    floor, door, *lit = state
    picture = np.empty((10 * floors, 32, 3), dtype=np.uint8)
    picture[:] = GROUND
    bottom = 10 * (floors - floor)
    picture[bottom - 9 : bottom - 1, 3:13] = (70, 70, 90)
    picture[bottom - 8 : bottom - 2, 5:11] = (240, 230, 150) if door else (40, 40, 50)
    for place, on in enumerate(lit):
        row = 10 * (floors - place) - 7
        picture[row : row + 5, 21:26] = (250, 210, 60) if on else (110, 110, 110)
    return picture


def board(tiles: NDArray[np.uint8], rows: int = 2, columns: int = 3) -> GraphWorld:
    """Return sliding tiles, (rows * columns, height, width); the first is the hole."""
    states = list(permutations(range(rows * columns)))
    number = {state: row for row, state in enumerate(states)}
    moves = []
    for state, row in number.items():
        hole = state.index(0)
        for other in range(rows * columns):
            down, right = other // columns - hole // columns, other % columns - hole % columns
            if abs(down) + abs(right) == 1:
                after = list(state)
                after[hole], after[other] = after[other], 0
                moves.append((row, number[tuple(after)]))
    shown = tiles[np.array(states)].reshape(-1, rows, columns, *tiles.shape[1:])
    frames = shown.transpose(0, 1, 3, 2, 4).reshape(len(states), rows * tiles.shape[1], -1)
    return GraphWorld(np.ascontiguousarray(frames), np.array(moves), (tiles.shape[1], tiles.shape[2]))


def smooth_tiles(count: int, rng: np.random.Generator, *, side: int = 8, similar: float = 0.0) -> NDArray[np.uint8]:
    """Return tiles like parts of a photograph, the first one black; two differ by little if they are ``similar``.

    Others differ by ``APART`` at least, the root of the mean square over their pixels.
    """
    tiles = [np.zeros((side, side))]
    while len(tiles) < count:
        tile = zoom(rng.uniform(0.1, 0.9, (3, 3)), side / 3, order=1)
        if min(float(np.square(tile - other).mean()) for other in tiles) > APART**2:
            tiles.append(tile)
    if similar:
        tiles[-1] = np.clip(tiles[-2] + similar * rng.choice((-1.0, 1.0), tiles[-2].shape), 0, 1)
    return np.asarray((255 * np.stack(tiles)).round(), dtype=np.uint8)
