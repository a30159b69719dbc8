"""Mutexes: which literals are never true together, and which bits can therefore form one finite-domain variable.

Literal ``f`` says that bit ``f`` is true, literal ``bits + f`` that it is false. A pair of literals is a mutex if it is
not true in any given state and if no action can make it true: then it is false in everything that can be reached from
there. This is the h² fixpoint, started from the training states instead of one initial state: it serves all instances.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, literals
from cubespace.symbols.literal_relations import close, complements, related
from cubespace.symbols.strips import StripsModel, Task


def find_mutexes(model: StripsModel, states: Bits, assumed: Bits | None = None) -> Bits:
    """Return the pairs of literals, (2 * bits, 2 * bits), that are never true together from ``states`` onwards.

    The greatest set of pairs that is false in all ``states`` and preserved by all actions; only those ``assumed`` are
    tried. With three bits of which exactly one is true in every state, and actions that move it, the mutexes are "0 and
    1", "0 and 2" and "1 and 2", besides each bit and its own negation.
    """
    mutex = ~_together(states)
    if assumed is not None:
        mutex &= assumed
    needed, made = literals(model.positive, model.negative), literals(model.add, model.delete)  # (actions, 2 bits)
    unmade = literals(model.delete, model.add)
    while True:
        possible = mutex & _possible(mutex, needed, made, unmade)
        if not possible.any():
            return mutex
        mutex &= ~possible


def _together(states: Bits, chunk: int = 4096) -> Bits:
    """Return the pairs of literals that at least one state has."""
    # states in which two bits are true: exact to 2^24
    both = np.zeros((states.shape[1], states.shape[1]), dtype=np.float32)
    for start in range(0, len(states), chunk):
        part = states[start : start + chunk].astype(np.float32)
        both += part.T @ part
    one = states.sum(0, dtype=np.float32)
    only = one[:, None] - both  # the first is true, the second false
    neither = len(states) - one[:, None] - only.T
    return np.block([[both, only], [only.T, neither]]) > 0


def _possible(mutex: Bits, needed: Bits, made: Bits, unmade: Bits) -> Bits:
    """Return the pairs of literals that one action can make true in states that keep ``mutex``."""
    excluded = related(needed, mutex) | mutex.diagonal()  # false whenever the action applies
    live = ~(excluded & needed).any(1)
    after = made[live] | ~(excluded[live] | unmade[live])
    possible = related(made[live].T, after)
    return possible | possible.T


def task_mutexes(task: Task) -> Bits:
    """Return the mutexes that hold in everything reachable in a task, with what follows from them."""
    known = task.model.mutexes
    state = literals(task.init)
    if known is None:
        return close(find_mutexes(task.model, task.init[None]))
    if known[np.ix_(state, state)].any():
        # the proof relies on all pairs at once: if this initial state breaks one, they must be proven again
        return close(find_mutexes(task.model, task.init[None], known))
    return task.model.closed_mutexes


def exclusive_groups(
    mutex: Bits, choice: Bits, trim: Callable[[Indices], Indices] = lambda group: group
) -> list[Indices]:
    """Return disjoint groups of literals that exclude each other, largest first; ``choice`` are those that may be used.

    At most one literal of a group is true. No bit is in two groups; bits in none are left out. Greedy: the largest
    clique that can be grown from any literal, after ``trim`` has removed members, then the same for the rest.
    """
    bits = len(mutex) // 2
    # a bit and its complement would be a group of their own, but that is the bit itself
    exclusive = mutex & ~complements(bits) & ~np.eye(2 * bits, dtype=np.bool_)
    free = choice.copy()
    groups: list[Indices] = []
    while True:
        rows = np.flatnonzero(free)
        cliques = _cliques(exclusive[np.ix_(rows, rows)].astype(np.float32))
        group = max((trim(rows[clique]) for clique in cliques), key=len, default=rows[:0])
        if len(group) < 2:
            return groups
        groups.append(group)
        free[group] = free[(group + bits) % (2 * bits)] = False


def _cliques(adjacent: NDArray[np.float32], seeds: int = 16) -> list[Indices]:
    """Return large cliques, grown from the nodes with most neighbours."""
    start = np.argsort(-adjacent.sum(1), kind="stable")[:seeds]
    member = np.zeros((len(start), len(adjacent)), dtype=np.bool_)
    member[np.arange(len(start)), start] = True
    candidates = adjacent[start]  # (seeds, nodes)
    while candidates.any():
        left = np.where(candidates > 0, candidates @ adjacent, -1)  # how many candidates each choice would leave
        best = left.argmax(1)
        growing = np.flatnonzero(candidates.any(1))
        member[growing, best[growing]] = True
        candidates[growing] *= adjacent[best[growing]]
    return [np.flatnonzero(row) for row in np.unique(member, axis=0)]
