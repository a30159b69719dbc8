"""Whether an event is possible in some of the states only in which it was tried, by how often each was visited.

Where states are visited again and again, they say more than their values one by one: an event that was shown by seven
of nineteen visits of one state, and by none of fifteen and eleven of two others, needs something that these lack.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

LITTLE = float(np.finfo(np.float32).eps)
ROUNDS = 200  # of expectation and maximisation


@attrs.frozen(kw_only=True)
class Parted:
    """States in which an event is possible, and others in which it is not."""

    evidence: float  # nats, against an event that is possible in all states alike
    rate: float  # of the event where it is possible


def parted(tried: Numbers, shown: Numbers) -> Parted:
    """Compare two explanations of how often states were visited and showed an event, (states,) each.

    One rate for all states; or a rate for a part of them, found by expectation and maximisation, and none for the
    others. The evidence is the logarithm of the ratio of their likelihoods. States that were visited once say nothing.

    Worked example, three states, 19, 15 and 11 visits of which 7, 0 and 0 show the event: the rate is 7/45 in all
    states, or 7/19 in a third of them: 5 nats.
    """
    seen, total = float(shown.sum()), float(tried.sum())
    silent = shown == 0
    if not silent.any() or seen >= total:
        return Parted(evidence=0.0, rate=seen / total)
    part = float(1 - silent.mean())
    while_possible, quiet = tried[~silent], tried[silent]
    rate = seen / float(while_possible.sum())
    for _ in range(ROUNDS):
        missed = part * (1 - min(rate, 1 - LITTLE)) ** quiet
        possible = missed / (missed + 1 - part)  # (silent states,)
        before = rate
        part = min(float(len(while_possible) + possible.sum()) / len(tried), 1 - LITTLE)
        rate = seen / float(while_possible.sum() + possible @ quiet)
        if abs(rate - before) < LITTLE:
            break
    rate = min(rate, 1 - LITTLE)
    likely = _likelihood(seen, float(while_possible.sum()), rate) + len(while_possible) * np.log(part)
    likely += float(np.log(1 - part + part * (1 - rate) ** quiet).sum())
    return Parted(evidence=max(0.0, likely - _likelihood(seen, total, seen / total)), rate=rate)


def _likelihood(seen: float, tried: float, rate: float) -> float:
    """Return the logarithm of the probability of the examples of an event, in an order."""
    return seen * float(np.log(rate)) + (tried - seen) * float(np.log1p(-rate))
