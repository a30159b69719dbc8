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
    least = float(np.log(max(1, trials.tests) / alpha))
    nothing = np.zeros(len(trials.starts))
    prior = Prior(least_rate=0.0, weight=nothing, threshold=least, visits_threshold=least, alpha=alpha)
    results = [trials.exclude(event, prior) for event in range(len(given))]
    found = -1
    while found < (now := sum(int(result.used.sum()) for result in results)):
        found = now
        prior = _learn_prior(trials, results, already, alpha)
        results = [trials.exclude(event, prior) for event in range(len(given))]
    return given | np.stack([result.excluded for result in results])


def _learn_prior(trials: Trials, results: Sequence[Result], already: Bits, alpha: float) -> Prior:
    """Return what the events have in common, and the evidence that keeps false restrictions below ``alpha``.

    As Benjamini and Hochberg: of those found, at most the fraction ``alpha`` is expected to be false. What was known
    ``already`` says which variables matter, and how many events need something; it makes no test of a variable easier.
    The least rate comes only from events that were tried often enough to tell one half of the trials from the other.
    """
    enough = np.log(max(1, trials.tests) / alpha) / np.log(2)
    found = np.stack([result.used for result in results])
    used = found | already
    matters = (1 + used.sum(0)) / (2 + len(used))  # Laplace's rule of succession
    rates = np.array([result.rate for result in results if result.trials >= enough])
    return Prior(
        least_rate=lowest_rate(rates, alpha),
        weight=np.log(matters / (1 - matters)),
        threshold=float(np.log(max(1, trials.tests) / (alpha * max(1, int(found.sum()))))),
        visits_threshold=float(np.log(len(used) / (alpha * max(1, int(used.any(1).sum()))))),
        alpha=alpha,
    )


@attrs.frozen(eq=False, kw_only=True)
class Result:
    """The restrictions found for an event."""

    excluded: Bits  # (2 * bits,), literals that must be false
    used: Bits  # (variables,), of which values are excluded
    trials: float  # that are left
    rate: float  # of the event in these


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
        left = self._tried(event)
        excluded = np.zeros(self.literals.shape[1], dtype=np.bool_)
        free = ~self.needed[event]  # (variables,)
        used = np.zeros(len(free), dtype=np.bool_)
        mistakes = self.by_mistake[event] / max(1, len(left.weight))
        short = False
        while left.seen:
            evidence, short = left.weigh(prior, mistakes, short=short)
            strength = np.where(free, evidence.of_variables(self.starts), -np.inf)
            score = strength + prior.weight if short else strength - prior.threshold
            best = int(score.argmax())
            if not (free[best] if short else score[best] >= 0):
                return Result(excluded=excluded, used=used, trials=left.total, rate=left.seen / left.total)
            mine = slice(self.starts[best], np.append(self.starts[1:], len(self.members))[best])
            out = evidence.impossible(mine)
            free[best] = False
            used[best] = out.any()
            excluded[self.members[mine][out]] = True
            left = left.where(np.asarray((left.held[:, mine][:, out] == 0).all(1), dtype=np.bool_))
        return Result(excluded=excluded, used=used, trials=0.0, rate=0.0)

    def _tried(self, event: int) -> _Tried:
        """Return the trials of an event."""
        rows = np.flatnonzero(self.possible[:, event])
        return _Tried(
            held=self.literals[rows][:, self.members],
            weight=self.weight[rows],
            shown=np.where(self.events.event[rows] == event, self.weight[rows], 0.0),
            state=self.state[rows],
        )


@attrs.frozen(eq=False, kw_only=True)
class _Tried:
    """Trials of one event, and which of them show it."""

    held: NDArray[np.float32]  # (trials, members), the values before each
    weight: Numbers  # (trials,), how much each counts
    shown: Numbers  # (trials,), the same where the event is shown, else 0
    state: Indices  # (trials,), the number of the state before each

    @property
    def seen(self) -> float:
        """Return how many trials show the event."""
        return float(self.shown.sum())

    @property
    def total(self) -> float:
        """Return how many trials there are."""
        return float(self.weight.sum())

    def where(self, kept: Bits) -> _Tried:
        """Return some of the trials, (trials,)."""
        return _Tried(held=self.held[kept], weight=self.weight[kept], shown=self.shown[kept], state=self.state[kept])

    def weigh(self, prior: Prior, mistakes: float, *, short: bool) -> tuple[Evidence, bool]:
        """Return the evidence that values are impossible, and whether something is missing or, if ``short``, still is.

        Something is missing if the event is seen too rarely, or if states show that it is possible in some of them
        only: its rate is then that of the states in which it is possible.
        """
        seen, total, even_odds = self.seen, self.total, float(np.log(2))
        states = parted(*self._by_state())
        in_some = states.evidence > (even_odds if short else prior.visits_threshold)
        rare = too_rare(seen, prior.least_rate * total) > (even_odds if short else prior.threshold)
        rate = max(seen / total, prior.least_rate, states.rate if in_some else 0.0)
        trials, shown = self.weight @ self.held, self.shown @ self.held
        return Evidence.of(trials, shown, seen, total, rate, prior.alpha, mistakes), in_some or rare

    def _by_state(self) -> tuple[Numbers, Numbers]:
        """Return how many trials there are in each state, and how many of them show the event."""
        number = np.unique(self.state, return_inverse=True)[1]
        tried, shown = (np.bincount(number, weights=each) for each in (self.weight, self.shown))
        return tried.astype(np.float64), shown.astype(np.float64)
