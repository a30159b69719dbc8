"""The evidence that values are impossible before an event: counts compared with the rate at which it is seen.

All evidence is in nats: 3 nats against chance mean that chance would produce as much with a probability of exp(-3).
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices
from cubespace.base.differences import number_rows
from cubespace_precondition.values.belief import Events

Numbers = NDArray[np.float64]


@attrs.frozen(eq=False, kw_only=True)
class Prior:
    """What is known before an event is examined."""

    least_rate: float  # the minimum rate of an event where it is possible
    weight: Numbers  # (variables,), log odds that a variable matters to an event
    threshold: float  # evidence about a variable, in nats, that is significant
    visits_threshold: float  # evidence, in nats, that an event is possible in some states only
    alpha: float  # the significance level that the threshold comes from


@attrs.frozen(eq=False)
class Evidence:
    """The evidence from trials for each value: that it is impossible, and the price of choosing it.

    The trials are those of one event, or of each of several families of events: then every array has one more axis.

    Worked example, a variable of three values with 30, 30 and 2 trials at rate 1/3, the event was seen with the first
    only: 10, 10 and .7 times would be expected. The last two are unseen: evidence 10 and .7 nats. That some
    set of values is unseen by chance is at most exp(-10.7) times the product of 2 - exp(-expected) over the values.
    """

    trials: Numbers  # (…, members)
    missing: Numbers  # (…, members), nats against chance; 0 if the event was seen with the value
    against: Numbers  # (…, members), nats for chance: examples that must be mistakes
    price: Numbers  # (…, members), nats
    total: Numbers  # (…,), trials
    seen: Numbers  # (…,), examples

    @classmethod
    def of(
        cls, trials: Numbers, shown: Numbers, seen: float, total: float, rate: float, alpha: float, mistakes: float
    ) -> Evidence:
        """Weigh Poisson numbers at the ``rate`` of the event against those that ``mistakes``, a rate, explain.

        ``trials`` and ``shown`` count trials and examples of each value, ``total`` and ``seen`` all of them.
        """
        wrong = trials * min(mistakes, rate)
        return cls.weighed(trials, shown, trials * rate, wrong, np.array(total), np.array(seen), alpha)

    @classmethod
    def weighed(
        cls,
        trials: Numbers,
        shown: Numbers,
        expected: Numbers,
        wrong: Numbers,
        total: Numbers,
        seen: Numbers,
        alpha: float,
    ) -> Evidence:
        """Weigh the examples of each value against those ``expected``, and those that mistakes explain, ``wrong``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            surprise = np.where(shown > wrong, shown * np.log(shown / wrong) - shown + wrong, 0.0)
            against = np.where(shown > 0, shown * np.log(expected / wrong), 0.0)
        missing = np.where(surprise < -np.log(alpha), np.maximum(expected - wrong - against, 0.0), 0.0)
        against = np.where(missing > 0, against, 0.0)
        return cls(trials, missing, against, np.log(2 - np.exp(-expected)), total, seen)

    def __getitem__(self, row: int) -> Evidence:
        """Return the evidence for one of several families."""
        parts = (self.trials, self.missing, self.against, self.price, self.total, self.seen)
        return Evidence(*(part[row] for part in parts))

    def of_variables(self, starts: Indices) -> Numbers:
        """Return the evidence that some values of each variable are impossible, in nats.

        The stronger of two: by the rate of the event, and by its examples, of which none is among those trials.
        """
        total, seen = self.total[..., None], self.seen[..., None]
        fraction = np.add.reduceat(np.where(self.missing > 0, self.trials, 0.0), starts, axis=-1) / total
        alone = -seen * np.log1p(-np.minimum(fraction, 1 - 1 / (1 + total)))
        alone -= np.add.reduceat(self.against, starts, axis=-1)
        pooled = np.add.reduceat(self.missing, starts, axis=-1)
        return np.asarray(np.maximum(alone, pooled) - np.add.reduceat(self.price, starts, axis=-1))

    def impossible(self, mine: slice) -> Bits:
        """Return which values of a variable are impossible, given that some are, by even odds.

        The prior is the fraction of impossible values, found by expectation and maximisation: where 26 of 28 poses
        are surely impossible, a value that was not seen and hardly tried is likely to be impossible too.
        """
        missing, tried = self.missing[mine], self.trials[mine] > 0
        if not tried.any():
            return np.zeros(len(tried), dtype=np.bool_)
        unseen = (missing > 0) | ~tried
        odds = np.exp(-missing)
        likely = unseen.astype(float)
        while True:
            prior = likely[tried].mean()
            new = np.where(unseen, prior / (prior + (1 - prior) * odds), 0.0)
            if np.abs(new - likely).max() < np.finfo(np.float32).eps:
                return np.asarray(new > 0.5, dtype=np.bool_)
            likely = new


def too_rare(seen: float, expected: float) -> float:
    """Return how unlikely so small a Poisson number is, in nats: Chernoff's bound."""
    if seen >= expected:
        return 0.0
    return expected - seen + (seen * float(np.log(seen / expected)) if seen else 0.0)


def lowest_rate(rates: Numbers, alpha: float) -> float:
    """Return the rate that hardly any event stays below where it is possible; 0 if nothing is known.

    Rates are taken to spread below their median as far, in ratio, as they do above it: events that need more than is
    known yet have low rates, but none has too high a rate for that reason.
    """
    if not len(rates):
        return 0.0
    median, high = np.quantile(rates, [0.5, 1 - alpha])
    return float(median**2 / high)


def visit_weights(before: Bits, events: Events, possible: Bits) -> Numbers:
    """Return how much each transition counts: less where visits of the same state are not independent.

    Two visits of a state show the same event with some probability, seen in the data; independent ones do so at the
    rate of the event. The excess is the correlation r of visits; c visits are worth 1 + (c - 1)(1 - r), which is c
    where actions are drawn at random and 1 where each state always shows the same.

    Worked example: state 110 is seen three times, each time with an event that is shown in half of its trials, and no
    other state is seen twice: r = (1 - 1/2) / (1 - 1/2) = 1, so each of the three counts 1/3.
    """
    states = number_rows(np.packbits(before, axis=1))
    _, both, same = np.unique(
        states.number * (len(events.add) + 1) + events.event, return_inverse=True, return_counts=True
    )
    visits, same = states.counts[states.number], same[both]  # (transitions,)
    pairs = visits.sum() - len(visits)
    if not pairs:
        return np.ones(len(before))
    rate = np.append(events.counts / possible.sum(0), 1.0)[events.event]  # staying put is not a choice
    alike = (same - 1).sum() / pairs
    expected = (rate * (visits - 1)).sum() / pairs
    correlation = max(0.0, (alike - expected) / (1 - expected)) if expected < 1 else 0.0
    return np.asarray((1 + (visits - 1) * (1 - correlation)) / visits)
