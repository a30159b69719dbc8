"""Worlds of switches: an action turns over a fixed set of places, each to the other one of its two values.

Such a world has many events, as every combination of old values is one, but few sets of places that change together.
Each set is a button; what it turns over is a static relation, and its effect is conditional on what was there.
"""

from __future__ import annotations

import math

import numpy as np

from cubespace.base.arrays import Indices
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
from cubespace.lifting.variables import ACCIDENTS, Observed

MOST_PLACES = 12  # that one button turns over: its effect is spelt out for each combination of old values


def changed_sets(observed: Observed) -> dict[tuple[int, ...], Indices]:
    """Return the sets of variables that change together, each with the observed transitions that show it.

    Sets that are seen far more seldom than the usual one are accidents.
    """
    sets: dict[tuple[int, ...], list[int]] = {}
    for number, event in enumerate(observed.events):
        sets.setdefault(tuple(variable for variable, _, _ in event), []).append(number)
    shown = {about: np.flatnonzero(np.isin(observed.event, events)) for about, events in sets.items()}
    usual = float(np.median(np.repeat([len(rows) for rows in shown.values()], [len(rows) for rows in shown.values()])))
    return {about: rows for about, rows in shown.items() if len(rows) > ACCIDENTS * usual}


def not_toggles(
    observed: Observed, sets: dict[tuple[int, ...], Indices], level: float, most_accidents: float
) -> str | None:
    """Return why this is no world of switches, or None if it is one."""
    changing = observed.changing.tolist()
    used = [
        len(np.unique(np.concatenate([observed.before[:, variable], observed.after[:, variable]])))
        for variable in changing
    ]
    if any(values != 2 for values in used):
        return f"places have up to {max(used)} values: they are not switches"
    if len(sets) >= len(observed.events):
        return "no set of places changes in more than one way"
    told = sum(len(rows) for rows in sets.values())
    if told < (1 - most_accidents) * len(observed.event):
        return f"{len(observed.event) - told} transitions change sets of places that hardly ever change together"
    if max(len(about) for about in sets) > MOST_PLACES:
        return f"up to {max(len(about) for about in sets)} places change together, more than {MOST_PLACES}"
    missing = [about for about, rows in sets.items() if _missing(observed, about, rows, level)]
    if missing:
        return (
            f"{len(missing)} of {len(sets)} sets of places that change together do so only for some of their values, "
            "so something else decides"
        )
    return None


def _missing(observed: Observed, about: tuple[int, ...], rows: Indices, level: float) -> bool:
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
        own = observed.variables.bits[variable]
        values = np.unique(np.concatenate([observed.before[:, variable], observed.after[:, variable]])).tolist()
        lit = looks.bright[variable] if looks.bright else values[-1]
        dark = next(value for value in values if value != lit)
        meaning.append((Atom(word, (place,)), Meaning(own[lit], own[dark])))
    rows = np.concatenate(list(sets.values()))
    return LiftedModel(
        bits=sum(len(own) for own in observed.variables.bits),
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
