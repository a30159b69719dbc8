"""Transitions as trials of events: which values of other variables an event was never seen with, but should have been.

Where the old values of an event hold and another variable X has the value v, the event is expected at its own rate.
Values that it was never seen with, although it should have been, are excluded: at one significance level for the whole
model, one variable after another, so that no variable is held responsible for what another one explains.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices
from cubespace.base.differences import number_rows
from cubespace_precondition.values.belief import Events
from cubespace_precondition.values.visits import parted
from cubespace_precondition.values.weighing import Evidence, Prior, lowest_rate, too_rare, visit_weights

Numbers = NDArray[np.float64]


def exclude(trials: Trials, given: Bits, *, alpha: float) -> Bits:
    """Return the literals, (events, 2 * bits), that must be false before each event, in addition to those ``given``.

    First each event is tested at its own rate. What events have in common, the rate at which they are seen where they
    are possible and the variables that matter, then helps to judge the rare ones; this is repeated until nothing new is
    found.
    """
    if not len(given):
        return given
    trials = trials.without(given)
    already = np.logical_or.reduceat(given[:, trials.members], trials.starts, axis=1)  # (events, variables)
    nothing = np.zeros(len(trials.starts))
    prior = Prior(least_rate=0.0, weight=nothing, threshold=float(np.log(max(1, trials.tests) / alpha)), alpha=alpha)
    results = [trials.exclude(event, prior) for event in range(len(given))]
    found = -1
    while found < (now := int((used := already | np.stack([result.used for result in results])).sum())):
        found = now
        prior = _learn_prior(trials, results, used, alpha)
        results = [trials.exclude(event, prior) for event in range(len(given))]
    return given | np.stack([result.excluded for result in results])


def _learn_prior(trials: Trials, results: Sequence[Result], used: Bits, alpha: float) -> Prior:
    """Return what the events have in common, and the evidence that keeps false restrictions below ``alpha``.

    As Benjamini and Hochberg: of those found, by ``used`` variables, at most the fraction ``alpha`` is expected to be
    false. The least rate comes only from events that were tried often enough to tell one half of the trials from the
    other.
    """
    enough = np.log(max(1, trials.tests) / alpha) / np.log(2)
    matters = (1 + used.sum(0)) / (2 + len(used))  # Laplace's rule of succession
    rates = np.array([result.rate for result in results if result.trials >= enough])
    return Prior(
        least_rate=lowest_rate(rates, alpha),
        weight=np.log(matters / (1 - matters)),
        threshold=float(np.log(max(1, trials.tests) / (alpha * max(1, int(used.sum()))))),
        alpha=alpha,
    )


@attrs.frozen(eq=False, kw_only=True)
class Result:
    """The restrictions found for an event."""

    excluded: Bits  # (2 * bits,), literals that must be false
    used: Bits  # (variables,), of which values are excluded
    trials: float  # that are left
    rate: float  # of the event in these

    @classmethod
    def nothing(cls, variables: int, literals: int) -> Result:
        """Return the result for an event of which no example is left."""
        none = np.zeros(literals, dtype=np.bool_)
        return cls(excluded=none, used=np.zeros(variables, dtype=np.bool_), trials=0.0, rate=0.0)


@attrs.frozen(eq=False, kw_only=True, slots=False)
class Trials:
    """The transitions as trials of events: a transition tries every event whose old values hold before it."""

    literals: NDArray[np.float32]  # (transitions, 2 * bits)
    events: Events
    possible: Bits  # (transitions, events), the old values hold
    members: Indices  # the values of all variables, one variable after the other
    starts: Indices  # (variables,), where each begins among the members
    weight: Numbers  # (transitions,), how much each counts
    state: Indices  # (transitions,), the number of the state before each
    by_mistake: Numbers  # (events,)

    @classmethod
    def of(cls, before: Bits, events: Events, variables: Sequence[Indices], by_mistake: Numbers) -> Trials:
        """Prepare the trials."""
        literals = np.concatenate([before, ~before], axis=1).astype(np.float32)
        old = np.concatenate([events.delete, events.add], axis=1)
        possible = np.asarray((1 - literals) @ old.T.astype(np.float32) == 0, dtype=np.bool_)
        sizes = np.array([len(variable) for variable in variables])
        return cls(
            literals=literals,
            events=events,
            possible=possible,
            members=np.concatenate(list(variables)),
            starts=np.cumsum(sizes) - sizes,
            weight=visit_weights(before, events, possible),
            state=number_rows(np.packbits(before, axis=1)).number,
            by_mistake=by_mistake,
        )

    @property
    def old(self) -> Bits:
        """Return the literals that hold before each event, as it makes them false: (events, 2 * bits)."""
        return np.concatenate([self.events.delete, self.events.add], axis=1)

    @property
    def new(self) -> Bits:
        """Return the literals that each event makes true, (events, 2 * bits)."""
        return np.concatenate([self.events.add, self.events.delete], axis=1)

    @cached_property
    def needed(self) -> Bits:
        """Return of which variables an event needs the old value, (events, variables)."""
        return np.asarray(np.logical_or.reduceat(self.old[:, self.members], self.starts, axis=1), dtype=np.bool_)

    def without(self, excluded: Bits) -> Trials:
        """Return the trials of each event in which no literal holds that is ``excluded``, (events, 2 * bits)."""
        allowed = np.asarray(self.literals @ excluded.T.astype(np.float32) == 0, dtype=np.bool_)
        return attrs.evolve(self, possible=self.possible & allowed)

    @cached_property
    def tests(self) -> int:
        """Return how many pairs of an event and a variable can show anything, one more for each event with such pairs.

        That one is for all variables together. As Tarone has it, what cannot become significant costs nothing.
        """
        varying = self.varying(np.eye(len(self.events.add), dtype=np.bool_))
        return int(varying.sum() + varying.any(1).sum())

    def varying(self, families: Bits) -> Bits:
        """Return which variables, (families, variables), have two values or more in the trials of events."""
        tried = (self.possible.T.astype(np.float32) @ self.literals[:, self.members] > 0).astype(np.float32)
        free = np.repeat(~self.needed, np.diff(np.append(self.starts, len(self.members))), axis=1)
        values = families.astype(np.float32) @ np.where(free, tried, 0.0) > 0  # (families, members)
        return np.asarray(np.add.reduceat(values, self.starts, axis=1, dtype=np.intp) > 1)

    def exclude(self, event: int, prior: Prior) -> Result:
        """Return the restrictions of an event.

        Variables are added one at a time, the one that explains most first; for the others only those trials count that
        it allows. This continues while a variable is significant. If the event is seen significantly too rarely, or
        in some states only, something is missing: then the likeliest variable is taken, until this is no longer likely.
        """
        rows = np.flatnonzero(self.possible[:, event])
        held = self.literals[rows][:, self.members]  # (trials, members)
        shown = np.where(self.events.event[rows] == event, self.weight[rows], 0.0)
        weight = self.weight[rows]
        if not shown.any():
            return Result.nothing(len(self.starts), self.literals.shape[1])
        state = self.state[rows]
        free = ~self.needed[event]  # (variables,)
        ends = np.append(self.starts[1:], len(self.members))
        excluded = np.zeros(self.literals.shape[1], dtype=np.bool_)
        used = np.zeros(len(free), dtype=np.bool_)
        mistakes = self.by_mistake[event] / len(rows)
        short = False
        while True:
            seen, total = float(shown.sum()), float(weight.sum())
            level = np.log(2) if short else prior.threshold
            states = parted(*_by_state(state, weight, shown))
            rate = max(seen / total, prior.least_rate)
            if states.evidence > level:
                rate = max(rate, states.rate)
            evidence = Evidence.of(weight @ held, shown @ held, seen, total, rate, prior.alpha, mistakes)
            strength = np.where(free, evidence.of_variables(self.starts), -np.inf)
            short = max(too_rare(seen, prior.least_rate * total), states.evidence) > level
            score = strength + prior.weight if short else strength - prior.threshold
            best = int(score.argmax())
            if not (free[best] if short else score[best] >= 0):
                return Result(excluded=excluded, used=used, trials=total, rate=seen / total)
            mine = slice(self.starts[best], ends[best])
            out = evidence.impossible(mine)
            free[best] = False
            used[best] = out.any()
            excluded[self.members[mine][out]] = True
            kept = ~(held[:, mine][:, out] > 0).any(1)
            if not shown[kept].any():
                return Result(excluded=excluded, used=used, trials=0.0, rate=0.0)
            held, shown, weight, state = held[kept], shown[kept], weight[kept], state[kept]


def _by_state(state: Indices, weight: Numbers, shown: Numbers) -> tuple[Numbers, Numbers]:
    """Return the trials in each state, and those that show the event."""
    number = np.unique(state, return_inverse=True)[1]
    return np.bincount(number, weights=weight).astype(np.float64), np.bincount(number, weights=shown).astype(np.float64)
