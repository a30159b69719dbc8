"""Worlds whose objects are known, as bits: the values of every variable are numbered in an order of its own."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices

Step = Callable[[np.random.Generator], tuple[list[int], list[int]]]  # the values before and after a random move


@attrs.frozen(eq=False)
class BitWorld:
    """Transitions as bits, one group of bits for each variable."""

    before: Bits
    after: Bits
    groups: tuple[int, ...]

    def spoiled(self, share: float, seed: int = 5) -> BitWorld:
        """Return it with some transitions that end in the state of another one."""
        rng = np.random.default_rng(seed)
        wrong = rng.random(len(self.after)) < share
        after = np.where(wrong[:, None], self.after[rng.permutation(len(self.after))], self.after)
        return BitWorld(self.before, after, self.groups)


def sliding_tiles(count: int, rows: int = 2, columns: int = 3, seed: int = 0) -> BitWorld:
    """Tiles on a board; tile 0 changes places with a neighbour."""
    cells = rows * columns

    def step(rng: np.random.Generator) -> tuple[list[int], list[int]]:
        board = rng.permutation(cells).tolist()
        blank = board.index(0)
        row, column = divmod(blank, columns)
        near = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        near = [(r, c) for r, c in near if 0 <= r < rows and 0 <= c < columns]
        r, c = near[rng.integers(len(near))]
        after = list(board)
        after[blank], after[r * columns + c] = board[r * columns + c], 0
        return board, after

    return _world(count, [cells] * cells, step, seed)


def lamps(count: int, size: int = 3, seed: int = 0) -> BitWorld:
    """Lamps in a row; a press turns over a lamp and its neighbours."""

    def step(rng: np.random.Generator) -> tuple[list[int], list[int]]:
        before = rng.integers(2, size=size).tolist()
        pressed = int(rng.integers(size))
        after = [lamp ^ (abs(place - pressed) <= 1) for place, lamp in enumerate(before)]
        return before, after

    return _world(count, [2] * size, step, seed)


def towers(count: int, disks: int = 3, pegs: int = 3, seed: int = 0) -> BitWorld:
    """Disks on pegs; a disk moves if no smaller one is on its peg or on the one it goes to."""

    def step(rng: np.random.Generator) -> tuple[list[int], list[int]]:
        before = rng.integers(pegs, size=disks).tolist()
        moves = [
            (disk, peg)
            for disk in range(disks)
            for peg in range(pegs)
            if peg != before[disk] and not {before[disk], peg} & set(before[:disk])
        ]
        disk, peg = moves[rng.integers(len(moves))]
        after = list(before)
        after[disk] = peg
        return before, after

    return _world(count, [pegs] * disks, step, seed)


def stacks(count: int, blocks: int = 3, columns: int = 3, seed: int = 0) -> BitWorld:
    """Blocks in columns; the top block of a column goes onto another column. A cell holds a block or nothing, 0."""

    def cells(stacked: list[list[int]]) -> list[int]:
        return [value for column in stacked for value in (*column, *[0] * (blocks - len(column)))]

    def step(rng: np.random.Generator) -> tuple[list[int], list[int]]:
        stacked: list[list[int]] = [[] for _ in range(columns)]
        for block in rng.permutation(blocks).tolist():
            stacked[rng.integers(columns)].append(block + 1)
        before = cells(stacked)
        source = rng.choice([number for number, column in enumerate(stacked) if column])
        target = rng.choice([number for number in range(columns) if number != source])
        stacked[target].append(stacked[source].pop())
        return before, cells(stacked)

    return _world(count, [blocks + 1] * (blocks * columns), step, seed)


def counters(count: int, seed: int = 0) -> BitWorld:
    """Three wheels of four figures that turn together by one: neither things that move nor switches."""

    def step(rng: np.random.Generator) -> tuple[list[int], list[int]]:
        before = rng.integers(4, size=3).tolist()
        first = int(rng.integers(2))
        return before, [(v + 1) % 4 if first <= place < first + 2 else v for place, v in enumerate(before)]

    return _world(count, [4] * 3, step, seed)


def _world(count: int, sizes: list[int], step: Step, seed: int) -> BitWorld:
    rng = np.random.default_rng(seed)
    pairs = [step(rng) for _ in range(count)]
    names = [rng.permutation(size) for size in sizes]
    before, after = (_one_hot(np.array([pair[side] for pair in pairs]), names) for side in (0, 1))
    return BitWorld(before, after, tuple(np.repeat(np.arange(len(sizes)), sizes).tolist()))


def _one_hot(values: Indices, names: list[Indices]) -> Bits:
    return np.concatenate(
        [np.eye(len(own), dtype=np.bool_)[own[values[:, place]]] for place, own in enumerate(names)], axis=1
    )
