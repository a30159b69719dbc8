"""Forms: events that are the same except for the variables and values they are about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import attrs
import numpy as np

from cubespace.base.arrays import Indices
from cubespace.lifting.naming import Naming
from cubespace.lifting.variables import Change, Observed

MAX_CHANGES = 5  # of one event: its parameters are tried in every order, 120 of them


@attrs.frozen
class Form:
    """Changes in terms of parameters: the value parameters are numbered first, then the variable parameters.

    Two tiles that change places: ``changes = ((0, 0, 1), (1, 1, 0))``: variable 0 had value 0 and gets value 1, and the
    other way round.
    """

    changes: tuple[Change, ...]  # variable parameter, old and new value parameter

    @property
    def values(self) -> int:
        """Return the number of value parameters."""
        return max(max(old, new) for _, old, new in self.changes) + 1

    @property
    def variables(self) -> int:
        """Return the number of variable parameters."""
        return max(variable for variable, _, _ in self.changes) + 1

    def __len__(self) -> int:
        """Return the number of parameters."""
        return self.values + self.variables


@attrs.frozen(eq=False, kw_only=True)
class Examples:
    """The events of one form: what its parameters stood for, in every order that gives the same form."""

    form: Form
    arguments: Indices  # (orders of all events, parameters): names of values, then variables
    event: Indices  # (orders of all events,), the event that each belongs to
    transitions: Indices  # numbers of the observed transitions that show such an event


def find_forms(observed: Observed, naming: Naming) -> list[Examples]:
    """Return the forms of all events, the one with most transitions first; events of too many changes have none."""
    found: dict[Form, list[tuple[int, tuple[int, ...]]]] = {}
    for number, event in enumerate(observed.events):
        if len(event) > MAX_CHANGES:
            continue
        named = [(one, int(naming.names[one, old]), int(naming.names[one, new])) for one, old, new in event]
        form, orders = _canonical(named)
        found.setdefault(form, []).extend((number, arguments) for arguments in orders)
    result = []
    for form, rows in found.items():
        events = np.array([number for number, _ in rows], dtype=np.intp)
        result.append(
            Examples(
                form=form,
                arguments=np.array([arguments for _, arguments in rows], dtype=np.intp),
                event=events,
                transitions=np.flatnonzero(np.isin(observed.event, events)),
            )
        )
    return sorted(result, key=lambda each: -len(each.transitions))


def _canonical(changes: Sequence[Change]) -> tuple[Form, list[tuple[int, ...]]]:
    """Return the form of some changes and the arguments in every order that leads to it."""
    ways: dict[tuple[Change, ...], list[tuple[int, ...]]] = {}
    for order in permutations(changes):
        values: dict[int, int] = {}
        form = tuple(
            (place, values.setdefault(old, len(values)), values.setdefault(new, len(values)))
            for place, (_, old, new) in enumerate(order)
        )
        ways.setdefault(form, []).append((*values, *(variable for variable, _, _ in order)))
    first = min(ways)
    return Form(first), ways[first]
