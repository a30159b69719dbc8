"""The legend of a lifted model: a picture of each thing and each place, and example pairs of each schema."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images
from cubespace.base.images import side_by_side
from cubespace.lifting.model import LiftedModel

Picture = NDArray[np.uint8]
DIMMED = 0.25  # the light of what a picture is not about
AVERAGED_PICTURES = 200  # of which the picture of a thing is the mean: noise cancels out


@attrs.frozen(eq=False, kw_only=True)
class Legend:
    """Pictures by the names of objects and schemas."""

    things: Mapping[str, Picture]  # buttons too
    places: Mapping[str, Picture]
    schemas: Mapping[str, Images]  # pairs side by side


def make_legend(
    model: LiftedModel,
    *,
    before: Images,
    after: Images,
    states_before: Bits,
    states_after: Bits,
    regions: Mapping[str, NDArray[np.bool_]],
) -> Legend:
    """Return the legend, made of the training pictures and their bits; ``regions`` are the pixels of known places."""
    at = {fact: meaning.true for fact, meaning in model.meaning if fact.predicate == "at"}
    things, places = {}, {}
    for name in model.objects_of("place"):
        if name in regions:
            places[name] = _lit(before[0], regions[name])
        else:
            held = [bit for fact, bit in at.items() if fact.terms[1] == name]
            places[name] = before[int(states_before[:, held].sum(1).argmax())]  # the one with most things there
    for name in model.objects_of("thing"):
        spots = [(fact.terms[1], bit) for fact, bit in at.items() if fact.terms[0] == name]
        seen = [(place, bit) for place, bit in spots if place in regions and states_before[:, bit].any()]
        if seen:
            place, bit = seen[0]
            rows = np.flatnonzero(states_before[:, bit])[:AVERAGED_PICTURES]
            things[name] = _cut_out(before[rows], regions[place])
        else:
            bits = [bit for _, bit in spots]
            things[name] = _mover(before, after, (states_before[:, bits] != states_after[:, bits]).any(1))
    for name in model.objects_of("button"):
        affected = [
            regions[fact.terms[1]] for fact in model.facts if fact.terms[0] == name and fact.terms[1] in regions
        ]
        if affected:
            things[name] = _lit(np.full_like(before[0], 255), np.any(affected, axis=0))
    pairs = {
        schema.name: side_by_side(before[list(schema.examples)], after[list(schema.examples)])
        for schema in model.schemas
        if schema.examples
    }
    return Legend(things=things, places=places, schemas=pairs)


def _lit(picture: Picture, region: NDArray[np.bool_]) -> Picture:
    """Return a picture that is dark outside of a region."""
    shown = region if picture.ndim == 2 else region[..., None]
    return np.where(shown, picture, (picture * DIMMED).astype(np.uint8))


def _cut_out(pictures: Images, region: NDArray[np.bool_]) -> Picture:
    """Return the mean of pictures in the rectangle around a region."""
    rows, columns = np.flatnonzero(region.any(1)), np.flatnonzero(region.any(0))
    part = pictures[:, rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.asarray(part.mean(0).round(), dtype=np.uint8)


def _mover(before: Images, after: Images, moves: Bits) -> Picture:
    """Return the first picture in which a thing is about to move: what the move does not change is dark."""
    row = int(moves.argmax())
    changed = before[row] != after[row]
    return _lit(before[row], changed if changed.ndim == 2 else changed.any(2))
