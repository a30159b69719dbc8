"""The events that transitions show, and which of them to believe.

An event is the set of bits that a transition adds and deletes. Data may hold wrong pairs, of two kinds: the second
picture has nothing to do with the first, or the encoder misread one variable of one picture. Both can be imitated
(:mod:`mistakes`): the imitations show which classes of events such mistakes produce, and how often the same mistake
occurs twice. An event is believed if its count is higher than mistakes explain.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from cubespace.base.arrays import Bits, Indices, literals, row_keys
from cubespace.base.differences import find_differences
from cubespace_precondition.values.mistakes import Imitation, misread, unrelated

Numbers = NDArray[np.float64]


@attrs.frozen(eq=False, kw_only=True)
class Events:
    """Distinct events, the most frequent first; transitions that change nothing show none."""

    add: Bits  # (events, bits)
    delete: Bits  # (events, bits)
    event: Indices  # (transitions,), the event that each transition shows, or -1

    @property
    def counts(self) -> Indices:
        """Return how many transitions show each event."""
        return np.bincount(self.event[self.event >= 0], minlength=len(self.add))


@attrs.frozen(eq=False, kw_only=True)
class Belief:
    """Which events are believed, and what mistakes contribute to the count of each."""

    believed: Bits  # (events,)
    by_mistake: Numbers  # (events,), expected number of transitions that show the event by mistake
    mistakes: float  # fraction of the transitions that are mistakes


def believable_events(
    before: Bits,
    after: Bits,
    events: Events,
    variables: Sequence[Indices],
    *,
    alpha: float = 0.05,
    rng: np.random.Generator,
) -> Belief:
    """Return the events that mistakes do not explain; ``variables`` are the bits that the encoder reads together.

    The class of an event is how many bits it changes. The fraction of mistakes of a kind is the largest that
    no class contradicts: if a third of all unrelated pairs change 9 bits and no transition does, there are no unrelated
    pairs. Within a class, an event seen k times is believed if mistakes explain at most the fraction ``alpha`` of the
    events seen k times or more: how many such events mistakes alone show is known from imitated mistakes. Where
    there are no mistakes everything is believed, even if all events are seen once.
    """
    believed = np.ones(len(events.add), dtype=np.bool_)
    if not len(believed):
        return Belief(believed=believed, by_mistake=np.zeros(0), mistakes=0.0)
    base = _frequent(events)
    while True:
        belief = _belief(before, after, events, variables, base, alpha, rng)
        if not (believed & ~belief.believed).any():
            return attrs.evolve(belief, believed=believed)
        believed &= belief.believed
        base = (events.event < 0) | believed[events.event]


def _frequent(events: Events) -> Bits:
    """Return the transitions that show the most frequent events, half of all: hardly any of them is a mistake."""
    counts = events.counts
    top = np.cumsum(counts) - counts < counts.sum() / 2
    return np.asarray((events.event >= 0) & top[events.event], dtype=np.bool_)


def _belief(
    before: Bits,
    after: Bits,
    events: Events,
    variables: Sequence[Indices],
    base: Bits,
    alpha: float,
    rng: np.random.Generator,
) -> Belief:
    """Return what to believe if the mistakes in the data affect transitions such as those of ``base``."""
    classes = _classes(after & ~before, before & ~after)
    explained: dict[int, float] = {}
    believed = np.ones(len(events.add), dtype=np.bool_)
    by_mistake = np.zeros(len(events.add))
    mistakes = 0.0
    names = {key: row for row, key in enumerate(row_keys(literals(events.add, events.delete)))}
    for imitate in (unrelated, misread):
        fraction = _fraction(classes, explained, imitate(before[base], after[base], variables, rng), alpha)
        imitation = _imitate(before, after, variables, imitate, fraction, rng)
        while (factor := _consistent(events, imitation, names, alpha)) < 1:
            fraction *= factor
            imitation = _imitate(before, after, variables, imitate, fraction, rng)
        if not imitation.keys:
            continue
        mistakes += fraction
        for kind, number in zip(*np.unique(imitation.classes, return_counts=True), strict=True):
            explained[int(kind)] = explained.get(int(kind), 0.0) + number / imitation.rounds
        believed &= _believed(events, imitation, alpha)
        for key, count in zip(imitation.keys, imitation.counts.tolist(), strict=True):
            if key in names:
                by_mistake[names[key]] += count / imitation.rounds
    return Belief(believed=believed, by_mistake=by_mistake, mistakes=mistakes)


@attrs.frozen(eq=False)
class _Imitation:
    """Events that imitated mistakes show; one row for each event and round."""

    classes: Indices  # (mistakes,), of every imitated mistake
    kinds: Indices  # (rows,), the class of each event
    counts: Indices  # (rows,), how often it was shown in its round
    keys: list[bytes]  # (rows,)
    rounds: int


def _imitate(
    before: Bits,
    after: Bits,
    variables: Sequence[Indices],
    imitate: Imitation,
    fraction: float,
    rng: np.random.Generator,
) -> _Imitation:
    """Imitate the mistakes of the data, as many times over as the transitions allow."""
    number = round(fraction * len(before))
    if not number:
        none = np.zeros(0, dtype=np.intp)
        return _Imitation(none, none, none, [], 1)
    start, end = imitate(before, after, variables, rng)
    rounds = max(1, len(start) // number)
    start, end = start[: rounds * number], end[: rounds * number]
    turn = np.arange(len(start)) // number
    changing = (start != end).any(1)
    made = find_differences(start[changing], end[changing])
    pairs, first, counts = np.unique(turn[changing] * len(made) + made.shown, return_index=True, return_counts=True)
    classes = _classes(end & ~start, start & ~end)
    names = row_keys(literals(made.add, made.delete))
    keys = [names[number] for number in (pairs % len(made)).tolist()]
    return _Imitation(classes, classes[changing][first], counts, keys, rounds)


def _fraction(classes: Indices, explained: dict[int, float], imitated: tuple[Bits, Bits], alpha: float) -> float:
    """Return the largest fraction of mistakes of a kind that no class of events contradicts.

    Both counts are limited by their confidence bounds at ``alpha``; the class that binds gives the estimate.
    """
    start, end = imitated
    kinds, made = np.unique(_classes(end & ~start, start & ~end), return_counts=True)
    made = made[kinds > 0]
    kinds = kinds[kinds > 0]
    seen = np.array([(classes == kind).sum() - explained.get(int(kind), 0.0) for kind in kinds.tolist()]).clip(0)
    if not len(kinds):
        return 0.0
    alpha /= len(kinds)  # no bound may fail by chance
    least = gammaincinv(made, alpha) / len(start)  # the class's share of all mistakes is hardly less
    most = gammaincinv(seen + 1, 1 - alpha) / len(classes)  # nor its share of the transitions more
    binding = int((most / least).argmin())
    return float(seen[binding] / len(classes) / (made[binding] / len(start)))


def _consistent(events: Events, imitation: _Imitation, names: dict[bytes, int], alpha: float) -> float:
    """Return the factor by which there are fewer mistakes than imitated; 1 if the data do not contradict.

    If mistakes show 40 events of a class at most three times, the data must have about as many such events or more;
    an event that the data show more often does not count, for it may be real as well.
    """
    counts = events.counts
    kinds = _classes(events.add, events.delete)
    real = np.array([counts[names[key]] if key in names else 0 for key in imitation.keys], dtype=np.intp)
    factor = lowest = 1.0
    alpha /= len(np.unique(np.stack([imitation.kinds, imitation.counts]), axis=1).T) + 1  # no bound may fail by chance
    for kind in np.unique(imitation.kinds).tolist():
        mine = imitation.kinds == kind
        often = np.maximum(imitation.counts, real)[mine]
        for level in np.unique(imitation.counts[mine]).tolist():
            seen = int((counts[kinds == kind] <= level).sum())
            made = int((often <= level).sum())
            bound = gammaincinv(seen + 1, 1 - alpha) / (gammaincinv(max(made, 1), alpha) / imitation.rounds)
            if made and bound < lowest:
                lowest, factor = float(bound), seen * imitation.rounds / made
    return min(factor, lowest)


def _believed(events: Events, imitation: _Imitation, alpha: float) -> Bits:
    """Return the events seen more often than mistakes are.

    Of the events of a class seen as often or more often, at most the fraction ``alpha`` may be mistakes, and of those
    seen exactly as often, at most one half.
    """
    counts = events.counts
    kinds = _classes(events.add, events.delete)
    believed = np.ones(len(counts), dtype=np.bool_)
    for kind in np.unique(imitation.kinds).tolist():
        mine = kinds == kind
        levels, seen = np.unique(counts[mine], return_counts=True)
        made = (imitation.counts[imitation.kinds == kind][:, None] == levels).sum(0) / imitation.rounds
        more = (imitation.counts[imitation.kinds == kind][:, None] >= levels).sum(0) / imitation.rounds
        doubtful = (made > seen / 2) | (more > alpha * np.cumsum(seen[::-1])[::-1])
        believed[mine] = counts[mine] > levels[doubtful].max(initial=0)
    return believed


def _classes(add: Bits, delete: Bits) -> Indices:
    """Return the class of each event: how many bits it changes."""
    return np.asarray(add.sum(1) + delete.sum(1), dtype=np.intp)
