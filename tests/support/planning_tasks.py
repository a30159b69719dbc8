"""Small tasks of the shape that is learned: every move is an action of its own, over bits."""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.symbols.strips import StripsModel, Task


def model_of(add: Bits, delete: Bits, positive: Bits, negative: Bits) -> StripsModel:
    """Return a model of unit costs."""
    names = [f"a{row}-d{row}-n1" for row in range(len(add))]
    ones = np.ones(len(add), dtype=np.intp)
    return StripsModel(
        names=names, add=add, delete=delete, positive=positive, negative=negative, support=ones, cost=ones
    )


def sliding(size: int, columns: int | None = None) -> StripsModel:
    """Return the sliding-tile puzzle: one bit per tile and cell (tile 0 is the gap), one action per tile and move."""
    rows, columns = size, columns or size
    cells = rows * columns
    row, column = np.divmod(np.arange(cells), columns)
    near = np.abs(row[:, None] - row) + np.abs(column[:, None] - column) == 1
    start, end = np.nonzero(near)
    tiles = np.repeat(np.arange(1, cells), len(start))
    start, end = np.tile(start, cells - 1), np.tile(end, cells - 1)
    needed, made = (_facts(cells, tiles, a, b) for a, b in ((start, end), (end, start)))
    return model_of(made, needed, needed, made)


def _facts(cells: int, tiles: Indices, place: Indices, gap: Indices) -> Bits:
    mask = np.zeros((len(tiles), cells * cells), dtype=np.bool_)
    action = np.arange(len(tiles))
    mask[action, tiles * cells + place] = True
    mask[action, gap] = True
    return mask


def sliding_state(tiles: Indices) -> Bits:
    """Return the bits of a state given as the tile in each cell."""
    cells = len(tiles)
    state = np.zeros((cells, cells), dtype=np.bool_)
    state[tiles, np.arange(cells)] = True
    return state.ravel()


def lights_out(size: int) -> StripsModel:
    """Return LightsOut: a press toggles a cross of lamps, so each press and each setting of the cross is an action."""
    row, column = np.divmod(np.arange(size * size), size)
    cross = np.abs(row[:, None] - row) + np.abs(column[:, None] - column) <= 1
    add = []
    for press in range(size * size):
        lamps = np.flatnonzero(cross[press])
        for setting in itertools.product([False, True], repeat=len(lamps)):
            lit = np.zeros(size * size, dtype=np.bool_)
            lit[lamps] = setting
            add.append((press, lit))
    negative = np.array([cross[press] & ~lit for press, lit in add])
    positive = np.array([lit for _, lit in add])
    return model_of(negative, positive, positive, negative)


def walk(model: StripsModel, state: Bits, steps: int, seed: int = 0) -> Bits:
    """Return where a random walk ends that never goes straight back."""
    rng = np.random.default_rng(seed)
    last = None
    for _ in range(steps):
        moves = np.flatnonzero(model.applicable(state[None])[0])
        if not len(moves):
            return state
        successors = model.apply(np.repeat(state[None], len(moves), axis=0), moves)
        fresh = [row for row in successors if last is None or (row != last).any()]
        last, state = state, fresh[rng.integers(len(fresh))] if fresh else state
    return state


def tree(bits: int, actions: int, needs: int, seed: int = 0) -> Task:
    """Return a task of chance: each action leads from a random known state to a new one and needs much of the old."""
    rng = np.random.default_rng(seed)
    states = np.zeros((actions + 1, bits), dtype=np.bool_)
    states[0] = rng.random(bits) < 0.5
    parent = rng.integers(np.arange(1, actions + 1))
    order = rng.random((actions, bits)).argsort(1)
    needed, changed = order < needs, order < 6
    for action in range(actions):
        states[action + 1] = states[parent[action]] ^ changed[action]
    before = states[parent]
    model = model_of(changed & ~before, changed & before, needed & before, needed & ~before)
    return Task(model, states[0], states[-1])


def eight_puzzle(steps: int = 9, seed: int = 0) -> Task:
    """Return an 8-puzzle: 81 bits, 192 actions."""
    model = sliding(3)
    goal = sliding_state(np.arange(9))
    return Task(model, walk(model, goal, steps, seed), goal)


