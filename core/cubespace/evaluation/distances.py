"""Instances at an exact distance from the goal, and true distances, by vectorised breadth-first search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import States
from cubespace.base.errors import UsageError
from cubespace.data.domain import StateSpace

Keys = NDArray[Any]  # (states,), one sortable number or byte string per state

KEY_BITS = 64
STATES_PER_EXPANSION = 1 << 18  # bounds the memory of a step
GOALS_TRIED_PER_INSTANCE = 100


@attrs.frozen(eq=False)
class Instances:
    """Planning problems: from each initial state, its goal is exactly ``distance`` moves away."""

    inits: States
    goals: States
    distance: int

    def __len__(self) -> int:
        """Return how many instances there are."""
        return len(self.inits)


def draw(
    domain: StateSpace, distance: int, count: int, seed: int, *, random_goals: bool = False, fewer: bool = False
) -> Instances:
    """Draw distinct initial states at exactly ``distance`` from the goal of the domain.

    With ``random_goals`` each instance gets its own random goal: for domains with few states near their goal. With
    ``fewer``, all states at that distance are used if there are fewer than ``count``.
    """
    if distance < 1 or count < 1:
        raise UsageError(f"instances need a distance and a count of at least 1, not {distance} and {count}")
    rng = np.random.default_rng(seed)
    if random_goals:
        return _draw_with_goals(domain, distance, count, rng)
    candidates = frontier(domain, domain.goal(), distance)
    if len(candidates) < count and not (fewer and len(candidates)):
        raise UsageError(
            f"only {len(candidates)} states are {distance} moves from the goal, but {count} were requested: "
            "request fewer, another distance or random goals"
        )
    chosen = rng.permutation(len(candidates))[:count]
    return Instances(candidates[chosen], domain.goal().repeat(len(chosen), axis=0), distance)


def frontier(domain: StateSpace, goal: States, distance: int) -> States:
    """Return all states from which the nearest of ``goal`` is exactly ``distance`` moves away, in a fixed order."""
    codec = _Codec(domain.radices)
    layer = next(islice(_layers(domain, goal, codec, backward=True), distance, None), None)
    return domain.goal()[:0] if layer is None else codec.unpack(layer)


@attrs.frozen(kw_only=True)
class Reach:
    """How far a goal is, or that it cannot be reached; if neither is known, the bounds were too small to tell."""

    distance: int | None = None
    unreachable: bool = False
    states: int  # looked at


def reach(
    domain: StateSpace,
    init: States,
    goal: States,
    *,
    bound: float = math.inf,
    most_states: float = math.inf,
    given_up: Callable[[], bool] = lambda: False,
) -> Reach:
    """Find out how far ``goal`` is from ``init``, each a batch of one: not beyond ``bound``, nor with many more states.

    The search starts at both ends: a path of length i + j exists where layer i of one end meets layer j of the other.
    If one end runs out of states before they meet, there is no path at all. It ends early once ``given_up`` says that
    nobody waits for it.
    """
    codec = _Codec(domain.radices)
    ends = [_layers(domain, init, codec, backward=False), _layers(domain, goal, codec, backward=True)]
    newest = [next(end) for end in ends]
    length, states = 0, 2
    while not _contains(newest[0], newest[1]).any():
        if states > most_states or length >= bound or given_up():
            return Reach(states=states)
        smaller = 0 if len(newest[0]) <= len(newest[1]) else 1
        layer = next(ends[smaller], None)
        if layer is None:
            return Reach(unreachable=True, states=states)
        newest[smaller] = layer
        length, states = length + 1, states + len(layer)
    return Reach(distance=length, states=states)


def shortest(domain: StateSpace, init: States, goal: States, bound: int) -> int | None:
    """Return how long the shortest path from ``init`` to ``goal`` is, each a batch of one; None beyond ``bound``."""
    return reach(domain, init, goal, bound=bound).distance


def shortest_moves(domain: StateSpace, init: States, goal: States, distance: int) -> Iterator[tuple[States, States]]:
    """Yield, step by step, all moves on shortest paths of length ``distance`` from ``init`` to ``goal``."""
    codec = _Codec(domain.radices)
    layers = list(islice(_layers(domain, goal, codec, backward=True), distance))  # at 0, 1, … distance - 1
    states = init
    for nearer in reversed(layers):
        children, parents = domain.successors(states)
        keys = codec.pack(children)
        order = np.argsort(keys)
        on_path = np.zeros(len(keys), dtype=bool)
        on_path[order] = _contains(nearer, keys[order])
        yield states[parents[on_path]], children[on_path]
        states = codec.unpack(_distinct(keys[on_path]))


def _draw_with_goals(domain: StateSpace, distance: int, count: int, rng: np.random.Generator) -> Instances:
    """Draw distinct pairs of a random goal and a state at exactly ``distance`` from it."""
    pairs: dict[bytes, tuple[States, States]] = {}
    for _ in range(GOALS_TRIED_PER_INSTANCE * count):
        goal = domain.random_states(1, rng)
        candidates = frontier(domain, goal, distance)
        if len(candidates):
            row = int(rng.integers(len(candidates)))
            init = candidates[row : row + 1]
            pairs.setdefault(init.tobytes() + goal.tobytes(), (init, goal))
        if len(pairs) == count:
            inits, goals = zip(*pairs.values(), strict=True)
            return Instances(np.concatenate(inits), np.concatenate(goals), distance)
    raise UsageError(f"found only {len(pairs)} instances of distance {distance} with random goals, not {count}")


def _layers(domain: StateSpace, start: States, codec: _Codec, *, backward: bool) -> Iterator[Keys]:
    """Yield the sorted keys of the states at distance 0, 1, 2 … until there are none."""
    expand = domain.predecessors if backward else domain.successors
    layer, earlier = _distinct(codec.pack(start)), list[Keys]()
    while len(layer):
        yield layer
        parts = []
        for first in range(0, len(layer), STATES_PER_EXPANSION):
            states = codec.unpack(layer[first : first + STATES_PER_EXPANSION])
            parts.append(_distinct(codec.pack(expand(states)[0])))
        reached = _distinct(np.concatenate(parts))
        for known in (*earlier, layer):
            reached = reached[~_contains(known, reached)]
        # Where moves can be undone, neighbours of a layer lie in it or next to it: older layers cannot be met again.
        earlier = [layer] if domain.reversible else [*earlier, layer]
        layer = reached


def _distinct(keys: Keys) -> Keys:
    """Return the keys sorted, each once; np.unique hashes them first, which takes several times as long."""
    keys = np.sort(keys)
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def _contains(known: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Return which of ``keys`` are among ``known``; both are sorted."""
    places = np.searchsorted(known, keys)
    found: NDArray[np.bool_] = known[np.minimum(places, len(known) - 1)] == keys
    return found


class _Codec:
    """States as sortable keys: one number in mixed radix if 64 bits hold it, else their bytes."""

    def __init__(self, radices: tuple[int, ...]) -> None:
        self.radices = radices
        self.numeric = math.prod(radices) <= 1 << KEY_BITS

    def pack(self, states: States) -> Keys:
        """Return one key per state."""
        if not self.numeric:
            # NumPy drops the zeros at the end of byte strings; among strings of one length this loses nothing.
            return np.ascontiguousarray(states).view(f"S{len(self.radices)}")[:, 0]
        keys = np.zeros(len(states), dtype=np.uint64)
        for variable, radix in enumerate(self.radices):
            keys *= np.uint64(radix)
            keys += states[:, variable]
        return keys

    def unpack(self, keys: Keys) -> States:
        """Return the states of some keys."""
        if not self.numeric:
            return np.ascontiguousarray(keys).view(np.uint8).reshape(-1, len(self.radices))
        states = np.empty((len(keys), len(self.radices)), dtype=np.uint8)
        rest = keys
        for variable in reversed(range(len(self.radices))):
            rest, states[:, variable] = np.divmod(rest, np.uint64(self.radices[variable]))
        return states
