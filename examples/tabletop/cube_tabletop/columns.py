"""All ways in which blocks can stand in columns, and the moves between them."""

from __future__ import annotations

from itertools import combinations, permutations

import attrs
import numpy as np

from cubespace.base.arrays import Indices, States


@attrs.frozen(eq=False)
class Columns:
    """Every state, and the moves: the top block of a column goes onto another column.

    A state says in which cell each block is: column times the number of blocks, plus the height. Worked example: two
    blocks, two columns, cells 0, 1 | 2, 3: block 0 on block 1 in the first column is (1, 0).
    """

    states: States  # (states, blocks)
    edges: Indices  # (moves, 2), numbers of states
    numbers: dict[bytes, int]  # of states

    @classmethod
    def of(cls, blocks: int, columns: int) -> Columns:
        """List them all, in a fixed order."""
        states = np.array(sorted(_all_states(blocks, columns)), dtype=np.uint8)
        numbers = {state.tobytes(): number for number, state in enumerate(states)}
        edges = [
            (number, numbers[child.tobytes()])
            for number, state in enumerate(states)
            for child in _moved(state, columns)
        ]
        return cls(states, np.array(edges, dtype=np.intp), numbers)

    def number_of(self, states: States) -> Indices:
        """Return the number of each state."""
        rows = np.ascontiguousarray(states, dtype=np.uint8)
        return np.array([self.numbers[row.tobytes()] for row in rows], dtype=np.intp)


def _all_states(blocks: int, columns: int) -> list[tuple[int, ...]]:
    """Return each order of the blocks, divided by bars in each way among the columns."""
    found = []
    for order in permutations(range(blocks)):
        for bars in combinations(range(blocks + columns - 1), columns - 1):
            state, column, height, number = [0] * blocks, 0, 0, 0
            for position in range(blocks + columns - 1):
                if position in bars:
                    column, height = column + 1, 0
                else:
                    state[order[number]] = column * blocks + height
                    height, number = height + 1, number + 1
            found.append(tuple(state))
    return found


def _moved(state: States, columns: int) -> list[States]:
    """Return the states that one move leads to."""
    blocks = len(state)
    column, height = state // blocks, state % blocks
    heights = np.bincount(column, minlength=columns)
    children = []
    for block in np.flatnonzero(height == heights[column] - 1):
        for target in np.flatnonzero(np.arange(columns) != column[block]):
            child = state.copy()
            child[block] = target * blocks + heights[target]
            children.append(child)
    return children
