"""The lifted model: types, objects, predicates, static facts and action schemas, and the bits that facts stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from cubespace.base.arrays import Bits


@attrs.frozen(order=True)
class Atom:
    """A predicate with its arguments: parameters such as ``?x``, or objects."""

    predicate: str
    terms: tuple[str, ...]

    def bound(self, binding: Mapping[str, str]) -> Atom:
        """Return it with parameters replaced."""
        return Atom(self.predicate, tuple(binding.get(term, term) for term in self.terms))

    def __str__(self) -> str:
        """Return it in PDDL."""
        return f"({' '.join((self.predicate, *self.terms))})"


@attrs.frozen
class Typed:
    """A name with its type: a parameter, an object, or a type with the type above it."""

    name: str
    type: str


@attrs.frozen
class Predicate:
    """A predicate; a static one is always true of the same objects."""

    name: str
    parameters: tuple[Typed, ...]
    static: bool
    note: str = ""  # what it was found to be


@attrs.frozen
class Forbidden:
    """A universal precondition: for all ``parameters`` with the facts ``given``, what is ``absent`` is false.

    What is ``present`` is true: nothing else may be there.
    """

    parameters: tuple[Typed, ...]
    given: tuple[Atom, ...]
    absent: tuple[Atom, ...] = ()
    present: tuple[Atom, ...] = ()


@attrs.frozen
class Flip:
    """A conditional effect: for all ``parameters`` with the static facts ``given``, a fact becomes its opposite."""

    parameters: tuple[Typed, ...]
    given: tuple[Atom, ...]
    fact: Atom


@attrs.frozen(kw_only=True)
class Schema:
    """An action with parameters."""

    name: str
    parameters: tuple[Typed, ...]
    given: tuple[Atom, ...] = ()  # static facts that must hold
    true: tuple[Atom, ...] = ()
    false: tuple[Atom, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    add: tuple[Atom, ...] = ()
    delete: tuple[Atom, ...] = ()
    flips: tuple[Flip, ...] = ()
    transitions: int = 0  # of the training split that show it
    events: int = 0  # distinct ones among them
    examples: tuple[int, ...] = ()  # a few of these transitions, by their numbers in the training split


@attrs.frozen
class Meaning:
    """The bit that is true when a fact is, and the one that is true when it is not, if there is one."""

    true: int
    false: int | None = None


@attrs.frozen(kw_only=True)
class LiftedModel:
    """Objects, predicates and schemas; ``meaning`` pairs each fact that changes with its bits."""

    bits: int
    types: tuple[Typed, ...]
    objects: tuple[Typed, ...]
    predicates: tuple[Predicate, ...]
    facts: tuple[Atom, ...]  # static ones
    schemas: tuple[Schema, ...]
    meaning: tuple[tuple[Atom, Meaning], ...]

    def objects_of(self, kind: str) -> list[str]:
        """Return the objects of a type and of the types below it."""
        above = {each.name: each.type for each in self.types}

        def belongs(name: str) -> bool:
            return name == kind or (name in above and belongs(above[name]))

        return [each.name for each in self.objects if belongs(each.type)]

    def facts_of(self, state: Bits) -> list[Atom]:
        """Return the facts that hold in a state, except for static ones."""
        return [fact for fact, meaning in self.meaning if state[meaning.true]]

    def known(self, state: Bits) -> bool:
        """Return whether facts describe a state completely: each bit that is true in it belongs to a fact."""
        described = np.zeros(self.bits, dtype=np.bool_)
        for _, meaning in self.meaning:
            described[meaning.true] = True
            if meaning.false is not None:
                described[meaning.false] = True
        return not bool((state & ~described).any())


def numbered(letter: str, count: int) -> list[str]:
    """Return names of objects: o1, o2, …; with leading zeros if there are ten or more, so that they can be sorted."""
    width = len(str(count))
    return [f"{letter}{number:0{width}d}" for number in range(1, count + 1)]


def of_type(names: Sequence[str], kind: str) -> tuple[Typed, ...]:
    """Return names that share a type."""
    return tuple(Typed(name, kind) for name in names)
