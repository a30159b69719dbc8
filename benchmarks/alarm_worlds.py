"""Small worlds with a judge of their own, for benchmarks/alarms.py: learning sees their pairs of pictures only."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices

BLOCK_COLOURS = ((220, 40, 40), (40, 180, 60), (50, 90, 220), (230, 200, 40))
NOISE = 4.0  # grey levels, the standard deviation of the camera's noise
GROUND = (225, 225, 220)


class GraphWorld:
    """A world that is small enough to list: all states as pictures, and all moves between them."""

    def __init__(self, frames: Images, moves: Indices) -> None:
        self.frames = frames  # (states, height, width, …), without noise
        self.moves = moves  # (moves, 2)
        self.targets = [moves[moves[:, 0] == state, 1] for state in range(len(frames))]
        self.legal = {(int(one), int(other)) for one, other in moves}

    def sample(self, count: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return random moves, each state equally often: the states before and after."""
        before = rng.integers(len(self.frames), size=count)
        after = np.array([rng.choice(self.targets[state]) for state in before.tolist()])
        return before, after

    def draw(self, states: Indices) -> Images:
        """Return the pictures of states, without noise."""
        return self.frames[states]

    def read(self, pictures: Images) -> Indices:
        """Return the state of each picture; -1 if it is nearer to no frame than half the distance between frames."""
        flat = self.frames.reshape(len(self.frames), -1).astype(np.float32)
        seen = pictures.reshape(len(pictures), -1).astype(np.float32)
        squares = (seen**2).sum(1)[:, None] - 2 * seen @ flat.T + (flat**2).sum(1)[None]
        nearest = squares.argmin(1)
        return np.where(squares[np.arange(len(seen)), nearest] <= self.tolerance, nearest, -1)

    @property
    def tolerance(self) -> float:
        """Return a quarter of the smallest squared distance between two frames: half the distance."""
        if not hasattr(self, "_tolerance"):
            flat = self.frames.reshape(len(self.frames), -1).astype(np.float32)
            squares = (flat**2).sum(1)[:, None] - 2 * flat @ flat.T + (flat**2).sum(1)[None]
            np.fill_diagonal(squares, np.inf)
            self._tolerance = float(squares.min()) / 4
        return self._tolerance


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
    return GraphWorld(np.stack([_stacked(state, blocks) for state in states]), np.array(moves))


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
