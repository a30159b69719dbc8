"""Larger variables: those whose bits belong to one group are merged; the values are the combinations that can occur.

If several variables together encode one thing, heuristics and abstractions lose information; with a single variable
they do not. Which combinations can occur follows from the operators, so plans and their costs stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices
from cubespace.search.sas.exclusive_variables import Encoding, Values

MAX_VALUES = 100  # of a merged variable
MAX_COPIES_PER_OPERATOR = 4.0  # on average: an operator that mentions only some parts is copied for each combination


class Variable(NamedTuple):
    """A variable made of others."""

    parts: Indices  # the variables it is made of
    values: Values  # (values, parts), the combinations that can occur


@attrs.frozen(eq=False)
class Merged:
    """Operators on variables left alone and, after those, on merged ones; a variable with a single value is idle.

    The values of a merged variable are the rows of its table. ``number`` gives the new numbers of the values of
    variables left alone, -1 if they cannot occur.
    """

    variables: Sequence[Variable]
    number: Values  # (variables left alone, values)
    names: Sequence[str]  # (operators,)
    cost: Indices  # (operators,)
    before: Values  # (operators, merged variables)
    after: Values  # (operators, merged variables), only where it differs from before

    def fitting(self, values: Values) -> tuple[Indices, Indices]:
        """Return the first value of each variable that fits the values of its parts, else -1, and how many fit."""
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
        """Return the variables that matter: those of the goal, and those that are needed to change one that matters."""
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
    """Return the result of :func:`merge`, or the cached one if that covers ``init``."""
    last = _merged.get(encoding)
    if last is None or not np.array_equal(last[0], groups) or not last[1].fitting(init)[1].all():
        last = _merged[encoding] = (groups, merge(encoding, groups, init))
    return last[1]


def merge(encoding: Encoding, groups: Indices, init: Values) -> Merged:
    """Merge the variables whose bits are in one group, for everything reachable from ``init``, (variables,)."""
    single = _single_values(encoding, init)
    larger: list[Variable] = []
    for parts in _together(encoding, groups):
        table = _combinations(encoding, parts, init) if len(parts) > 1 else None
        if table is not None:
            larger.append(Variable(parts, table))
    copies = [_log_copies(encoding, variable) for variable in larger]
    while copies and np.exp(sum(copies)).sum() > MAX_COPIES_PER_OPERATOR * len(encoding.cost):
        worst = int(np.argmax([each.sum() for each in copies]))
        del copies[worst], larger[worst]
    alone = np.ones(len(encoding.variables), dtype=np.bool_)
    for variable in larger:
        alone[variable.parts] = False
    return _express(encoding, larger, np.flatnonzero(alone), single)


def _together(encoding: Encoding, groups: Indices) -> list[Indices]:
    """Return the variables that belong together: those whose first bits are in one group."""
    bits = len(groups)
    group = np.array([groups[members[0] % bits] for members in encoding.variables], dtype=np.intp)
    return [np.flatnonzero(group == number) for number in np.unique(group)]


def _single_values(encoding: Encoding, init: Values) -> Bits:
    """Return which values of each variable are reachable, ignoring the other variables: (variables, values)."""
    columns = np.arange(len(init))
    most = 1 + max(map(len, encoding.variables), default=1)  # one more value than members
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
    """Return the combinations of some variables that are reachable from ``init``; None if there are too many."""
    changing = (encoding.after[:, parts] >= 0).any(1)
    rows = np.unique(np.c_[encoding.before[changing][:, parts], encoding.after[changing][:, parts]], axis=0)
    before, after = rows[:, : len(parts)], rows[:, len(parts) :]
    known = {tuple(init[parts].tolist())}
    fresh = init[None, parts]
    while len(fresh):
        if len(known) > MAX_VALUES:
            return None
        row, operator = np.nonzero(_fits(fresh, before))
        made = np.where(after[operator] >= 0, after[operator], fresh[row]).tolist()
        new = set(map(tuple, made)) - known
        known |= new
        fresh = np.array(sorted(new), dtype=np.intp).reshape(-1, len(parts))
    return np.array(sorted(known), dtype=np.intp)


def _fits(table: Values, known: Values) -> Bits:
    """Return whether each row of a table agrees with each row of ``known`` where that is not -1: (values, rows)."""
    fits = np.ones((len(table), len(known)), dtype=np.bool_)
    for column, required in zip(table.T, known.T, strict=True):
        fits &= (column[:, None] == required) | (required < 0)
    return fits


def _used(encoding: Encoding, parts: Indices) -> Bits:
    """Return which operators mention any of some variables."""
    return np.asarray(((encoding.before[:, parts] >= 0) | (encoding.after[:, parts] >= 0)).any(1), dtype=np.bool_)


def _log_copies(encoding: Encoding, variable: Variable) -> NDArray[np.float64]:
    """Return the logarithm of the number of copies that each operator gets for one variable."""
    counts = _fits(variable.values, encoding.before[:, variable.parts]).sum(0)
    return np.where(_used(encoding, variable.parts), np.log(np.maximum(counts, 1)), 0.0)


def _express(encoding: Encoding, larger: Sequence[Variable], alone: Indices, single: Bits) -> Merged:
    """Express the operators in merged variables and in those left alone, whose values ``single`` can occur.

    An operator is copied for each combination that agrees with its conditions; if none does, it can never be applied.

    With three bits as variables of two values (0: true, 1: false), of which 0 and 1 are merged: the table is [[0, 0],
    [0, 1], [1, 0], [1, 1]], and variable 2 is left alone and comes first. An operator that needs bit 1 false and sets
    it has two copies, from row 1 to row 0 and from row 3 to row 2. One that needs bit 0 true and sets bit 2 has two
    copies as well, for rows 0 and 1, which it does not change: ``before`` [1, 0] and [1, 1], ``after`` [0, -1].
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
        rows, old = np.nonzero(np.c_[fits, ~used])  # the last value means "any"
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
    """Return the number of each row in a table, -1 if it is not there."""
    place = {tuple(row): number for number, row in enumerate(table.tolist())}
    return np.array([place.get(tuple(row), -1) for row in rows.tolist()], dtype=np.intp)
