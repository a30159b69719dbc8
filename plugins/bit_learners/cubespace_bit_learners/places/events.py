"""Events: which places a transition changes, each from its old to its new value; and how simple they make the world."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.differences import changed_values, number_rows

Codes = NDArray[np.intp]  # (pictures, places), the number of the value that each place shows

SCORING_FRACTION = 0.1  # of the pairs: those that score a cut
UNLIKELY = 1e-3  # probability with which two independent places look dependent, over all pairs of places


@attrs.frozen
class Score:
    """How well places describe transitions: few events, seen again and again, mean that the places fit."""

    events: int  # distinct ones in the training part
    coverage: float  # the fraction of held-out pairs whose event was seen in training
    bits: float  # to tell the event of a held-out pair, given those seen in training


def score_events(before: Codes, after: Codes) -> Score:
    """Score codes by their events: the last pairs are told by how often each event was seen in the others.

    Places that change by themselves are told each on its own and count for the bits only, unless most places do: then
    there is nothing that actions change.
    """
    alone = exogenous(before, after)
    alone &= 2 * alone.sum() <= len(alone)
    kinds, covered, bits = _told(before[:, ~alone], after[:, ~alone])
    bits += sum(_told(before[:, [place]], after[:, [place]])[2] for place in np.flatnonzero(alone))
    return Score(kinds, covered, bits)


def _told(before: Codes, after: Codes) -> tuple[int, float, float]:
    """Return how many events there are in training, the fraction of held-out pairs they cover, and bits per pair.

    A new event is spelt: how many places, then each with its old and new value. Seen and new share the probability as
    Witten and Bell have it, by how often an event was new in training.
    """
    train = len(before) - max(1, round(SCORING_FRACTION * len(before)))
    number = number_rows(changed_values(before, after)).number
    count = np.bincount(number[:train], minlength=int(number.max()) + 1)
    seen, kinds = count[number[train:]], int((count > 0).sum())
    values = np.maximum(before.max(0), after.max(0)) + 1.0  # (places,)
    spelling = (before[train:] != after[train:]) @ np.log2(len(values) * values**2) + np.log2(len(values) + 1)
    told = np.where(seen > 0, -np.log2(np.maximum(seen, 1)), spelling - np.log2(kinds)) + np.log2(train + kinds)
    return kinds, float((seen > 0).mean()), float(told.mean())


def exogenous(before: Codes, after: Codes) -> NDArray[np.bool_]:
    """Return which places change by themselves: as often whatever other places do.

    The squared correlation of two independent changes, times the number of pairs, is distributed as χ² with one degree
    of freedom, which exceeds x with probability below exp(-x / 2). A place that changes too seldom to tell, even if it
    never changed together with the busiest other place, is not exogenous.
    """
    changed = (before != after).astype(np.float64)
    rate = changed.mean(0)  # (places,)
    scaled = (changed - rate) / np.sqrt(np.maximum(rate * (1 - rate), 1 / len(changed)))
    shared = (scaled.T @ scaled) ** 2 / len(changed)  # (places, places), χ² if independent
    together = len(changed) * np.outer(rate, rate) * (1 - rate)[:, None]  # expected, if independent
    np.fill_diagonal(shared, 0)
    np.fill_diagonal(together, 0)
    by_chance = 2 * np.log(max(len(rate), 2) ** 2 / UNLIKELY)
    return np.asarray((shared.max(1) < by_chance) & (together.max(1) > by_chance))
