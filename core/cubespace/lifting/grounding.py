"""Ground a lifted model again: a STRIPS model over the bits of the run, for every solver and for every check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.lifting.model import Atom, LiftedModel, Meaning, Schema, Typed
from cubespace.symbols.strips import StripsModel

Literals = dict[int, bool]  # bits that are true, bits that are false
BitValues = tuple[tuple[int, bool], ...]  # the same, sorted
Binding = dict[str, str]  # of parameters to objects


@attrs.frozen(eq=False, kw_only=True)
class Grounded:
    """The STRIPS model of a lifted one."""

    model: StripsModel
    calls: tuple[str, ...]  # of each action, the call of its schema as planners write it: (swap o1 o9 p1 p2)
    unknown: int  # calls that are left out because one of their facts was never seen, so that no bit stands for it

    def rows(self, call: str) -> list[int]:
        """Return the actions that a call of a schema may be, depending on the state."""
        return [row for row, each in enumerate(self.calls) if each == call]


@attrs.frozen
class _Action:
    """One row of the model: literals before and after."""

    name: str
    call: str
    before: BitValues
    after: BitValues


def ground(lifted: LiftedModel) -> Grounded:
    """Return all actions; of several that do the same under the same conditions, the first one."""
    meaning = dict(lifted.meaning)
    actions: dict[tuple[object, object], _Action] = {}
    unknown = 0
    for schema in lifted.schemas:
        for binding in bindings(lifted, schema.parameters, schema.given):
            try:
                rows = list(_actions(lifted, schema, binding, meaning))
            except KeyError:  # a fact that was never seen
                unknown += 1
                continue
            for action in rows:
                actions.setdefault((action.before, action.after), action)
    return Grounded(
        model=_strips(lifted.bits, list(actions.values())),
        calls=tuple(action.call for action in actions.values()),
        unknown=unknown,
    )


def bindings(lifted: LiftedModel, parameters: Sequence[Typed], given: Iterable[Atom]) -> Iterator[Binding]:
    """Yield all ways to fill in parameters such that the static facts hold."""
    facts, conditions = set(lifted.facts), list(given)

    def fill(binding: Binding, left: Sequence[Typed]) -> Iterator[Binding]:
        if not left:
            yield dict(binding)
            return
        for name in lifted.objects_of(left[0].type):
            binding[left[0].name] = name
            bound = (each.bound(binding) for each in conditions if left[0].name in each.terms)
            if all(each in facts or any(term[0] == "?" for term in each.terms) for each in bound):
                yield from fill(binding, left[1:])
        binding.pop(left[0].name, None)

    yield from fill({}, parameters)


def _actions(
    lifted: LiftedModel, schema: Schema, binding: Binding, meaning: Mapping[Atom, Meaning]
) -> Iterator[_Action]:
    """Yield the actions of one call: one for each combination of the facts that its conditional effects turn over."""
    words = [binding[parameter.name] for parameter in schema.parameters]
    before: Literals = {}
    conditions = [(atom.bound(binding), True) for atom in schema.true]
    conditions += [(atom.bound(binding), False) for atom in schema.false]
    conditions += [(atom, value) for atom, value in _everywhere(lifted, schema, binding) if value or atom in meaning]
    for atom, value in conditions:
        for bit, needed in _literals(meaning[atom], value):
            if before.setdefault(bit, needed) != needed:
                return  # a contradiction: never possible
    flips = [
        flip.fact.bound({**binding, **more})
        for flip in schema.flips
        for more in bindings(lifted, flip.parameters, [atom.bound(binding) for atom in flip.given])
    ]
    for case in product((False, True), repeat=len(flips)):
        condition, effect = dict(before), Literals()
        for atom, value in (
            *_changes(schema, binding),
            *((fact, not old) for fact, old in zip(flips, case, strict=True)),
        ):
            effect.update(_literals(meaning[atom], value))
        for fact, old in zip(flips, case, strict=True):
            condition.update(_literals(meaning[fact], old))
        suffix = "".join("1" if old else "0" for old in case)
        name = "_".join((schema.name, *words)) + (f"-{suffix}" if suffix else "")
        changed = {bit: value for bit, value in effect.items() if condition.get(bit) != value}
        if changed:
            call = f"({' '.join((schema.name, *words))})"
            yield _Action(name, call, tuple(sorted(condition.items())), tuple(sorted(changed.items())))


def _changes(schema: Schema, binding: Binding) -> list[tuple[Atom, bool]]:
    """Return what becomes false and then what becomes true, as PDDL has it."""
    return [
        *((atom.bound(binding), False) for atom in schema.delete),
        *((atom.bound(binding), True) for atom in schema.add),
    ]


def _everywhere(lifted: LiftedModel, schema: Schema, binding: Binding) -> list[tuple[Atom, bool]]:
    """Return the facts that universal preconditions forbid, and those that they demand."""
    return [
        (atom.bound({**binding, **more}), value)
        for each in schema.forbidden
        for more in bindings(lifted, each.parameters, [atom.bound(binding) for atom in each.given])
        for atoms, value in ((each.absent, False), (each.present, True))
        for atom in atoms
    ]


def _literals(meaning: Meaning, value: bool) -> list[tuple[int, bool]]:
    """Return the literals that say that a fact is true, or false."""
    if meaning.false is None:
        return [(meaning.true, value)]
    return [(meaning.true, value), (meaning.false, not value)]


def _mask(bits: int, rows: Sequence[BitValues], value: bool) -> Bits:
    """Return which bits have a value, (rows, bits)."""
    mask = np.zeros((len(rows), bits), dtype=np.bool_)
    for number, row in enumerate(rows):
        mask[number, [bit for bit, given in row if given == value]] = True
    return mask


def _strips(bits: int, actions: Sequence[_Action]) -> StripsModel:
    before, after = [action.before for action in actions], [action.after for action in actions]
    return StripsModel(
        names=[action.name for action in actions],
        add=_mask(bits, after, True),
        delete=_mask(bits, after, False),
        positive=_mask(bits, before, True),
        negative=_mask(bits, before, False),
        support=np.zeros(len(actions), dtype=np.intp),
        cost=np.ones(len(actions), dtype=np.intp),
    )
