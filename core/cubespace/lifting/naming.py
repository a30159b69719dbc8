"""Names for values: which value of one variable is the same thing as which value of another.

A value that leaves one variable and turns up in another is a thing that moves: such votes of the events match the
values of each pair of variables. Where events change one variable only, values are matched by what is never seen: a
thing does not move to or from a value at which another one is in its way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from cubespace.base.arrays import Indices
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.variables import Observed

UNNAMED = -1
MAX_SWEEPS = 10  # over all variables, to name each again by the votes of all others
Votes = Mapping[tuple[int, int], NDArray[np.float64]]  # of two variables: how much speaks for equal values


@attrs.frozen(eq=False, kw_only=True)
class Naming:
    """One name for what is the same in all variables."""

    names: Indices  # (variables, most values), UNNAMED where a value has no name
    agreement: float  # the fraction of the votes, around all cycles of variables, that these names fulfil
    linked: bool  # whether the votes link all variables that change

    @property
    def count(self) -> int:
        """Return the number of names."""
        return int(self.names.max()) + 1

    def of(self, values: Indices) -> Indices:
        """Return the names of the values of states, (states, variables)."""
        return np.asarray(self.names[np.arange(values.shape[1]), values])


def moving_votes(observed: Observed) -> Votes:
    """Return how often a value leaves one variable while a value turns up in another, (values, values) each.

    Worked example: an event changes variable 0 from a to b and variable 1 from c to d. This speaks for a = d and c = b.
    In an event of more variables each vote counts for less, as at most one other variable can have got the value.
    """
    most = observed.variables.most_values
    votes: dict[tuple[int, int], NDArray[np.float64]] = {}
    for event, count in zip(observed.events, (observed.counts * observed.steady).tolist(), strict=True):
        for place, (one, old, new) in enumerate(event):
            for other, its_old, its_new in event[place + 1 :]:
                table = votes.setdefault((one, other), np.zeros((most, most)))
                table[old, its_new] += count / (len(event) - 1)
                table[new, its_old] += count / (len(event) - 1)
    return {pair: table for pair, table in votes.items() if table.any()}


def blocking_votes(observed: Observed, criteria: Criteria) -> Votes:
    """Return how surprising it is that one variable never has a value while another leaves or takes one.

    Worked example: disk 1 moves from peg a to peg b in 90 transitions, and disk 0 is at its value c in a third of all
    states, but in none of these 90: 30 for a = c and 30 for b = c. If it were seen there once, there would be no vote.
    """
    count, most = len(observed.variables), observed.variables.most_values
    shares = np.stack([(observed.before == value).mean(0) for value in range(most)], axis=1)  # (variables, values)
    votes: dict[tuple[int, int], NDArray[np.float64]] = {}
    alone = (observed.before != observed.after).sum(1) == 1
    for one in range(count):
        moved = alone & (observed.before[:, one] != observed.after[:, one])
        for value in range(most):
            touched = moved & ((observed.before[:, one] == value) | (observed.after[:, one] == value))
            held = np.stack([(observed.before[touched] == each).sum(0) for each in range(most)], axis=1)
            expected = touched.sum() * shares  # (variables, values)
            surprise = np.where(held <= criteria.accident_rate * expected, expected, 0.0)
            for other in (each for each in range(count) if each != one):
                pair = (one, other) if one < other else (other, one)
                table = votes.setdefault(pair, np.zeros((most, most)))
                (table if one < other else table.T)[value] += surprise[other]
    return {pair: table for pair, table in votes.items() if table.any()}


def name_values(observed: Observed, votes: Votes, criteria: Criteria) -> Naming:
    """Name the values of one variable after the other, each by its votes with all variables named so far.

    The variable with most votes comes next. In the end each is named again by the votes of all others, until nothing
    changes: later neighbours of a variable show what the first few did not.
    """
    sizes = [len(bits) for bits in observed.variables.bits]
    names = np.full((len(sizes), observed.variables.most_values), UNNAMED, dtype=np.intp)
    tables = _both_ways(votes, len(sizes))
    changing = observed.changing.tolist()
    root = max(changing, key=lambda one: (sizes[one], sum(float(table.sum()) for table in tables[one].values())))
    names[root, : sizes[root]] = np.arange(sizes[root])
    reached = [root]
    while True:
        strength = {
            one: sum(float(table.sum()) for other, table in tables[one].items() if other in reached)
            for one in range(len(sizes))
            if one not in reached
        }
        nearest = max(strength, key=lambda one: strength[one], default=None)
        if nearest is None or not strength[nearest]:
            break
        names[nearest, : sizes[nearest]] = _matched(names, tables[nearest], sizes[nearest])
        reached.append(nearest)
    for _ in range(MAX_SWEEPS):
        old = names.copy()
        for one in reached[1:]:
            names[one] = UNNAMED
            names[one, : sizes[one]] = _matched(names, tables[one], sizes[one])
        _name_by_absence(observed, names, reached, criteria)
        if (names == old).all():
            break
    for one in reached:  # a value that no other variable has gets a new name
        unnamed = np.flatnonzero(names[one, : sizes[one]] == UNNAMED)
        names[one, unnamed] = int(names.max()) + 1 + np.arange(len(unnamed))
    return Naming(names=names, agreement=_agreement(names, votes), linked=set(reached) >= set(changing))


def _name_by_absence(observed: Observed, names: Indices, reached: Sequence[int], criteria: Criteria) -> None:
    """Name values for which no event votes: the thing that is nowhere else, whenever a value is there, is that value.

    Worked example: tile 7 was never seen to enter or leave a cell, so what the cell shows then has no name. In all
    states in which the cell shows it, tile 7 is nowhere else, and every other tile is somewhere: it is tile 7. This
    holds only where no thing is ever at two places; where one is, nothing is named.
    """
    states = np.concatenate([observed.before, observed.after])
    named = names[np.arange(states.shape[1]), states]  # (states, variables)
    there = np.stack([(named == name).sum(1) for name in range(int(names.max()) + 1)], axis=1)  # (states, names)
    if (there > 1).any():
        return
    for variable in reached:
        for value in np.flatnonzero(names[variable] == UNNAMED).tolist():
            showing = states[:, variable] == value
            free = np.setdiff1d(np.arange(there.shape[1]), names[variable])
            absent = free[~there[showing][:, free].any(0)]
            if showing.sum() >= criteria.least_states and len(absent) == 1:
                names[variable, value] = absent[0]


def _both_ways(votes: Votes, count: int) -> list[dict[int, NDArray[np.float64]]]:
    """Return for each variable its votes with each other one, (values of the other, its own values)."""
    tables: list[dict[int, NDArray[np.float64]]] = [{} for _ in range(count)]
    for (one, other), table in votes.items():
        tables[one][other], tables[other][one] = table.T, table
    return tables


def _matched(names: Indices, tables: Mapping[int, NDArray[np.float64]], size: int) -> Indices:
    """Return the names of the values of a variable: those that most votes of the other variables speak for.

    One value that is left over and one name that is left over belong together; of several, none is named.
    """
    known = int(names.max()) + 1
    score = np.zeros((known, size))  # for each name and value
    for other, table in tables.items():
        named = np.flatnonzero(names[other] != UNNAMED)
        np.add.at(score, names[other][named], table[named][:, :size])
    found = np.full(size, UNNAMED, dtype=np.intp)
    for name, value in zip(*linear_sum_assignment(-score), strict=True):
        if score[name, value] > 0:
            found[value] = name
    values, left = np.flatnonzero(found == UNNAMED), np.setdiff1d(np.arange(known), found)
    if len(values) == len(left) == 1:
        found[values] = left
    return found


def _agreement(names: Indices, votes: Votes) -> float:
    """Return the fraction of all votes that the names fulfil."""
    fulfilled = total = 0.0
    for (one, other), table in votes.items():
        same = (names[one][:, None] == names[other][None, :]) & (names[one] != UNNAMED)[:, None]
        fulfilled += float(table[same].sum())
        total += float(table.sum())
    return fulfilled / total if total else 0.0
