"""Bits that change on their own, whatever the rest of the picture does: those of a blinking lamp, for example.

Two bits belong together if their changes depend on each other. Bits that no chain of such dependences links to the
others change on their own: no action that changes the others has a say in them.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.differences import find_differences

LEVEL = 1e-3  # probability with which two independent bits look dependent, over all pairs of bits
HALF = 0.5  # of what bits do: if less than that follows from the rest, chance has the larger share
SURE = 3.0  # standard deviations: one in a thousand
MOST_NUMBERS = 1 << 26  # pixels of pictures that are looked at: 268 MB; of large pictures, fewer are
VISIBLE = 0.5  # of the largest mean change of a pixel: what is fainter is not the place where it happens


@attrs.frozen(kw_only=True)
class OwnChange:
    """Bits that change together and independently of all others."""

    bits: tuple[int, ...]
    fraction: float | None  # of transitions in which they change; None if not told
    box: tuple[int, int, int, int] | None = None  # where: first and last row, first and last column
    left_out: bool = False  # whether the encoder has noticed by itself and keeps it out of the states

    @property
    def where(self) -> str:
        """Return the place in words."""
        if self.box is None:
            return f"bits {', '.join(f'z{bit}' for bit in self.bits[:8])}{' …' if len(self.bits) > 8 else ''}"
        return listed_box(self.box)


def listed_box(box: tuple[int, int, int, int]) -> str:
    """Return a part of a picture in words."""
    return "rows {}–{}, columns {}–{}".format(*box)


def own_changes(before: Bits, after: Bits) -> list[OwnChange]:
    """Return what changes on its own in transitions, (transitions, bits) each.

    The part with the most kinds of changes is taken for the world that actions change. What is independent of it is
    returned, unless there are too few transitions of a kind to be sure.
    """
    changed = before != after
    live = np.flatnonzero(changed.any(0))
    parts = [live[part] for part in _components(_dependences(changed[:, live].astype(np.float64)))]
    if len(parts) < 2:
        return []
    kinds = [_kinds(before, after, part) for part in parts]
    main = max(range(len(parts)), key=lambda number: int(kinds[number].max()))
    return [
        OwnChange(bits=tuple(part.tolist()), fraction=float(changed[:, part].any(1).mean()))
        for number, part in enumerate(parts)
        if number != main
        and _predictable(changed[:, part].any(1), _kinds(before, after, np.setdiff1d(live, part))) < HALF
    ]


def locate(change: OwnChange, bits: Bits, pictures: Images) -> OwnChange:
    """Say where in the pictures, (pictures, height, width, …), the bits, (pictures, bits), show."""
    rows = slice(None, None, -(-pictures.size // MOST_NUMBERS))
    pictures, bits = pictures[rows], bits[rows]
    light = np.zeros(pictures.shape[1:3])
    grey = pictures.astype(np.float32).mean(axis=3) if pictures.ndim == 4 else pictures.astype(np.float32)
    for bit in change.bits:
        true = bits[:, bit]
        if true.any() and not true.all():
            light = np.maximum(light, np.abs(grey[true].mean(0) - grey[~true].mean(0)))
    if not light.any():
        return change
    return attrs.evolve(change, box=box_around(light >= VISIBLE * light.max()))


def box_around(pixels: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Return first and last row, first and last column of some pixels, (height, width)."""
    rows, columns = np.nonzero(pixels)
    return int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())


def _dependences(changed: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which bits change dependently, (bits, bits).

    The squared correlation of two independent changes, times the number of transitions, is distributed as χ² with one
    degree of freedom, which exceeds x with probability below exp(-x / 2).
    """
    count = len(changed)
    rate = changed.mean(0)
    scaled = (changed - rate) / np.sqrt(np.maximum(rate * (1 - rate), 1 / count))
    by_chance = 2 * np.log(max(len(rate), 2) ** 2 / LEVEL)
    return np.asarray((scaled.T @ scaled) ** 2 / count > by_chance)


def _kinds(before: Bits, after: Bits, part: Indices) -> Indices:
    """Return the number of the difference that each transition makes in some bits."""
    return find_differences(before[:, part], after[:, part]).shown


def _predictable(changed: NDArray[np.bool_], others: Indices) -> float:
    """Return how far whether some bits change follows, at most, from what the others do, 0 for not at all, 1 for all.

    In two transitions of one kind for the others, these bits both change, or neither time: by chance, or because it
    follows. The bound is SURE standard deviations above what is seen.
    """
    sizes = np.bincount(others)
    both = np.bincount(2 * others + changed)
    pairs = float((sizes * (sizes - 1)).sum()) / 2
    chance = float(changed.mean() ** 2 + (1 - changed.mean()) ** 2)
    if pairs == 0 or chance == 1:
        return 1.0
    agree = float((both * (both - 1)).sum()) / 2 / pairs
    doubt = SURE * math.sqrt(chance * (1 - chance) / pairs)
    return (agree + doubt - chance) / (1 - chance)


def _components(linked: NDArray[np.bool_]) -> list[Indices]:
    """Return the parts of a graph that are not linked to each other."""
    rest, parts = np.ones(len(linked), dtype=np.bool_), []
    while rest.any():
        part = np.zeros(len(linked), dtype=np.bool_)
        part[np.argmax(rest)] = True
        while (grown := part | linked[part].any(0)).sum() > part.sum():
            part = grown
        parts.append(np.flatnonzero(part))
        rest &= ~part
    return parts
