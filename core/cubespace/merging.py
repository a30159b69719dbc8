"""Larger variables: those whose bits belong together become one, whose values are the combinations that can occur.

On several variables that say one thing together, heuristics see little and abstractions lose much; on one that says
it, they do not. Which combinations can occur follows from the operators, so plans and their costs stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Operators on merged variables. Values are numbered as the rows of their tables."""

    variables: Sequence[Variable]
    constant: Sequence[Variable]  # those of one value
    names: Sequence[str]  # (operators,)
    cost: Indices  # (operators,)
    before: Values  # (operators, merged variables)
    after: Values  # (operators, merged variables), only where it differs from before

    def fitting(self, values: Values) -> list[Indices | None]:
        """Return the values of each merged variable that fit those of its parts, None where nothing is said of them."""
        return [
            np.flatnonzero(_fits(table, values[None, parts])[:, 0]) if (values[parts] >= 0).any() else None
            for parts, table in self.variables
        ]

    def holds(self, values: Values) -> bool:
        """Return whether what is said of the variables, (variables,), is true of some combination of each."""
        everything = (*self.variables, *self.constant)
        return all(_fits(table, values[None, parts]).any() for parts, table in everything)

    def relevant(self, goal: Values) -> Bits:
        """Return the variables that can matter: those of the goal and what is needed to change those that matter."""
        relevant = np.asarray(goal >= 0, dtype=np.bool_)
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
    if last is None or not np.array_equal(last[0], groups) or not last[1].holds(init):
        last = _merged[encoding] = (groups, merge(encoding, groups, init))
    return last[1]


def merge(encoding: Encoding, groups: Indices, init: Values) -> Merged:
    """Merge the variables whose bits are of one group, for what can be reached from ``init``, (variables,)."""
    variables: list[Variable] = []
    for parts in _together(encoding, groups):
        whole = _reachable(encoding, parts, init)
        variables += [whole] if whole else _apart(encoding, parts, init)
    copies = {number: _log_copies(encoding, variable) for number, variable in enumerate(variables)}
    while copies and np.exp(sum(copies.values())).sum() > MOST_COPIES * len(encoding.cost):
        worst = max(copies, key=lambda number: float(copies[number].sum()))
        variables += _apart(encoding, variables[worst].parts, init)
        variables[worst] = Variable(variables[worst].parts[:0], variables[worst].values[:1, :0])
        del copies[worst]
    return _say(encoding, variables)


def _together(encoding: Encoding, groups: Indices) -> list[Indices]:
    """Return the variables that belong together: those whose first bits are of one group."""
    bits = len(groups)
    group = np.array([groups[members[0] % bits] for members in encoding.variables], dtype=np.intp)
    return [np.flatnonzero(group == number) for number in np.unique(group)]


def _apart(encoding: Encoding, parts: Iterable[int], init: Values) -> list[Variable]:
    found = [_reachable(encoding, np.array([part]), init, most=None) for part in parts]
    return [variable for variable in found if variable]


def _reachable(encoding: Encoding, parts: Indices, init: Values, most: int | None = MOST_VALUES) -> Variable | None:
    """Return a variable with the combinations that operators can make of the first one; None if those are too many."""
    rows = np.concatenate([encoding.before[:, parts], encoding.after[:, parts]], axis=1)
    rows = np.unique(rows[(encoding.after[:, parts] >= 0).any(1)], axis=0)
    before, after = rows[:, : len(parts)], rows[:, len(parts) :]
    known = {tuple(init[parts].tolist())}
    fresh = init[None, parts]
    while len(fresh):
        if most is not None and len(known) > most:
            return None
        row, operator = np.nonzero(_fits(fresh, before))
        made = np.where(after[operator] >= 0, after[operator], fresh[row]).tolist()
        new = set(map(tuple, made)) - known
        known |= new
        fresh = np.array(sorted(new), dtype=np.intp).reshape(-1, len(parts))
    return Variable(parts, np.array(sorted(known), dtype=np.intp))


def _fits(table: Values, known: Values) -> Bits:
    """Return whether each row of a table fits what is known, row by row: (values, rows)."""
    fits = np.ones((len(table), len(known)), dtype=np.bool_)
    for column, wanted in zip(table.T, known.T, strict=True):
        fits &= (column[:, None] == wanted) | (wanted < 0)
    return fits


def _used(encoding: Encoding, parts: Indices) -> Bits:
    """Return which operators must know the value before: a single variable can be changed whatever it was."""
    needs = (encoding.before[:, parts] >= 0).any(1)
    changes = (encoding.after[:, parts] >= 0).any(1)
    return np.asarray(needs if len(parts) == 1 else needs | changes, dtype=np.bool_)


def _log_copies(encoding: Encoding, variable: Variable) -> NDArray[np.float64]:
    """Return the logarithm of the number of copies that each operator gets for one variable."""
    counts = _fits(variable.values, encoding.before[:, variable.parts]).sum(0)
    return np.where(_used(encoding, variable.parts), np.log(np.maximum(counts, 1)), 0.0)


def _say(encoding: Encoding, variables: Sequence[Variable]) -> Merged:
    """Say the operators in merged variables: copied for each combination that fits what one knows, none if none does.

    Variables of one value are left out, once they have told which operators can never be applied.
    """
    source = np.arange(len(encoding.cost))
    before = after = np.empty((len(source), 0), dtype=np.intp)
    for parts, table in variables:
        makes = encoding.after[source][:, parts]
        fits = _fits(table, encoding.before[:, parts]).T  # (operators, values)
        used = _used(encoding, parts)
        any_value = np.concatenate([fits & used[:, None], ~used[:, None]], axis=1)  # the last one means: any
        rows, old = np.nonzero(any_value[source])
        old[old == len(table)] = -1
        made = np.where(makes[rows] >= 0, makes[rows], table[old])
        new = np.where((makes[rows] >= 0).any(1), _numbers(table, made), -1)
        new[new == old] = -1
        source, before, after = source[rows], np.c_[before[rows], old], np.c_[after[rows], new]
    several = np.array([len(variable.values) > 1 for variable in variables], dtype=np.bool_)
    live = np.asarray((after[:, several] >= 0).any(1), dtype=np.bool_)
    return Merged(
        [variable for variable in variables if len(variable.values) > 1],
        [variable for variable in variables if len(variable.values) == 1],
        [encoding.names[row] for row in source[live].tolist()],
        encoding.cost[source[live]],
        before[np.ix_(live, several)],
        after[np.ix_(live, several)],
    )


def _numbers(table: Values, rows: Values) -> Indices:
    """Return where in a table each row stands, -1 if nowhere."""
    place = {tuple(row): number for number, row in enumerate(table.tolist())}
    return np.array([place.get(tuple(row), -1) for row in rows.tolist()], dtype=np.intp)
