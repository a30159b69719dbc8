"""Types: things that only ever take different parts in an action are of different types."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.cast import Cast
from cubespace.lifting.forms import Examples
from cubespace.lifting.relations import Relation
from cubespace.lifting.schemas import Found


@attrs.frozen(kw_only=True)
class Split:
    """Two types of things, by the numbers of values, that two parameters of a form stand for."""

    relation: Relation  # that the types express
    sides: tuple[frozenset[int], frozenset[int]]

    @property
    def columns(self) -> tuple[int, ...]:
        """Return the parameters, in the order of the types."""
        return self.relation.parameters

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of the types: a pivot is the one thing that takes part in every event."""
        return ("piece", "pivot") if len(self.sides[1]) == 1 else ("kind1", "kind2")

    def in_order(self, arguments: Indices) -> Bits:
        """Return which arguments of a form are of their types."""
        first, second = (arguments[:, column] for column in self.columns)
        return np.isin(first, list(self.sides[0])) & np.isin(second, list(self.sides[1]))


def find_split(cast: Cast, examples: Examples, relations: Sequence[Relation]) -> Split | None:
    """Return two types that express all of a relation between two parameters for things, or None.

    Worked example: tiles change places only with the blank. The relation of the two holds for (tile, blank) and for
    (blank, tile): every thing of one type with every thing of the other. As a change of places can be described in
    either order, one order suffices, with types instead of the relation.
    """
    for relation in relations:
        if [cast.kind(examples.form, column) for column in relation.parameters] != ["thing", "thing"]:
            continue
        sides = _sides(relation)
        if sides is None:
            continue
        split = Split(relation=relation, sides=sides)
        if len(set(examples.event[split.in_order(examples.arguments)])) == len(set(examples.event)):
            return split
    return None


def _sides(relation: Relation) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return two sets, the larger one first, such that each thing is related to all of the other set; or None."""
    partners: dict[int, set[int]] = {}
    for one, other in relation.rows:
        partners.setdefault(one, set()).add(other)
    sides = sorted({frozenset(side) for side in partners.values()}, key=lambda side: (-len(side), min(side)))
    if len(sides) != 2 or sides[0] & sides[1] or set(partners) != sides[0] | sides[1]:
        return None
    first, second = sides
    crossed = all(partners[thing] == second for thing in first) and all(partners[thing] == first for thing in second)
    return (first, second) if crossed else None


def narrowed(found: Found, split: Split) -> Found:
    """Return what was found about a form with its parameters in the order of the types, instead of the relation."""
    relations = tuple(relation for relation in found.relations if relation is not split.relation)
    rows = split.in_order(found.groundings)
    return attrs.evolve(found, relations=relations, groundings=found.groundings[rows])
