"""Worlds of switches: an action turns over a fixed set of places, each to the other one of its two values.

Such a world has many events, as every combination of old values is one, but few sets of places that change together.
Each set is a button; what it turns over is a static relation, and its effect is conditional on what was there.
"""

from __future__ import annotations

import math

import numpy as np

from cubespace.base.arrays import Indices
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.looks import Looks
from cubespace.lifting.model import (
    Atom,
    Flip,
    LiftedModel,
    Meaning,
    Predicate,
    Schema,
    Typed,
    numbered,
    of_type,
)
from cubespace.lifting.schemas import some_of
from cubespace.lifting.variables import Observed

MAX_PLACES = 12  # that one button turns over: its effect is spelt out for each combination of old values


def changed_sets(observed: Observed, criteria: Criteria) -> dict[tuple[int, ...], Indices]:
    """Return the sets of variables that change together, each with the observed transitions that show it.

    Sets that are seen far less often than the one that a typical transition shows are accidents.
    """
    sets: dict[tuple[int, ...], list[int]] = {}
    for number, event in enumerate(observed.events):
        sets.setdefault(tuple(variable for variable, _, _ in event), []).append(number)
    shown = {about: np.flatnonzero(np.isin(observed.event, events)) for about, events in sets.items()}
    sizes = [len(rows) for rows in shown.values()]
    typical = float(np.median(np.repeat(sizes, sizes)))
    return {about: rows for about, rows in shown.items() if len(rows) > criteria.accident_rate * typical}


def not_toggles(observed: Observed, sets: dict[tuple[int, ...], Indices], criteria: Criteria) -> str | None:
    """Return why this is not a world of switches, or None if it is one."""
    changing = observed.changing.tolist()
    values = [len(_values(observed, variable)) for variable in changing]
    if any(count != 2 for count in values):
        return f"places have up to {max(values)} values: they are not switches"
    if len(sets) >= len(observed.events):
        return "no set of places changes in more than one way"
    covered = sum(len(rows) for rows in sets.values())
    if covered < (1 - criteria.most_accidents) * len(observed.event):
        return f"{len(observed.event) - covered} transitions change sets of places that hardly ever change together"
    if max(len(about) for about in sets) > MAX_PLACES:
        return f"up to {max(len(about) for about in sets)} places change together, more than {MAX_PLACES}"
    partial = [about for about, rows in sets.items() if _is_partial(observed, about, rows, criteria.level)]
    if partial:
        return (
            f"{len(partial)} of {len(sets)} sets of places that change together do so only for some of their values, "
            "so something else decides"
        )
    return None


def _values(observed: Observed, variable: int) -> Indices:
    """Return the values that a variable takes."""
    return np.unique(np.concatenate([observed.before[:, variable], observed.after[:, variable]]))


def _is_partial(observed: Observed, about: tuple[int, ...], rows: Indices, level: float) -> bool:
    """Return whether a set changed only from some of its values, though others were there often enough."""
    weights = 2 ** np.arange(len(about))
    there = observed.before[:, about] @ weights
    possible = np.bincount(there, minlength=2 ** len(about))
    seen = np.bincount(there[rows], minlength=2 ** len(about))
    expected = possible * (seen.sum() / possible.sum())
    return bool(((seen == 0) & (expected > math.log(len(seen) * len(observed.variables) / level))).any())


def lift_toggles(observed: Observed, sets: dict[tuple[int, ...], Indices], looks: Looks) -> LiftedModel:
    """Return the model of a world of switches."""
    changing = set(observed.changing.tolist())
    places = dict(zip([one for one in looks.order if one in changing], numbered("p", len(changing)), strict=True))
    buttons = _buttons(list(sets), places, looks)
    affects = [Atom("affects", (buttons[about], places[one])) for about in sets for one in about]
    word, note = (
        ("lit", "shows the brighter one of its two values") if looks.bright else ("up", "shows one of its two values")
    )
    meaning = []
    for variable, place in sorted(places.items(), key=lambda each: each[1]):
        bits = observed.variables.bits[variable]
        values = _values(observed, variable).tolist()
        lit = looks.bright[variable] if looks.bright else values[-1]
        dark = next(value for value in values if value != lit)
        meaning.append((Atom(word, (place,)), Meaning(bits[lit], bits[dark])))
    rows = np.concatenate(list(sets.values()))
    return LiftedModel(
        bits=sum(len(bits) for bits in observed.variables.bits),
        types=of_type(["place", "button"], "object"),
        objects=(*of_type(sorted(places.values()), "place"), *of_type(sorted(buttons.values()), "button")),
        predicates=(
            Predicate(word, (Typed("?p", "place"),), static=False, note=note),
            Predicate("affects", (Typed("?b", "button"), Typed("?p", "place")), static=True, note="static"),
        ),
        facts=tuple(sorted(affects)),
        schemas=(
            Schema(
                name="press",
                parameters=(Typed("?b", "button"),),
                flips=(Flip((Typed("?p", "place"),), (Atom("affects", ("?b", "?p")),), Atom(word, ("?p",))),),
                transitions=len(rows),
                events=len(np.unique(observed.event[rows])),
                examples=some_of(observed.rows[np.sort(rows)]),
            ),
        ),
        meaning=tuple(meaning),
    )


def _buttons(sets: list[tuple[int, ...]], places: dict[int, str], looks: Looks) -> dict[tuple[int, ...], str]:
    """Name the buttons: after the place in their middle if each has one of its own, else in the order of the sets."""
    centres = {about: centre for about in sets if (centre := looks.centre(about)) in places and centre is not None}
    if len(set(centres.values())) == len(sets):
        return {about: f"b{places[centre][1:]}" for about, centre in centres.items()}
    ordered = sorted(sets, key=lambda about: sorted(places[one] for one in about))
    return dict(zip(ordered, numbered("b", len(ordered)), strict=True))
