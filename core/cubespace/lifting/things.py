"""The lifted model of things at places, put together from what was found about each form of event."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cubespace.lifting.cast import Cast, facts
from cubespace.lifting.model import LiftedModel, Meaning, Predicate, Schema, Typed, of_type
from cubespace.lifting.naming import Naming
from cubespace.lifting.schemas import Found, Vocabulary, action_name, make_schema
from cubespace.lifting.sorts import Split, find_split, narrowed
from cubespace.lifting.variables import Observed


def by_weight(found: Sequence[Found], order: Sequence[int]) -> list[int]:
    """Return variables that are things ordered by how many others block them, the one that nothing blocks first."""
    blocked = np.zeros(len(order), dtype=np.intp)
    for each in found:
        if each.context is not None:
            blocked += each.context.blocks.sum(0)
    return sorted(order, key=lambda one: int(blocked[one]))


def assemble(observed: Observed, naming: Naming, cast: Cast, found: Sequence[Found]) -> LiftedModel:
    """Put types, objects, predicates and schemas together; all actions share the types that the first one needs."""
    splits = [find_split(cast, each.examples, each.relations) for each in found]
    world = next((split for split in splits if split is not None), None)
    words, schemas = Vocabulary(), list[Schema]()
    for each, split in zip(found, splits, strict=True):
        kinds: dict[int, str] = {}
        typed = each
        if split is not None and world is not None and split.sides == world.sides:
            typed, kinds = narrowed(each, split), dict(zip(split.columns, split.names, strict=True))
        name = action_name(each.examples.form, cast)
        count = sum(schema.name.rstrip("0123456789") == name for schema in schemas)
        schemas.append(make_schema(typed, cast, words, kinds, name if not count else f"{name}{count + 1}"))
    at = Predicate("at", (Typed("?x", "thing"), Typed("?p", "place")), static=False)
    return LiftedModel(
        bits=sum(len(bits) for bits in observed.variables.bits),
        types=(*of_type(["thing", "place"], "object"), *(of_type(world.names, "thing") if world else ())),
        objects=_objects(observed, cast, world),
        predicates=(at, *words.predicates),
        facts=tuple(words.facts),
        schemas=tuple(schemas),
        meaning=tuple((fact, Meaning(bit)) for fact, bit in facts(cast, naming, observed.variables)),
    )


def _objects(observed: Observed, cast: Cast, world: Split | None) -> tuple[Typed, ...]:
    """Return all objects with their types, things first."""
    changing = set(observed.changing.tolist())
    objects = [Typed(name, cast.variables) for one, name in enumerate(cast.variable_names) if one in changing]
    for number, name in enumerate(cast.value_names):
        kind: str = cast.values
        if world is not None:
            kind = next((kind for side, kind in zip(world.sides, world.names, strict=True) if number in side), kind)
        objects.append(Typed(name, kind))
    return tuple(sorted(objects, key=lambda each: (each.type == "place", each.name)))
