"""From the bits of the training transitions to a lifted model, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.lifting.cast import make_cast
from cubespace.lifting.forms import MOST_CHANGES, Examples, find_forms
from cubespace.lifting.groundings import MOST_GROUNDINGS, count_groundings
from cubespace.lifting.looks import Looks
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.naming import Naming, blocking_votes, moving_votes, name_values
from cubespace.lifting.schemas import study
from cubespace.lifting.things import assemble, by_weight
from cubespace.lifting.toggles import changed_sets, lift_toggles, not_toggles
from cubespace.lifting.variables import Observed, Variables, observe

WorldKind = Literal["things that change places", "things that are moved", "switches", "none"]


@attrs.frozen(kw_only=True)
class Care:
    """What may pass for a rule, and what for an accident."""

    level: float = 1e-3  # the probability with which chance may be taken for a rule
    least_share: float = 0.01  # of all transitions: a form of event that fewer of them show is an accident
    most_accidents: float = 0.1  # of all transitions: with more accidents, there is no model


@attrs.frozen(kw_only=True)
class Lifting:
    """The lifted model, if there is one; in any case what was found, or why not."""

    model: LiftedModel | None
    kind: WorldKind
    reasons: tuple[str, ...]  # why there is no model
    notes: tuple[str, ...]  # what was left out or taken for granted
    variables: int
    events: int
    agreement: float | None  # of the names of values, round all cycles of variables
    forms: int  # of events, before rare ones are left out


def lift(
    before: Bits, after: Bits, groups: Sequence[int], looks: Looks | None = None, care: Care | None = None
) -> Lifting:
    """Lift training transitions, (transitions, bits) each, whose bits are values of variables."""
    care = Care() if care is None else care
    observed = observe(before, after, Variables.of(groups))
    looks = Looks(order=tuple(range(len(observed.variables)))) if looks is None else looks
    notes = _notes(observed)
    if not observed.events:
        return _failed(observed, notes, ["no transition changes the value of a variable"])
    single = np.array([len(event) == 1 for event in observed.events])
    alone = bool(observed.counts[single].sum() >= (1 - care.most_accidents) * len(observed.event))
    votes = blocking_votes(observed) if alone else moving_votes(observed)
    naming = name_values(observed, votes) if votes else None
    reason = _unnamed(naming, alone, care)
    if reason is None and naming is not None:
        return _things(observed, naming, alone, looks, notes, care)
    sets = changed_sets(observed)
    other = not_toggles(observed, sets, care.level, care.most_accidents)
    if other is not None:
        return _failed(observed, notes, [str(reason), other], None if naming is None else naming.agreement)
    model = lift_toggles(observed, sets, looks)
    return _done(observed, model, "switches", notes, None, forms=1)


def _notes(observed: Observed) -> list[str]:
    """Say what of the transitions cannot be used."""
    notes = []
    if observed.unclear:
        notes.append(f"{observed.unclear} transitions have a variable without a value, or with several: left out")
    if observed.idle:
        notes.append(f"{observed.idle} transitions change nothing: left out")
    still = len(observed.variables) - len(observed.changing)
    if still:
        notes.append(f"{still} variables never change: scenery")
    return notes


def _unnamed(naming: Naming | None, alone: bool, care: Care) -> str | None:
    """Return why values cannot be followed from variable to variable, or None if they can."""
    what = "what is in the way of what" if alone else "what leaves one place and turns up in another"
    if naming is None:
        return "no value of one variable tells about another: nothing moves, nothing is in the way"
    if not naming.linked:
        return f"some variables have nothing to do with the others: {what} does not link them"
    if naming.agreement < 1 - care.least_share:
        return f"values have no common names: {what} agrees in {naming.agreement:.3f} of the cases only"
    return None


def _things(observed: Observed, naming: Naming, alone: bool, looks: Looks, notes: list[str], care: Care) -> Lifting:
    """Return the model of things at places."""
    forms = find_forms(observed, naming)
    steady = observed.steady[observed.event]
    kept = [each for each in forms if steady[each.transitions].sum() >= care.least_share * len(observed.event)]
    reason = _too_much(observed, naming, forms, kept, care)
    if reason is not None:
        return _failed(observed, notes, [reason], naming.agreement)
    rare = len(observed.event) - sum(len(each.transitions) for each in kept)
    if rare:
        notes.append(f"{rare} transitions whose form is rare were taken for accidents")
    named = naming.of(observed.before)
    found = [study(observed, named, each, care.level) for each in kept]
    order = by_weight(found, looks.order) if alone else looks.order
    cast = make_cast("place" if alone else "thing", order, range(naming.count))
    kind: WorldKind = "things that are moved" if alone else "things that change places"
    return _done(observed, assemble(observed, naming, cast, found), kind, notes, naming.agreement, len(forms))


def _too_much(
    observed: Observed, naming: Naming, forms: list[Examples], kept: list[Examples], care: Care
) -> str | None:
    """Return what is too large to be lifted, or None."""
    total, told = len(observed.event), sum(len(each.transitions) for each in kept)
    if told < (1 - care.most_accidents) * total:
        return (
            f"{total - told} of {total} transitions change more than {MOST_CHANGES} variables at once or have a form "
            f"that fewer than {care.least_share:.0%} share, of {len(forms)} forms"
        )
    ways = max(count_groundings(naming.count, len(observed.changing), each.form) for each in kept)
    if ways > MOST_GROUNDINGS:
        return f"an action would have {ways} candidates for its arguments, more than {MOST_GROUNDINGS}"
    return None


def _failed(
    observed: Observed, notes: Sequence[str], reasons: Sequence[str], agreement: float | None = None
) -> Lifting:
    return Lifting(
        model=None,
        kind="none",
        reasons=tuple(reasons),
        notes=tuple(notes),
        variables=len(observed.changing),
        events=len(observed.events),
        agreement=agreement,
        forms=0,
    )


def _done(
    observed: Observed, model: LiftedModel, kind: WorldKind, notes: Sequence[str], agreement: float | None, forms: int
) -> Lifting:
    return Lifting(
        model=model,
        kind=kind,
        reasons=(),
        notes=tuple(notes),
        variables=len(observed.changing),
        events=len(observed.events),
        agreement=agreement,
        forms=forms,
    )
