"""Values that a whole family of events was never seen with: evidence that no event has alone.

What takes a block away from a cell has something in common, whatever the block is and wherever it goes: nothing is in
the cell above. A family is the events that share something: what becomes of one variable, or which variables change.
The trials of its events are added up, each weighed by the rate of its own event; a value that the family should have
been seen with but never was is excluded for all of it.
"""

from __future__ import annotations

import attrs
import numpy as np
from scipy.sparse import csr_array

from cubespace.base.arrays import Bits, Indices, distinct_rows
from cubespace.base.differences import number_rows
from cubespace_precondition.values.trials import Trials
from cubespace_precondition.values.weighing import Evidence


def exclude_for_families(trials: Trials, families: Bits, *, alpha: float) -> Bits:
    """Return the literals, (events, 2 * bits), that must be false before each event, as ``families`` show.

    In each round the variables that explain most are found, the strongest first; no event gets two in one round, so
    that no variable is held responsible for what another one explains. Rounds end when nothing is significant. Of
    all restrictions at most the fraction ``alpha`` is expected to be false.
    """
    excluded = np.zeros((len(trials.events.add), trials.literals.shape[1]), dtype=np.bool_)
    if not len(families):
        return excluded
    tests, found = max(1, int(trials.varying(families).sum())), 0
    while True:
        threshold = float(np.log(tests / (alpha * max(1, found))))
        restrictions = _strongest(trials.without(excluded), families, threshold, alpha)
        if not restrictions:
            return excluded
        found += len(restrictions)
        for each in restrictions:
            excluded[np.ix_(each.events, each.literals)] = True


def find_families(trials: Trials) -> Bits:
    """Return the events of each family, (families, events): distinct ones of two events or more.

    Worked example, a variable with the values a, b, c and events a -> b, a -> c and b -> c: a family of the first two,
    which leave a, one of the last two, which lead to c, and one of all three, which change the variable.
    """
    old, new = trials.old[:, trials.members], trials.new[:, trials.members]  # (events, members)
    changed = np.logical_or.reduceat(old | new, trials.starts, axis=1)  # (events, variables)
    kinds = number_rows(np.packbits(changed, axis=1))
    same_variables = kinds.number[kinds.first][:, None] == kinds.number
    families = np.concatenate([old.T, new.T, changed.T, same_variables, *_exchanges(trials, old, new)])
    families = distinct_rows(families)
    return np.asarray(families[families.sum(1) > 1], dtype=np.bool_)


def _exchanges(trials: Trials, old: Bits, new: Bits) -> list[Bits]:
    """Return for each variable the families of events that exchange one of its values for the same other one."""
    ends = np.append(trials.starts[1:], len(trials.members))
    families = []
    for start, end in zip(trials.starts.tolist(), ends.tolist(), strict=True):
        before, after = old[:, start:end].T, new[:, start:end].T  # (values, events)
        families.append((before[:, None] & after).reshape(-1, len(old)))
    return families


@attrs.frozen(eq=False)
class _Restriction:
    """Literals that must be false before some events."""

    events: Indices
    literals: Indices


def _strongest(trials: Trials, families: Bits, threshold: float, alpha: float) -> list[_Restriction]:
    """Return significant restrictions that share no event: of each family the strongest, and the strongest first.

    A family waits for the next round if a larger one that contains it has a stronger restriction, taken or not: what
    holds for the larger one need not be learned from its parts.
    """
    evidence = _evidence(trials, families, alpha)
    strength = evidence.of_variables(trials.starts)  # (families, variables)
    ends = np.append(trials.starts[1:], len(trials.members))
    candidates = np.flatnonzero((strength >= threshold).any(1))
    member = families[candidates].astype(np.float32)
    contains = member @ member.T == member.sum(1)  # (candidates, candidates): the first contains the second
    hidden = np.zeros(len(candidates), dtype=np.bool_)  # families that a stronger candidate contains
    taken = np.zeros(families.shape[1], dtype=np.bool_)  # events that have a restriction of this round
    restrictions = list[_Restriction]()
    for place in np.argsort(-strength[candidates], axis=None, kind="stable").tolist():
        number, variable = divmod(place, strength.shape[1])
        family = candidates[number]
        if strength[family, variable] < threshold:
            break
        if hidden[number]:
            continue
        hidden |= contains[number]
        events, mine = families[family], slice(trials.starts[variable], ends[variable])
        out = evidence[family].impossible(mine)
        if out.any() and not (taken & events).any():
            concerned = np.flatnonzero(events & ~trials.needed[:, variable])
            restrictions.append(_Restriction(concerned, trials.members[mine][out]))
            taken |= events
    return restrictions


def _evidence(trials: Trials, families: Bits, alpha: float) -> Evidence:
    """Weigh what each family was seen with, (families, members), against the rates of its events.

    A variable that an event changes says nothing about it: the old value is needed anyway.
    """
    sizes = np.diff(np.append(trials.starts, len(trials.members)))
    free = np.repeat(~trials.needed, sizes, axis=1)  # (events, members)
    held = trials.literals[:, trials.members]
    tries = trials.possible * trials.weight[:, None].astype(np.float32)  # (transitions, events)
    rows = np.flatnonzero(trials.events.event >= 0)
    event = trials.events.event[rows]
    shows = csr_array((tries[rows, event], (event, rows)), shape=tries.T.shape)
    total, seen = tries.sum(0, dtype=np.float64), shows.sum(1)
    rate = seen / np.maximum(total, np.finfo(float).tiny)
    mistakes = np.minimum(trials.by_mistake / np.maximum(total, 1.0), rate)
    tried, shown = (np.where(free, each @ held, 0.0).astype(np.float64) for each in (tries.T, shows))
    member = families.astype(np.float64)
    return Evidence.weighed(
        trials=member @ tried,
        shown=member @ shown,
        expected=member @ (tried * rate[:, None]),
        wrong=member @ (tried * mistakes[:, None]),
        total=member @ total,
        seen=member @ seen,
        alpha=alpha,
    )
