"""From the bits of the training transitions to a lifted model, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.lifting.cast import make_cast
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.forms import MAX_CHANGES, Examples, find_forms
from cubespace.lifting.groundings import MAX_GROUNDINGS, count_groundings
from cubespace.lifting.looks import Looks
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.naming import Naming, blocking_votes, moving_votes, name_values
from cubespace.lifting.schemas import study
from cubespace.lifting.things import assemble, by_weight
from cubespace.lifting.toggles import changed_sets, lift_toggles, not_toggles
from cubespace.lifting.variables import Observed, Variables, observe

WorldKind = Literal["things that change places", "things that are moved", "switches", "none"]


@attrs.frozen(kw_only=True)
class Lifting:
    """The lifted model, if there is one, and what was found on the way; otherwise the reasons why there is none."""

    model: LiftedModel | None
    kind: WorldKind
    reasons: tuple[str, ...]  # why there is no model
    notes: tuple[str, ...]  # what was left out or taken for granted
    variables: int
    events: int
    agreement: float | None  # of the names of values, around all cycles of variables
    forms: int  # of events, before rare ones are left out


def lift(
    before: Bits, after: Bits, groups: Sequence[int], looks: Looks | None = None, criteria: Criteria | None = None
) -> Lifting:
    """Lift training transitions, (transitions, bits) each, whose bits are values of variables."""
    criteria = Criteria() if criteria is None else criteria
    observed = observe(before, after, Variables.of(groups))
    looks = Looks(order=tuple(range(len(observed.variables)))) if looks is None else looks
    notes = _notes(observed)
    if not observed.events:
        return _failed(observed, notes, ["no transition changes the value of a variable"])
    single = np.array([len(event) == 1 for event in observed.events])
    alone = bool(observed.counts[single].sum() >= (1 - criteria.most_accidents) * len(observed.event))
    votes = blocking_votes(observed, criteria) if alone else moving_votes(observed)
    naming = name_values(observed, votes, criteria) if votes else None
    no_names = _unnamed(naming, alone, criteria)
    if no_names is None and naming is not None:
        return _things(observed, naming, alone, looks, notes, criteria)
    sets = changed_sets(observed, criteria)
    no_switches = not_toggles(observed, sets, criteria)
    if no_switches is not None:
        agreement = None if naming is None else naming.agreement
        return _failed(observed, notes, [str(no_names), no_switches], agreement)
    model = lift_toggles(observed, sets, looks)
    return _done(observed, model, "switches", notes, None, forms=1)


def _notes(observed: Observed) -> list[str]:
    """Return notes on the transitions and variables that cannot be used."""
    notes = []
    if observed.unclear:
        notes.append(f"{observed.unclear} transitions have a variable without a value, or with several: left out")
    if observed.idle:
        notes.append(f"{observed.idle} transitions change nothing: left out")
    still = len(observed.variables) - len(observed.changing)
    if still:
        notes.append(f"{still} variables never change: scenery")
    return notes


def _unnamed(naming: Naming | None, alone: bool, criteria: Criteria) -> str | None:
    """Return why values cannot be followed from variable to variable, or None if they can."""
    what = "what is in the way of what" if alone else "what leaves one place and turns up in another"
    if naming is None:
        return (
            "no value of one variable tells about another: nothing that moves from place to place, and nothing that is "
            "in the way of something else, could be followed"
        )
    if not naming.linked:
        return f"some variables have nothing to do with the others: {what} does not link them"
    if naming.agreement < 1 - criteria.least_share:
        return f"values have no common names: {what} agrees in {naming.agreement:.3f} of the cases only"
    return None


def _things(
    observed: Observed, naming: Naming, alone: bool, looks: Looks, notes: list[str], criteria: Criteria
) -> Lifting:
    """Return the model of things at places; ``alone`` says that events change one variable each."""
    forms = find_forms(observed, naming)
    steady = observed.steady[observed.event]
    kept = [each for each in forms if steady[each.transitions].sum() >= criteria.least_share * len(observed.event)]
    reason = _too_much(observed, naming, forms, kept, criteria)
    if reason is not None:
        return _failed(observed, notes, [reason], naming.agreement)
    rare = len(observed.event) - sum(len(each.transitions) for each in kept)
    if rare:
        notes.append(f"{rare} transitions whose form is rare were taken for accidents")
    named = naming.of(observed.before)
    found = [study(observed, named, each, criteria) for each in kept]
    order = by_weight(found, looks.order) if alone else looks.order
    cast = make_cast("place" if alone else "thing", order, range(naming.count))
    kind: WorldKind = "things that are moved" if alone else "things that change places"
    return _done(observed, assemble(observed, naming, cast, found), kind, notes, naming.agreement, len(forms))


def _too_much(
    observed: Observed, naming: Naming, forms: list[Examples], kept: list[Examples], criteria: Criteria
) -> str | None:
    """Return what is too large to be lifted, or None."""
    total, covered = len(observed.event), sum(len(each.transitions) for each in kept)
    if covered < (1 - criteria.most_accidents) * total:
        return (
            f"{total - covered} of {total} transitions change more than {MAX_CHANGES} variables at once or have a form "
            f"that fewer than {criteria.least_share:.0%} share, of {len(forms)} forms"
        )
    candidates = max(count_groundings(naming.count, len(observed.changing), each.form) for each in kept)
    if candidates > MAX_GROUNDINGS:
        return f"an action would have {candidates} candidates for its arguments, more than {MAX_GROUNDINGS}"
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
