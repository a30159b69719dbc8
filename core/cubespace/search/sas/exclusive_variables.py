"""Finite-domain variables instead of bits.

Mutually exclusive bits become one variable; bits that never change or that equal another bit are dropped, and so are
actions that can never be applied. All of this follows from mutexes, so plans and their costs stay the same. A bit
remains a variable of its own if an action uses it in a way that no value of a larger variable expresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, literals
from cubespace.symbols.invariants import exclusive_groups, implied, related
from cubespace.symbols.strips import StripsModel

Values = NDArray[np.intp]  # (rows, variables), -1 where a variable is not mentioned


@attrs.frozen(eq=False)
class Encoding:
    """The variables of a model and its actions as operators on them.

    Value ``i`` of a variable means that its member ``i`` is true; one more value means that none of them is.
    """

    mutexes: Bits  # (2 * bits, 2 * bits), from which the rest follows
    usable: Bits  # (bits,), the bits that may share a variable
    same: Indices  # (2 * bits,), the literal that stands for all its equivalents
    constant: Bits  # (2 * bits,), literals of bits that never change
    variables: Sequence[Indices]  # the literals that are members of each variable
    names: Sequence[str]  # (operators,)
    cost: Indices  # (operators,)
    before: Values  # (operators, variables)
    after: Values  # (operators, variables), only where it differs from before

    def values(self, known: Bits) -> Values:
        """Return the value of each variable for rows of known literals, (rows, 2 * bits)."""
        return _values(self.variables, known, every=True)

    def unsaid(self, required: Bits, values: NDArray[np.intp]) -> Bits:
        """Return the bits of required literals, (2 * bits,), that the values of the variables do not express."""
        bits = len(required) // 2
        silent = np.zeros(bits, dtype=np.bool_)
        for members, value in zip(self.variables, values, strict=True):
            silent[members % bits] = value < 0
        unsaid = np.zeros(bits, dtype=np.bool_)
        unsaid[self.same[required & ~self.constant] % bits] = True
        return unsaid & silent

    def fact(self, variable: int, value: int) -> str:
        """Return the name of a value, unique within its variable."""
        members = self.variables[variable]
        bits = len(self.usable)
        if len(members) == 1 and value == 1:
            members, value = (members + bits) % (2 * bits), 0
        if value == len(members):
            return "<none of those>"
        literal = int(members[value])
        return f"Atom z{literal}()" if literal < bits else f"NegatedAtom z{literal - bits}()"


_encodings: WeakKeyDictionary[StripsModel, Encoding] = WeakKeyDictionary()


def encode(model: StripsModel, mutexes: Bits, usable: Bits) -> Encoding:
    """Return the encoding of a model; the last one is cached, since the tasks of a model usually share it."""
    last = _encodings.get(model)
    if last is None or not (np.array_equal(last.mutexes, mutexes) and np.array_equal(last.usable, usable)):
        last = _encodings[model] = _encode(model, mutexes, usable)
    return last


def _encode(model: StripsModel, mutexes: Bits, usable: Bits) -> Encoding:
    """Choose the variables and express the actions in them.

    With three bits, "the robot is in cell 0", "… 1", "… 2", and the actions go-01 (needs and deletes 0, adds 1) and
    go-12: the bits exclude each other, so there is one variable with the members [0, 1, 2] and the values 0, 1, 2 and
    3, "none of them". go-01 has ``before`` 0 and ``after`` 1, go-12 has ``before`` 1 and ``after`` 2.
    """
    negation = np.roll(np.arange(2 * model.bits), model.bits)
    never = mutexes.diagonal()
    constant = never | never[negation]
    follows = mutexes[:, negation]  # a implies b: a excludes not b
    same = _representatives(follows & follows.T)
    needed, made = literals(model.positive, model.negative), literals(model.add, model.delete)  # (actions, 2 bits)
    live = ~(related(needed, mutexes) & needed).any(1)
    needed, made = (_canonical(mask, same, constant) for mask in (needed, made))
    known = implied(mutexes, needed)
    made &= ~known
    live = np.asarray(live & made.any(1), dtype=np.bool_)  # an action that changes nothing is never needed
    needed, made, known = needed[live], made[live], known[live]
    representative = (same == np.arange(2 * model.bits)) & ~constant
    shared = representative & ~(made[:, negation] & ~known).any(0)  # "not a" can be made where a is known to be true
    alone = needed & ~related(needed, follows & ~follows.T)  # does not follow from anything else the action needs
    groups = exclusive_groups(mutexes, shared & np.tile(usable, 2), lambda group: _sayable(group, alone, known))
    rest = representative[: model.bits].copy()
    for group in groups:
        rest[group % model.bits] = False
    variables = [*groups, *np.flatnonzero(rest)[:, None]]
    after = _values(variables, made, every=False)
    mentioned = (after >= 0) | _mentioned(variables, needed)
    before = np.where(mentioned, _values(variables, known, every=True), -1)
    names = [name for name, alive in zip(model.names, live.tolist(), strict=True) if alive]
    after[after == before] = -1
    return Encoding(mutexes, usable, same, constant, variables, names, model.cost[live], before, after)


def _sayable(group: Indices, alone: Bits, known: Bits) -> Indices:
    """Return the members without those that an action requires only as "not this one", which is not a value."""
    bits = alone.shape[1] // 2
    while len(group) > 1:
        negation = (group + bits) % (2 * bits)
        named = np.asarray(known[:, group].any(1) | known[:, negation].all(1), dtype=np.bool_)
        unsaid = (alone[:, negation] & ~named[:, None]).sum(0)  # (members,)
        if not unsaid.any():
            break
        group = np.delete(group, unsaid.argmax())
    return group


def _mentioned(variables: Sequence[Indices], needed: Bits) -> Bits:
    """Return which variables the precondition of each action mentions, (actions, variables)."""
    bits = needed.shape[1] // 2
    either = needed[:, :bits] | needed[:, bits:]
    mentioned = np.zeros((len(needed), len(variables)), dtype=np.bool_)
    for index, members in enumerate(variables):
        mentioned[:, index] = either[:, members % bits].any(1)
    return mentioned


def _representatives(equivalent: Bits) -> Indices:
    """Return for each literal the equivalent one of the lowest bit; opposite literals get opposite ones."""
    by_bit = np.arange(len(equivalent)).reshape(2, -1).T.ravel()
    return np.asarray(by_bit[equivalent[:, by_bit].argmax(1)], dtype=np.intp)


def _canonical(mask: Bits, same: Indices, constant: Bits) -> Bits:
    """Return rows of literals with each replaced by its representative and constant ones left out."""
    rows, columns = np.nonzero(mask & ~constant)
    result = np.zeros_like(mask)
    result[rows, same[columns]] = True
    return result


def _values(variables: Sequence[Indices], known: Bits, *, every: bool) -> Values:
    """Return the value of each variable in rows of literals: "none" if ``every`` member (else: any) is negated."""
    if not variables:
        return np.empty((len(known), 0), dtype=np.intp)
    bits = known.shape[1] // 2
    sizes = np.array([len(members) for members in variables])
    members, starts = np.concatenate(variables), np.cumsum(sizes) - sizes
    position = np.arange(len(members)) - np.repeat(starts, sizes)  # of each member in its variable
    combine = np.logical_and if every else np.logical_or
    none = combine.reduceat(known[:, (members + bits) % (2 * bits)], starts, axis=1)
    first = np.minimum.reduceat(np.where(known[:, members], position, len(members)), starts, axis=1)
    return np.where(first < sizes, first, np.where(none, sizes, -1))
