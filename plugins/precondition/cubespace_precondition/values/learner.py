"""The learner ``values``: an event requires old values of what it changes, and excludes values never seen with it."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from attrs.validators import and_, gt, lt

from cubespace.base.arrays import Bits, Indices, apply_effect
from cubespace.base.differences import number_rows
from cubespace.base.options import option
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions
from cubespace_precondition.values.belief import Belief, Events, believable_events
from cubespace_precondition.values.invariants import at_most_one_groups, exactly_one_groups
from cubespace_precondition.values.pooling import exclude_for_families, find_families
from cubespace_precondition.values.trials import Trials, exclude


@attrs.frozen(kw_only=True)
class ValuesOptions:
    """How much evidence it takes for an action to exclude a value."""

    alpha: float = option(
        0.05,
        "expected fraction of learned restrictions that are false",
        and_(gt(0.0), lt(1.0)),
    )
    families: bool = option(
        True, "pool the evidence over events that change a variable in the same way, or change the same variables"
    )


class Values(PreconditionLearner):
    """Learns only from what was seen, over finite-domain variables: those of the encoder and those it finds itself.

    Worked example, three bits, no groups; 100 -> 010, 010 -> 100 and 101 -> 011 are seen many times, so is 011,
    but never 011 -> 101. Bits 0 and 1 are found to be a group. The action that adds bit 1 needs bit 0; the one that
    adds bit 0 needs bit 1, and bit 2 must be false.
    """

    revision = 4
    Options = ValuesOptions
    options: ValuesOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return one conjunction for each event that mistakes do not explain."""
        before = evidence.before
        after = apply_effect(before, evidence.add[evidence.action], evidence.delete[evidence.action])
        events, rows = shown_events(before, after, evidence)
        groups = declared_groups(evidence.groups)
        belief = self._believe(before, after, events, groups, evidence.rng)
        rows = rows[belief.believed]
        events, belief = _select(events, belief)
        shown = events.event >= 0
        states = np.concatenate([before[shown], after[shown]])
        known = [*groups, *exactly_one_groups(states, events.add, events.delete, groups)]
        alpha = self.options.alpha
        variables = [*_variables(before.shape[1], known), *at_most_one_groups(states, known, alpha=alpha)]
        trials = Trials.of(before, events, variables, belief.by_mistake)
        families = find_families(trials) if self.options.families else trials.events.add[:0, :0]
        excluded = exclude(trials, exclude_for_families(trials, families, alpha=alpha), alpha=alpha)
        true, false = np.split(excluded, 2, axis=1)
        # bits of the effect that an event leaves as they are have their new value already
        positive = events.delete | false | (evidence.add[rows] & ~events.add)
        already_false = evidence.delete[rows] & ~events.delete
        negative = ((events.add & _free(before.shape[1], known)) | true | already_false) & ~positive
        order = np.argsort(rows, kind="stable")
        return Preconditions(action=rows[order], positive=positive[order], negative=negative[order])

    def _believe(
        self, before: Bits, after: Bits, events: Events, groups: Sequence[Indices], rng: np.random.Generator
    ) -> Belief:
        """Return which events are believed; bits without a group are taken to be read in groups if any are found."""
        free = _free(before.shape[1], groups)
        if free.any():
            states = np.concatenate([before, after])
            groups = [*groups, *exactly_one_groups(states, events.add, events.delete, groups)]
            free = _free(before.shape[1], groups)
        read = [*groups, *np.flatnonzero(free)[:, None]]
        return believable_events(before, after, events, read, alpha=self.options.alpha, rng=rng)


def shown_events(before: Bits, after: Bits, evidence: Evidence) -> tuple[Events, Indices]:
    """Return what each action was seen to change, the most frequent event first, and the action of each event.

    Where effects are differences, these are the actions themselves. An effect of a network that adds bits 0 and 1 may
    have been seen to change 00, 01 and 10, all to 11: that is three events, and a conjunction for each.
    """
    rows = np.concatenate([evidence.action[:, None], ~before & after, before & ~after], axis=1)
    shown = number_rows(rows).by_frequency()
    changing = (before[shown.first] != after[shown.first]).any(1)
    place = np.where(changing, np.cumsum(changing) - 1, -1)
    first = shown.first[changing]
    events = Events(add=~before[first] & after[first], delete=before[first] & ~after[first], event=place[shown.number])
    return events, evidence.action[first]


def declared_groups(numbers: Indices | None) -> list[Indices]:
    """Return the bits of each group, given the number of the group of each bit."""
    if numbers is None:
        return []
    return [np.flatnonzero(numbers == number) for number in np.unique(numbers)]


def _select(events: Events, belief: Belief) -> tuple[Events, Belief]:
    """Return the events that are believed; transitions of others show none."""
    number = np.append(np.where(belief.believed, np.cumsum(belief.believed) - 1, -1), -1)
    event = number[events.event]  # -1, no event, stays -1
    kept = Events(add=events.add[belief.believed], delete=events.delete[belief.believed], event=event)
    return kept, attrs.evolve(
        belief, believed=belief.believed[belief.believed], by_mistake=belief.by_mistake[belief.believed]
    )


def _free(bits: int, groups: Sequence[Indices]) -> Bits:
    """Return which bits, (bits,), are in none of the groups."""
    free = np.ones(bits, dtype=np.bool_)
    for group in groups:
        free[group] = False
    return free


def _variables(bits: int, groups: Sequence[Indices]) -> list[Indices]:
    """Return the literals that are the values of each variable: literal b is bit b true, literal bits + b false.

    Worked example, three bits, the group (0, 1): its values are the literals 0 and 1; bit 2 has the values 2 and 5.
    """
    return [*groups, *(np.array([bit, bit + bits]) for bit in np.flatnonzero(_free(bits, groups)).tolist())]
