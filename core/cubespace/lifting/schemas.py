"""Schemas: a form, its static relations and what must not be in the way, as an action with parameters."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from cubespace.base.arrays import Indices
from cubespace.lifting.cast import PARAMETERS, Cast, Kind
from cubespace.lifting.contexts import Context, find_context
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.forms import Examples, Form
from cubespace.lifting.groundings import find_groundings
from cubespace.lifting.model import Atom, Forbidden, Predicate, Schema, Typed
from cubespace.lifting.relations import Relation, find_relations
from cubespace.lifting.surroundings import Surrounding, Surroundings, find_surroundings, oriented
from cubespace.lifting.variables import Observed

PAIR = 2  # things that a form is about, of which types can be made
SHOWN_EXAMPLES = 6  # transitions of a schema that are kept, to be shown
SWAP = Form(((0, 0, 1), (1, 1, 0)))
ALONE = Form(((0, 0, 1),))


@attrs.frozen(eq=False, kw_only=True)
class Found:
    """What was found about a form."""

    examples: Examples
    context: Context | None
    surroundings: Surroundings | None
    relations: tuple[Relation, ...]
    groundings: Indices  # (groundings, parameters), what the relations allow
    shown: tuple[int, ...]  # a few transitions of the training split, as examples


def study(observed: Observed, named: Indices, examples: Examples, criteria: Criteria) -> Found:
    """Find what a form depends on; ``named`` are the states before, by the names of values."""
    context = find_context(observed, named, examples, criteria)
    surroundings = find_surroundings(observed, named, examples, criteria) if context is None else None
    if surroundings is not None:
        examples = oriented(observed, examples, surroundings)
    candidates = find_groundings(observed, named, examples, context, surroundings)
    relations, groundings = find_relations(candidates, criteria)
    if surroundings is not None and examples.form.values == PAIR:
        relations = [*relations, _pairs(surroundings, examples)]
    return Found(
        examples=examples,
        context=context,
        surroundings=surroundings,
        relations=tuple(relations),
        groundings=groundings.arguments,
        shown=some_of(observed.rows[examples.transitions]),
    )


def _pairs(surroundings: Surroundings, examples: Examples) -> Relation:
    """Return the relation of the pivot with everything else, from which types are made."""
    others = set(examples.arguments[:, 1 - surroundings.parameter].tolist())
    rows = {row for other in others for row in ((other, surroundings.pivot), (surroundings.pivot, other))}
    return Relation(parameters=(0, 1), rows=frozenset(rows), undecided=0)


def some_of(rows: Indices) -> tuple[int, ...]:
    """Return a few examples, evenly spaced."""
    return tuple(rows[:: max(1, len(rows) // SHOWN_EXAMPLES)][:SHOWN_EXAMPLES].tolist())


class Vocabulary:
    """Static predicates by their meaning: a relation that is found twice has one name."""

    def __init__(self) -> None:
        self.predicates: list[Predicate] = []
        self.facts: list[Atom] = []
        self._names: dict[tuple[tuple[Kind, ...], frozenset[tuple[str, ...]]], str] = {}

    def name(self, kinds: tuple[Kind, ...], rows: frozenset[tuple[str, ...]], word: str, note: str) -> str:
        """Return the name of a relation; a relation that is new gets one that begins with ``word``."""
        known = self._names.get((kinds, rows))
        if known is not None:
            return known
        taken = sum(name.rstrip("0123456789") == word for name in self._names.values())
        name = word if not taken else f"{word}{taken + 1}"
        self._names[kinds, rows] = name
        letters: Mapping[Kind, str] = {"thing": "xyz", "place": "pqr"}
        count: dict[Kind, int] = {"thing": 0, "place": 0}
        parameters = []
        for kind in kinds:
            parameters.append(Typed(f"?{letters[kind][count[kind]]}", kind))
            count[kind] += 1
        self.predicates.append(Predicate(name, tuple(parameters), static=True, note=note))
        self.facts += [Atom(name, row) for row in sorted(rows)]
        return name


def make_schema(found: Found, cast: Cast, words: Vocabulary, kinds: Mapping[int, str], name: str) -> Schema:
    """Return the schema of a form; ``kinds`` are the types of parameters that are narrower than thing or place."""
    form, names = found.examples.form, cast.parameters(found.examples.form)
    old = [cast.at(names[old], names[form.values + variable]) for variable, old, _ in form.changes]
    new = [cast.at(names[new], names[form.values + variable]) for variable, _, new in form.changes]
    parameters = [Typed(names[column], kinds.get(column, cast.kind(form, column))) for column in range(len(form))]
    given = [_given(relation, found, cast, words) for relation in found.relations]
    together = [set(relation.parameters) for relation in found.relations]
    return Schema(
        name=name,
        parameters=tuple(sorted(parameters, key=lambda each: each.name[1] in PARAMETERS["place"])),  # things first
        given=tuple(given),
        true=tuple(old),
        false=tuple(_distinct(form, cast, names, together)),
        forbidden=(
            *(() if found.context is None else (_forbidden(found.context, form, cast, words),)),
            *_elsewhere(found.surroundings, form, cast, words),
        ),
        add=tuple(new),
        delete=tuple(old),
        transitions=len(found.examples.transitions),
        events=len(np.unique(found.examples.event)),
        examples=found.shown,
    )


def _given(relation: Relation, found: Found, cast: Cast, words: Vocabulary) -> Atom:
    """Return the static precondition that a relation is."""
    form, names = found.examples.form, cast.parameters(found.examples.form)
    columns = relation.parameters
    kinds = tuple(cast.kind(form, column) for column in columns)
    rows = frozenset(
        tuple(cast.name(form, column, argument) for column, argument in zip(columns, row, strict=True))
        for row in {tuple(row) for row in found.groundings[:, columns].tolist()}
    )
    note = "static" if not relation.undecided else f"static; {relation.undecided} combinations were too rare to tell"
    return Atom(words.name(kinds, rows, _word(kinds, rows), note), tuple(names[column] for column in columns))


def _word(kinds: tuple[Kind, ...], rows: frozenset[tuple[str, ...]]) -> str:
    """Return a word for a relation by what it is between."""
    if kinds == ("place", "place"):
        return "near" if all((other, one) in rows for one, other in rows) else "leads"
    if len(kinds) == 1:
        return "movable" if kinds == ("thing",) else "active"
    return "pairs" if set(kinds) == {"thing"} else "fits"


def _distinct(form: Form, cast: Cast, names: list[str], together: list[set[int]]) -> list[Atom]:
    """Return the new facts that must be false before, where no relation says that the old and new place differ."""
    needed = []
    for variable, old, new in form.changes:
        if any({old, new} <= columns for columns in together):
            continue
        if form.changes == SWAP.changes and any({form.values, form.values + 1} <= columns for columns in together):
            continue
        needed.append(cast.at(names[new], names[form.values + variable]))
    return needed


def _forbidden(context: Context, form: Form, cast: Cast, words: Vocabulary) -> Forbidden:
    """Return the precondition that nothing is in the way."""
    names, kind = cast.parameters(form), cast.variables
    rows = frozenset(
        (cast.variable_names[one], cast.variable_names[other]) for one, other in np.argwhere(context.blocks).tolist()
    )
    order = "a total order" if context.total_order else "static"
    note = f"{order}; {context.certain} of {len(rows)} pairs are certain, the others were never seen otherwise"
    name = words.name((kind, kind), rows, "blocks", note)
    return Forbidden(
        parameters=(Typed("?z", kind),),
        given=(Atom(name, ("?z", names[form.values + context.variable])),),
        absent=tuple(cast.at(names[value], "?z") for value in context.values),
    )


def _elsewhere(surroundings: Surroundings | None, form: Form, cast: Cast, words: Vocabulary) -> list[Forbidden]:
    """Return the preconditions that other places are empty, or are not; what is on what is named by the upper place."""
    if surroundings is None:
        return []
    names, kind, result = cast.parameters(form), cast.variables, []
    for one in surroundings.each:
        numbers = np.argwhere(one.places).tolist()
        pairs = [(cast.variable_names[other], cast.variable_names[place]) for other, place in numbers]
        other, place = f"?{names[form.values][1]}{one.variable}", names[form.values + one.variable]
        upper_first = one.empty or not one.stack
        rows = frozenset(pairs if upper_first else [(upper, lower) for lower, upper in pairs])
        word = "on" if one.stack else "covers" if one.empty else "carries"
        note = f"static; {one.certain} of {len(rows)} pairs are certain; {_told(one)}"
        name = words.name((kind, kind), rows, word, note)
        fact = cast.at(names[surroundings.parameter], other)
        result.append(
            Forbidden(
                parameters=(Typed(other, kind),),
                given=(Atom(name, (other, place) if upper_first else (place, other)),),
                absent=() if one.empty else (fact,),
                present=(fact,) if one.empty else (),
            )
        )
    return result


def _told(one: Surrounding) -> str:
    """Return in words what a condition is about."""
    if one.stack:
        return "the first place rests on the second: clear if nothing is there"
    return "nothing may be there" if one.empty else "something must be there"


def action_name(form: Form, cast: Cast) -> str:
    """Return a word for what happens."""
    if form == SWAP:
        return "swap"
    if form == ALONE and cast.variables == "thing":
        return "move"
    return "change"
