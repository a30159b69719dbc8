"""Events: which places a transition changes, each from its old to its new value; and how simple they make the world."""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, gt, lt
from numpy.typing import NDArray

from cubespace.base.differences import changed_values, number_rows
from cubespace.base.options import option

Codes = NDArray[np.intp]  # (pictures, places), the number of the value that each place shows


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class EventOptions:
    """How places are judged by the events that they make of transitions."""

    scoring_fraction: float = option(
        0.1, "fraction of the pairs, held out, by which ways to group pixels are compared", and_(gt(0.0), lt(1.0))
    )
    dependence: float = option(
        1e-3,
        "probability with which independent places may look dependent, over all pairs of places; one that depends on "
        "no other changes on its own and is left out",
        and_(gt(0.0), lt(1.0)),
    )


DEFAULTS = EventOptions()


@attrs.frozen
class Score:
    """How well places describe transitions: few events, seen again and again, mean that the places fit."""

    events: int  # distinct ones in the training part
    coverage: float  # the fraction of held-out pairs whose event was seen in training
    bits: float  # of information in the event of a held-out pair, given those seen in training


def score_events(before: Codes, after: Codes, options: EventOptions = DEFAULTS) -> Score:
    """Score codes by their events: the last pairs are described by how often each event was seen in the others.

    Places that change on their own are described each by itself and count for the bits only.
    """
    alone = changing_alone(before, after, options)
    fraction = options.scoring_fraction
    score = _score(before[:, ~alone], after[:, ~alone], fraction)
    more = sum(_score(before[:, [place]], after[:, [place]], fraction).bits for place in np.flatnonzero(alone))
    return attrs.evolve(score, bits=score.bits + more)


def _score(before: Codes, after: Codes, scoring_fraction: float) -> Score:
    """Score codes of places none of which changes on its own.

    A new event is spelt: the number of places, then each with its old and new value. Seen and new events share the
    probability as Witten and Bell have it, by how often an event was new in training.
    """
    train = len(before) - max(1, round(scoring_fraction * len(before)))
    number = number_rows(changed_values(before, after)).number
    count = np.bincount(number[:train], minlength=int(number.max()) + 1)
    seen, events = count[number[train:]], int((count > 0).sum())
    values = np.maximum(before.max(0), after.max(0)) + 1.0  # (places,)
    spelling = (before[train:] != after[train:]) @ np.log2(len(values) * values**2) + np.log2(len(values) + 1)
    known, new = -np.log2(np.maximum(seen, 1)), spelling - np.log2(events)
    bits = np.where(seen > 0, known, new) + np.log2(train + events)
    return Score(events, float((seen > 0).mean()), float(bits.mean()))


def changing_alone(before: Codes, after: Codes, options: EventOptions = DEFAULTS) -> NDArray[np.bool_]:
    """Return which places change on their own; none if most do, as there is then nothing that actions change."""
    alone = exogenous(before, after, options)
    return alone if 2 * alone.sum() <= len(alone) else np.zeros_like(alone)


def exogenous(before: Codes, after: Codes, options: EventOptions = DEFAULTS) -> NDArray[np.bool_]:
    """Return which places change equally often whatever other places do.

    The squared correlation of two independent changes, times the number of pairs, is distributed as χ² with one degree
    of freedom, which exceeds x with probability below exp(-x / 2). A place that changes too seldom to decide, even if
    it never changed together with the busiest other place, is not exogenous.
    """
    changed = (before != after).astype(np.float64)
    rate = changed.mean(0)  # (places,)
    scaled = (changed - rate) / np.sqrt(np.maximum(rate * (1 - rate), 1 / len(changed)))
    shared = (scaled.T @ scaled) ** 2 / len(changed)  # (places, places), χ² if independent
    together = len(changed) * np.outer(rate, rate) * (1 - rate)[:, None]  # expected, if independent
    np.fill_diagonal(shared, 0)
    np.fill_diagonal(together, 0)
    by_chance = 2 * np.log(max(len(rate), 2) ** 2 / options.dependence)
    return np.asarray((shared.max(1, initial=0) < by_chance) & (together.max(1, initial=0) > by_chance))
