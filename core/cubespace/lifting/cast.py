"""Roles: whether values are things that move between places, or variables are things that are at places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

from cubespace.lifting.forms import Form
from cubespace.lifting.model import Atom, numbered
from cubespace.lifting.naming import UNNAMED, Naming
from cubespace.lifting.variables import Variables

Kind = Literal["thing", "place"]
LETTERS: Mapping[Kind, str] = {"thing": "o", "place": "p"}
PARAMETERS: Mapping[Kind, str] = {"thing": "xyzuvw", "place": "pqrstl"}


@attrs.frozen(kw_only=True)
class Cast:
    """The names of objects, and which of them are values and which are variables."""

    values: Kind  # what the values of variables are; variables are the other kind
    value_names: tuple[str, ...]  # of each name of the naming
    variable_names: tuple[str, ...]

    @property
    def variables(self) -> Kind:
        """Return what variables are."""
        return "place" if self.values == "thing" else "thing"

    def kind(self, form: Form, column: int) -> Kind:
        """Return what a parameter of a form stands for."""
        return self.values if column < form.values else self.variables

    def name(self, form: Form, column: int, argument: int) -> str:
        """Return the object that an argument of a form is."""
        return self.value_names[argument] if column < form.values else self.variable_names[argument]

    def at(self, value: str, variable: str) -> Atom:
        """Return the fact that a variable has a value: a thing is at a place."""
        return Atom("at", (value, variable) if self.values == "thing" else (variable, value))

    def parameters(self, form: Form) -> list[str]:
        """Return a name for each parameter: ?x, ?y, … for things, ?p, ?q, … for places."""
        count: dict[Kind, int] = {"thing": 0, "place": 0}
        names = []
        for column in range(len(form)):
            kind = self.kind(form, column)
            names.append(f"?{PARAMETERS[kind][count[kind]]}")
            count[kind] += 1
        return names


def make_cast(values: Kind, variable_order: Sequence[int], value_order: Sequence[int]) -> Cast:
    """Number the objects, variables and values each in a given order."""
    variables: Kind = "place" if values == "thing" else "thing"
    return Cast(
        values=values,
        value_names=_in_order(LETTERS[values], value_order),
        variable_names=_in_order(LETTERS[variables], variable_order),
    )


def _in_order(letter: str, order: Sequence[int]) -> tuple[str, ...]:
    names = [""] * len(order)
    for name, number in zip(numbered(letter, len(order)), order, strict=True):
        names[number] = name
    return tuple(names)


def facts(cast: Cast, naming: Naming, variables: Variables) -> list[tuple[Atom, int]]:
    """Return the fact that each named value of each variable is, with its bit."""
    return [
        (cast.at(cast.value_names[naming.names[number, value]], cast.variable_names[number]), bit)
        for number, bits in enumerate(variables.bits)
        for value, bit in enumerate(bits)
        if naming.names[number, value] != UNNAMED
    ]
