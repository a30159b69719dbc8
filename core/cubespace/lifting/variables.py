"""What lifting starts from: finite-domain variables, and the events of the training transitions in their terms."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.base.differences import changed_values, number_rows

Change = tuple[int, int, int]  # variable, old value, new value
Event = tuple[Change, ...]  # all changes of a transition, by ascending variable


@attrs.frozen
class Variables:
    """Bits as finite-domain variables: of the bits of one variable exactly one is true, and it is the value."""

    bits: tuple[tuple[int, ...], ...]  # of each variable, in the order of its values

    @classmethod
    def of(cls, groups: Sequence[int]) -> Variables:
        """Return the variables of bits, given the number of the variable that each bit belongs to."""
        numbers = np.asarray(groups)
        return cls(tuple(tuple(np.flatnonzero(numbers == number).tolist()) for number in np.unique(numbers)))

    @property
    def most_values(self) -> int:
        """Return the largest number of values that a variable has."""
        return max((len(bits) for bits in self.bits), default=0)

    def __len__(self) -> int:
        """Return the number of variables."""
        return len(self.bits)

    def values(self, states: Bits) -> Indices:
        """Return the value of each variable, (states, variables); -1 where not exactly one of its bits is true."""
        codes = np.full((len(states), len(self.bits)), -1, dtype=np.intp)
        for number, bits in enumerate(self.bits):
            shown = states[:, list(bits)]
            clear = shown.sum(1) == 1
            codes[clear, number] = shown[clear].argmax(1)
        return codes


@attrs.frozen(eq=False, kw_only=True)
class Observed:
    """The training transitions as values of variables, and the distinct events that they show."""

    variables: Variables
    before: Indices  # (transitions, variables), transitions that change something and are clear
    after: Indices
    rows: Indices  # (transitions,), their numbers in the training split
    events: tuple[Event, ...]  # distinct, the most frequent first
    event: Indices  # (transitions,), the event that each shows
    unclear: int  # transitions in which a variable has no value or several
    idle: int  # transitions that change nothing

    @property
    def counts(self) -> Indices:
        """Return how many transitions show each event."""
        return np.bincount(self.event, minlength=len(self.events))

    @property
    def steady(self) -> Bits:
        """Return which events are not accidents: those seen more than once, if most transitions show such, else all."""
        repeated = self.counts > 1
        return repeated if 2 * self.counts[repeated].sum() >= len(self.event) else np.ones_like(repeated)

    @property
    def changing(self) -> Indices:
        """Return the variables that at least one transition changes."""
        return np.flatnonzero((self.before != self.after).any(0))


def observe(before: Bits, after: Bits, variables: Variables) -> Observed:
    """Return the events of the training transitions, (transitions, bits) each."""
    old, new = variables.values(before), variables.values(after)
    clear = ((old >= 0) & (new >= 0)).all(1)
    idle = clear & (old == new).all(1)
    rows = np.flatnonzero(clear & ~idle)
    old, new = old[rows], new[rows]
    distinct = number_rows(changed_values(old, new)).by_frequency()
    events = tuple(_event(old[row], new[row]) for row in distinct.first.tolist())
    return Observed(
        variables=variables,
        before=old,
        after=new,
        rows=rows,
        events=events,
        event=distinct.number,
        unclear=int((~clear).sum()),
        idle=int(idle.sum()),
    )


def _event(old: Indices, new: Indices) -> Event:
    changed = np.flatnonzero(old != new)
    return tuple((int(variable), int(old[variable]), int(new[variable])) for variable in changed)
