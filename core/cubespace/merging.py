"""Larger variables: those whose bits belong together become one, whose values are the combinations that can occur.

On several variables that say one thing together, heuristics see little and abstractions lose much; on one that says
it, they do not. Which combinations can occur follows from the operators, so plans and their costs stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.finite_domain import Encoding, Values
from cubespace.strips import Bits, Indices

MOST_VALUES = 100  # of a variable
MOST_COPIES = 4.0  # per operator: one that knows only a part of a combination is copied for every one that fits


class Variable(NamedTuple):
    """A variable made of others."""

    parts: Indices  # the variables it is made of
    values: Values  # (values, parts), the combinations that can occur


@attrs.frozen(eq=False)
class Merged:
    """Operators on merged variables and, before those, on variables left alone; one of a single value is idle.

    Values are numbered as the rows of their tables. ``number`` gives those of variables left alone, -1 if they cannot
    occur.
    """

    variables: Sequence[Variable]
    number: Values  # (variables left alone, values)
    names: Sequence[str]  # (operators,)
    cost: Indices  # (operators,)
    before: Values  # (operators, merged variables)
    after: Values  # (operators, merged variables), only where it differs from before

    def fitting(self, values: Values) -> tuple[Indices, Indices]:
        """Return the first value of each variable that fits what is said of its parts, else -1, and how many fit."""
        alone, larger = self.variables[: len(self.number)], self.variables[len(self.number) :]
        said = values[[int(parts[0]) for parts, _ in alone]]
        number = np.where(said >= 0, self.number[np.arange(len(said)), said], -1)
        first, count = [number], [(number >= 0) | (said < 0)]
        for parts, table in larger:
            fits = _fits(table, values[None, parts])[:, 0]
            silent = (values[parts] < 0).all()
            first.append(np.array([-1 if silent else fits.argmax()]))
            count.append(np.array([1 if silent else fits.sum()]))
        return np.concatenate(first), np.concatenate(count).astype(np.intp)

    def relevant(self, goal: Values) -> Bits:
        """Return the variables that can matter: those of the goal and what is needed to change those that matter."""
        several = np.array([len(table) > 1 for _, table in self.variables], dtype=np.bool_)
        relevant = np.asarray(goal >= 0, dtype=np.bool_) & several
        while True:
            helpful = (self.after[:, relevant] >= 0).any(1)
            more = relevant | (self.before[helpful] >= 0).any(0)
            if (more == relevant).all():
                return relevant
            relevant = more


_merged: WeakKeyDictionary[Encoding, tuple[Indices, Merged]] = WeakKeyDictionary()


def merge_once(encoding: Encoding, groups: Indices, init: Values) -> Merged:
    """Return what :func:`merge` does, or did last if it serves: what can be reached from a state holds in all of it."""
    last = _merged.get(encoding)
    if last is None or not np.array_equal(last[0], groups) or not last[1].fitting(init)[1].all():
        last = _merged[encoding] = (groups, merge(encoding, groups, init))
    return last[1]


def merge(encoding: Encoding, groups: Indices, init: Values) -> Merged:
    """Merge the variables whose bits are of one group, for what can be reached from ``init``, (variables,)."""
    single = _single_values(encoding, init)
    larger: list[Variable] = []
    for parts in _together(encoding, groups):
        table = _combinations(encoding, parts, init) if len(parts) > 1 else None
        if table is not None:
            larger.append(Variable(parts, table))
    copies = [_log_copies(encoding, variable) for variable in larger]
    while copies and np.exp(sum(copies)).sum() > MOST_COPIES * len(encoding.cost):
        worst = int(np.argmax([each.sum() for each in copies]))
        del copies[worst], larger[worst]
    alone = np.ones(len(encoding.variables), dtype=np.bool_)
    for variable in larger:
        alone[variable.parts] = False
    return _say(encoding, larger, np.flatnonzero(alone), single)


def _together(encoding: Encoding, groups: Indices) -> list[Indices]:
    """Return the variables that belong together: those whose first bits are of one group."""
    bits = len(groups)
    group = np.array([groups[members[0] % bits] for members in encoding.variables], dtype=np.intp)
    return [np.flatnonzero(group == number) for number in np.unique(group)]


def _single_values(encoding: Encoding, init: Values) -> Bits:
    """Return which values of each variable operators can make, whatever the other variables: (variables, values)."""
    columns = np.arange(len(init))
    most = 1 + max(map(len, encoding.variables), default=1)  # one value more than members
    reached = np.zeros((len(init), most), dtype=np.bool_)
    reached[columns, init] = True
    rows, variable = np.nonzero(encoding.after >= 0)
    old, new = encoding.before[rows, variable], encoding.after[rows, variable]
    while True:
        possible = (old < 0) | reached[variable, old]
        more = reached.copy()
        more[variable[possible], new[possible]] = True
        if (more == reached).all():
            return reached
        reached = more


def _combinations(encoding: Encoding, parts: Indices, init: Values) -> Values | None:
    """Return the combinations of some variables that operators can make of the first one; None if they are too many."""
    changing = (encoding.after[:, parts] >= 0).any(1)
    rows = np.unique(np.c_[encoding.before[changing][:, parts], encoding.after[changing][:, parts]], axis=0)
    before, after = rows[:, : len(parts)], rows[:, len(parts) :]
    known = {tuple(init[parts].tolist())}
    fresh = init[None, parts]
    while len(fresh):
        if len(known) > MOST_VALUES:
            return None
        row, operator = np.nonzero(_fits(fresh, before))
        made = np.where(after[operator] >= 0, after[operator], fresh[row]).tolist()
        new = set(map(tuple, made)) - known
        known |= new
        fresh = np.array(sorted(new), dtype=np.intp).reshape(-1, len(parts))
    return np.array(sorted(known), dtype=np.intp)


def _fits(table: Values, known: Values) -> Bits:
    """Return whether each row of a table fits what is known, row by row: (values, rows)."""
    fits = np.ones((len(table), len(known)), dtype=np.bool_)
    for column, wanted in zip(table.T, known.T, strict=True):
        fits &= (column[:, None] == wanted) | (wanted < 0)
    return fits


def _used(encoding: Encoding, parts: Indices) -> Bits:
    """Return which operators say something about some variables."""
    return np.asarray(((encoding.before[:, parts] >= 0) | (encoding.after[:, parts] >= 0)).any(1), dtype=np.bool_)


def _log_copies(encoding: Encoding, variable: Variable) -> NDArray[np.float64]:
    """Return the logarithm of the number of copies that each operator gets for one variable."""
    counts = _fits(variable.values, encoding.before[:, variable.parts]).sum(0)
    return np.where(_used(encoding, variable.parts), np.log(np.maximum(counts, 1)), 0.0)


def _say(encoding: Encoding, larger: Sequence[Variable], alone: Indices, single: Bits) -> Merged:
    """Say the operators in merged variables and those left alone, of which the values ``single`` can occur.

    An operator is copied for each combination that fits what it knows; if none does, it can never be applied.
    """
    number = np.where(single, np.cumsum(single, axis=1) - 1, -1)  # (variables, values)
    needs, makes = encoding.before[:, alone], encoding.after[:, alone]
    before, after = (np.where(side >= 0, number[alone, side], -1) for side in (needs, makes))
    source = np.flatnonzero(((before >= 0) == (needs >= 0)).all(1))
    before, after = before[source], after[source]
    for parts, table in larger:
        makes = encoding.after[source][:, parts]
        used = _used(encoding, parts)[source]
        fits = _fits(table, encoding.before[source][:, parts]).T & used[:, None]  # (operators, values)
        rows, old = np.nonzero(np.c_[fits, ~used])  # the last value means: any
        old[old == len(table)] = -1
        made = np.where(makes[rows] >= 0, makes[rows], table[old])
        new = np.where((makes[rows] >= 0).any(1), _numbers(table, made), -1)
        new[new == old] = -1
        source, before, after = source[rows], np.c_[before[rows], old], np.c_[after[rows], new]
    variables = [Variable(np.array([part]), np.flatnonzero(single[part])[:, None]) for part in alone.tolist()]
    variables += larger
    idle = np.array([len(table) == 1 for _, table in variables], dtype=np.bool_)
    before[:, idle] = after[:, idle] = -1
    live = np.asarray((after >= 0).any(1), dtype=np.bool_)
    names = [encoding.names[row] for row in source[live].tolist()]
    return Merged(variables, number[alone], names, encoding.cost[source[live]], before[live], after[live])


def _numbers(table: Values, rows: Values) -> Indices:
    """Return where in a table each row stands, -1 if nowhere."""
    place = {tuple(row): number for number, row in enumerate(table.tolist())}
    return np.array([place.get(tuple(row), -1) for row in rows.tolist()], dtype=np.intp)
