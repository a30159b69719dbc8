"""From the bits of the training transitions to a lifted model, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from cubespace.base.arrays import Bits
from cubespace.symbols.lifting.cast import make_cast
from cubespace.symbols.lifting.forms import MOST_CHANGES, Examples, find_forms
from cubespace.symbols.lifting.groundings import MOST_GROUNDINGS, count_groundings
from cubespace.symbols.lifting.looks import Looks
from cubespace.symbols.lifting.model import LiftedModel
from cubespace.symbols.lifting.naming import Naming, blocking_votes, moving_votes, name_values
from cubespace.symbols.lifting.schemas import study
from cubespace.symbols.lifting.things import assemble, by_weight
from cubespace.symbols.lifting.toggles import changed_sets, lift_toggles, not_toggles
from cubespace.symbols.lifting.variables import Observed, Variables, observe


@attrs.frozen(kw_only=True)
class Lifting:
    """The lifted model, if there is one; in any case what was found, or why not."""

    model: LiftedModel | None
    kind: str  # of world: things that change places, things that are moved, switches; none
    reasons: tuple[str, ...]  # why there is no model
    notes: tuple[str, ...]  # what was left out or taken for granted
    variables: int
    events: int
    agreement: float | None  # of the names of values, round all cycles of variables
    forms: int  # of events, before rare ones are left out


def lift(
    before: Bits, after: Bits, groups: Sequence[int], looks: Looks | None = None, *, level: float, least_share: float
) -> Lifting:
    """Lift training transitions, (transitions, bits) each, whose bits are values of variables.

    ``level`` is the probability with which chance may be taken for a rule; a form of event that fewer than
    ``least_share`` of the transitions show is an accident.
    """
    observed = observe(before, after, Variables.of(groups))
    looks = Looks(order=tuple(range(len(observed.variables)))) if looks is None else looks
    notes = _notes(observed)
    if not observed.events:
        return _failed(observed, notes, ["no transition changes the value of a variable"])
    alone = all(len(event) == 1 for event in observed.events)
    votes = blocking_votes(observed) if alone else moving_votes(observed)
    naming = name_values(observed, votes) if votes else None
    reason = _unnamed(naming, alone, least_share)
    if reason is None and naming is not None:
        return _things(observed, naming, alone, looks, notes, level, least_share)
    sets = changed_sets(observed)
    other = not_toggles(observed, sets, level)
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


def _unnamed(naming: Naming | None, alone: bool, least_share: float) -> str | None:
    """Return why values cannot be followed from variable to variable, or None if they can."""
    what = "what is in the way of what" if alone else "what leaves one place and turns up in another"
    if naming is None:
        return "no value of one variable tells about another: nothing moves, nothing is in the way"
    if not naming.linked:
        return f"some variables have nothing to do with the others: {what} does not link them"
    if naming.agreement < 1 - least_share:
        return f"values have no common names: {what} agrees in {naming.agreement:.3f} of the cases only"
    return None


def _things(
    observed: Observed, naming: Naming, alone: bool, looks: Looks, notes: list[str], level: float, least_share: float
) -> Lifting:
    """Return the model of things at places."""
    forms = find_forms(observed, naming)
    kept = [each for each in forms if len(each.transitions) >= least_share * len(observed.event)]
    reason = _too_much(observed, naming, forms, kept, least_share)
    if reason is not None:
        return _failed(observed, notes, [reason], naming.agreement)
    rare = sum(len(each.transitions) for each in forms) - sum(len(each.transitions) for each in kept)
    if rare:
        notes.append(f"{rare} transitions of {len(forms) - len(kept)} rare forms were taken for accidents")
    named = naming.of(observed.before)
    found = [study(observed, named, each, level) for each in kept]
    order = by_weight(found, looks.order) if alone else looks.order
    cast = make_cast("place" if alone else "thing", order, range(naming.count))
    kind = "things that are moved" if alone else "things that change places"
    return _done(observed, assemble(observed, naming, cast, found), kind, notes, naming.agreement, len(forms))


def _too_much(
    observed: Observed, naming: Naming, forms: list[Examples], kept: list[Examples], least_share: float
) -> str | None:
    """Return what is too large to be lifted, or None."""
    total, told = len(observed.event), sum(len(each.transitions) for each in forms)
    if told < (1 - least_share) * total:
        return f"{total - told} of {total} transitions change more than {MOST_CHANGES} variables at once"
    if not kept:
        return f"there are {len(forms)} forms of events, none of them frequent"
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
    observed: Observed, model: LiftedModel, kind: str, notes: Sequence[str], agreement: float | None, forms: int
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