def scattered(seed: int) -> Task:
    """Return a small task of chance with every feature: negative needs, needless changes, costs, don't-care goals."""
    rng = np.random.default_rng(seed)
    bits, actions = int(rng.integers(4, 9)), int(rng.integers(3, 25))
    density = rng.uniform(0.1, 0.4)
    one, other = (rng.random((2, actions, bits)) < density for _ in range(2))
    ones = np.ones(actions, dtype=np.intp)
    model = StripsModel(
        names=[f"a{row}" for row in range(actions)],
        add=one[0],
        delete=one[1] & ~one[0],
        positive=other[0],
        negative=other[1] & ~other[0],
        support=ones,
        cost=rng.integers(0, 4, size=actions) if seed % 3 == 0 else ones,
    )
    init = rng.random(bits) < 0.3
    goal = walk(model, init, int(rng.integers(1, 12)), seed) if rng.random() < 0.8 else rng.random(bits) < 0.5
    return Task(model, init, goal, rng.random(bits) < rng.choice([0.3, 0.7, 1.0]))


def reachable(model: StripsModel, init: Bits) -> Bits:
    """Return every state that can be reached."""
    return np.array([np.frombuffer(state, dtype=np.bool_) for state in distances(model, init)])


def distances(model: StripsModel, init: Bits) -> dict[bytes, int]:
    """Return the least cost of every state that can be reached."""
    best = {init.tobytes(): 0}
    heap = [(0, init.tobytes())]
    while heap:
        cost, key = heapq.heappop(heap)
        if cost > best[key]:
            continue
        state = np.frombuffer(key, dtype=np.bool_)
        moves = np.flatnonzero(model.applicable(state[None])[0])
        for action, successor in zip(moves, model.apply(np.repeat(state[None], len(moves), 0), moves), strict=True):
            further = cost + int(model.cost[action])
            if further < best.get(successor.tobytes(), further + 1):
                best[successor.tobytes()] = further
                heapq.heappush(heap, (further, successor.tobytes()))
    return best


def least_cost(task: Task) -> int | None:
    """Return what an optimal plan costs, or None if there is none."""
    ends = [
        cost
        for key, cost in distances(task.model, task.init).items()
        if task.reached(np.frombuffer(key, dtype=np.bool_))
    ]
    return min(ends, default=None)


def coded(seed: int) -> Task:
    """Return a task over hidden variables of several values, each value a bit, some bits upside down, some twice."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, size=3)
    value_bits = np.split(np.arange(sizes.sum()), np.cumsum(sizes)[:-1])
    actions = int(rng.integers(6, 30))
    add, delete, positive, negative = np.zeros((4, actions, sizes.sum()), dtype=np.bool_)
    for action in range(actions):
        for bits in value_bits:
            chance, (old, new) = rng.random(), rng.choice(bits, 2, replace=False)
            if chance < 0.4:  # a move from a known value
                add[action, new] = delete[action, old] = positive[action, old] = True
            elif chance < 0.42:  # a move from any value
                add[action, new], delete[action, bits[bits != new]] = True, True
            elif chance < 0.6:
                positive[action, old] = True
            elif chance < 0.64:
                negative[action, old] = True
    doubled = np.r_[np.arange(sizes.sum()), rng.integers(sizes.sum(), size=2)]
    flipped = rng.random(len(doubled)) < 0.3
    masks = [mask[:, doubled] for mask in (add, delete, positive, negative)]
    for one, other in (masks[:2], masks[2:]):
        one[:, flipped], other[:, flipped] = other[:, flipped].copy(), one[:, flipped].copy()
    init = np.zeros(sizes.sum(), dtype=np.bool_)
    init[[rng.choice(bits) for bits in value_bits]] = True
    state = init[doubled] ^ flipped
    model = model_of(*masks)
    goal = walk(model, state, int(rng.integers(1, 9)), seed)
    return Task(model, state, goal, rng.random(len(state)) < rng.choice([0.3, 1.0]))
