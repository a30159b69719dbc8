"""What must be elsewhere: places that must be empty, or must not be, before a thing leaves or takes a place.

A block is taken from a place only if nothing is on top of it, and put on a place only if there is something below. Such
a condition is a relation between places. Empty is what one value says that takes part in every event, the pivot.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.forms import Examples
from cubespace.lifting.variables import Observed

Numbers = NDArray[np.float64]
FREE, TAKEN = 0, 1  # what another place may be found never to be


@attrs.frozen(eq=False, kw_only=True)
class Surrounding:
    """Which other places must be empty, or must not be, before a variable parameter changes."""

    variable: int  # the variable parameter
    empty: bool  # whether they must be empty
    places: Bits  # (variables, variables): [z, p] if z must be so before p changes
    certain: int  # pairs that chance does not explain
    stack: bool = False  # whether what must be empty for one place is what must not be empty for the other


@attrs.frozen(eq=False, kw_only=True)
class Surroundings:
    """All such conditions of a form."""

    pivot: int  # the name of the value that says that a place is empty
    parameter: int  # the value parameter that it always is
    each: tuple[Surrounding, ...]


def find_pivot(observed: Observed, examples: Examples, most_accidents: float) -> tuple[int, int] | None:
    """Return the value that takes part in every event, and the value parameter that it is in one order of each.

    Events that are accidents may lack it, at most the fraction ``most_accidents`` of the transitions.
    """
    form = examples.form
    if form.variables < 2 or form.values < 2:
        return None
    for parameter in reversed(range(form.values)):
        for name in np.unique(examples.arguments[:, parameter]).tolist():
            events = examples.event[examples.arguments[:, parameter] == name]
            with_pivot = np.unique(events)
            if len(with_pivot) != len(events):
                continue
            if observed.counts[with_pivot].sum() >= (1 - most_accidents) * len(examples.transitions):
                return name, parameter
    return None


def oriented(observed: Observed, examples: Examples, surroundings: Surroundings) -> Examples:
    """Return the events with the pivot, each in the order in which the pivot has its parameter."""
    rows = examples.arguments[:, surroundings.parameter] == surroundings.pivot
    event, shown = examples.event[rows], observed.event[examples.transitions]
    kept = examples.transitions[np.isin(shown, event)]
    return attrs.evolve(examples, arguments=examples.arguments[rows], event=event, transitions=kept)


def find_surroundings(
    observed: Observed, named: Indices, examples: Examples, criteria: Criteria
) -> Surroundings | None:
    """Return the conditions on other places, or None if there are none; ``named`` are the states before, by names.

    The evidence for a place is that of all events that change it in the same part, whatever they move and wherever to:
    how often would another place have been empty, or not, if it did not matter? In each round every place gets the
    condition that explains most, if chance does not; then only the trials count in which it holds.
    """
    found = find_pivot(observed, examples, criteria.most_accidents)
    if found is None:
        return None
    surroundings = Surroundings(pivot=found[0], parameter=found[1], each=())
    events = oriented(observed, examples, surroundings)
    needed, never = _needed(_Trials.of(observed, named, events, surroundings.pivot), criteria)
    each = [
        Surrounding(variable=part, empty=kind == TAKEN, places=places, certain=int(places.sum()))
        for kind, parts in enumerate(needed)
        for part, places in enumerate(parts)
        if places.any()
    ]
    return attrs.evolve(surroundings, each=tuple(_completed(each, never))) if each else None


def _needed(trials: _Trials, criteria: Criteria) -> tuple[Bits, Bits]:
    """Return what is surely never so elsewhere, and what was never seen to be, (2, parts, other place, place) each."""
    needed = np.zeros((2, trials.about.shape[1], trials.empty.shape[1], trials.empty.shape[1]), dtype=np.bool_)
    while True:
        expected, seen = trials.count()
        never = seen <= criteria.accident_rate * expected
        strength = np.where(never, expected, 0.0)
        tests = max(1, int((expected > 0).sum()))
        strength[strength <= math.log(tests / criteria.level)] = 0.0
        if not strength.any():
            return needed, never
        part = int(strength.max((0, 2, 3)).argmax())  # the variable parameter with the strongest evidence
        for place in np.flatnonzero(strength[:, part].any((0, 1))).tolist():
            kind, other = divmod(int(strength[:, part, :, place].argmax()), strength.shape[2])
            needed[kind, part, other, place] = True
            trials.restrict(part, place, other, empty=kind == TAKEN)


def _completed(each: list[Surrounding], never: Bits) -> list[Surrounding]:
    """Complete conditions of which one is the other seen from below, where nothing was seen that contradicts.

    Worked example: nothing is taken from place 1 with something at 2, nothing is put on 2 with nothing at 1: place 2 is
    on 1. If only one of the two is certain for places 3 and 4, both are assumed.
    """
    for one in each:
        for other in each:
            shared = one.places & other.places.T
            if one.empty and not other.empty and 2 * shared.sum() > max(one.places.sum(), other.places.sum()):
                together = (one.places | other.places.T) & never[TAKEN, one.variable] & never[FREE, other.variable].T
                pair = (
                    attrs.evolve(one, places=together | one.places, stack=True),
                    attrs.evolve(other, places=(together.T | other.places), stack=True),
                )
                return [*pair, *(left for left in each if left is not one and left is not other)]
    return each


@attrs.frozen(eq=False)
class _Trials:
    """The transitions in which each event was possible, and those that show it."""

    about: Indices  # (events, variable parameters)
    possible: Bits  # (events, transitions), changed by ``restrict``
    shown: Bits  # (events, transitions)
    empty: Bits  # (transitions, variables)

    @classmethod
    def of(cls, observed: Observed, named: Indices, examples: Examples, pivot: int) -> _Trials:
        form, about = examples.form, examples.arguments[:, examples.form.values :]
        possible = np.ones((len(about), len(named)), dtype=np.bool_)
        for variable, old, _ in form.changes:
            possible &= examples.arguments[:, [old]] == named[:, about[:, variable]].T
        return cls(about, possible, observed.event == examples.event[:, None], named == pivot)

    def count(self) -> tuple[Numbers, Numbers]:
        """Return how often places would have been free or taken, and were: (2, parts, other place, place) each."""
        tries, shows = (each.astype(np.float32) for each in (self.possible, self.shown & self.possible))
        rate = shows.sum(1) / np.maximum(tries.sum(1), 1)
        elsewhere = np.ones((len(self.about), self.empty.shape[1]))  # (events, variables)
        np.put_along_axis(elsewhere, self.about, 0.0, axis=1)
        result = []
        for counts in (tries * rate[:, None], shows):
            free = counts @ self.empty.astype(np.float32) * elsewhere
            taken = counts.sum(1, keepdims=True) * elsewhere - free
            table = np.zeros((2, self.about.shape[1], self.empty.shape[1], self.empty.shape[1]))
            for part in range(self.about.shape[1]):
                for kind, each in ((FREE, free), (TAKEN, taken)):
                    np.add.at(table[kind, part].T, self.about[:, part], each)
            result.append(table)
        return result[0], result[1]

    def restrict(self, part: int, place: int, other: int, *, empty: bool) -> None:
        """Count only the trials in which another place is as it must be for a place."""
        rows = (self.about[:, part] == place) & (self.about != other).all(1)
        self.possible[rows] &= self.empty[:, other] == empty
