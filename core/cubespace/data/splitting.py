"""A split by states: no picture of the validation or test split shows a state that a training picture shows.

Pairs are linked by their states. A held-out part is grown from a random pair by adding states that have more links
to it than to others; pairs that join two parts belong to neither and are left out.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Indices
from cubespace.base.errors import UsageError
from cubespace.data.domain import Pairs

LEAST_TRAINING = 0.5  # of the pairs: with less, the split would describe another, smaller data set
FREE = 0  # the part of states that are not held out: training


@attrs.frozen(eq=False, kw_only=True)
class StateSplit:
    """The rows of each part, and a note about them for the user."""

    train: Indices
    validation: Indices
    test: Indices
    note: str


def split_by_state(pairs: Pairs, held_out: int, rng: np.random.Generator) -> StateSplit:
    """Split pairs so that about ``held_out`` are in the validation split, as many in the test split, apart by state.

    Two pictures show the same state if the domain says so or, where it does not know, if they are equal byte by byte.
    """
    ends, known = _states(pairs)
    part = _grown(ends, held_out, rng)
    of_pairs = part[ends]  # (pairs, 2)
    inside = of_pairs[:, 0] == of_pairs[:, 1]
    train, test, validation = (
        rng.permutation(np.flatnonzero(inside & (of_pairs[:, 0] == number))) for number in range(3)
    )
    lost = int((~inside).sum())
    if not len(validation) or not len(test) or len(train) < LEAST_TRAINING * len(pairs):
        raise UsageError(
            f"data.split=state is not possible: of {len(pairs):,} pairs, which link {part.size:,} states, it would "
            f"leave {len(train):,} to train, {len(validation):,} to validate and {len(test):,} to test. Use "
            "data.split=pair, or a domain with more states."
        )
    note = f"split by {'states' if known else 'pictures'}: {len(train):,} pairs to train, {len(validation):,} to "
    note += f"validate, {len(test):,} to test, {lost:,} left out because they join two parts"
    if not known and part.size == 2 * len(pairs):
        note += "; no two pictures are equal, so it is not known which show the same state: they may overlap"
    return StateSplit(train=train, validation=validation, test=test, note=note)


def _states(pairs: Pairs) -> tuple[Indices, bool]:
    """Return the number of the state before and after each pair, (pairs, 2), and whether the domain knows states."""
    known = pairs.states_before is not None and pairs.states_after is not None
    sides = (pairs.states_before, pairs.states_after) if known else (pairs.before, pairs.after)
    numbers: dict[bytes, int] = {}
    ends = [[numbers.setdefault(_key(row), len(numbers)) for row in side] for side in sides if side is not None]
    return np.array(ends, dtype=np.intp).T, known


def _key(row: NDArray[np.uint8]) -> bytes:
    """Return what only equal rows have in common, however long they are."""
    return hashlib.blake2b(np.ascontiguousarray(row).data, digest_size=16).digest()


def _grown(ends: Indices, size: int, rng: np.random.Generator) -> Indices:
    """Return the part of each state: 0 for training, 1 for test, 2 for validation."""
    links: dict[int, list[int]] = defaultdict(list)  # of each state, the states at the other ends of its pairs
    for one, other in ends.tolist():
        links[one].append(other)
        links[other].append(one)
    part = np.full(int(ends.max()) + 1, FREE, dtype=np.intp)
    for number in (1, 2):
        _grow(part, number, size, rng.permutation(ends).tolist(), links)
    return part


def _grow(part: Indices, number: int, size: int, starts: list[list[int]], links: dict[int, list[int]]) -> None:
    """Add states to a part until it has enough pairs; where nothing is left to add, start from a new pair."""
    inside, border = 0, dict[int, int]()  # pairs within the part; free states linked to it, with how many pairs

    def take(state: int) -> None:
        nonlocal inside
        inside += sum(part[other] == number or other == state for other in links[state])
        part[state] = number
        border.pop(state, None)
        for other in links[state]:
            if part[other] == FREE:
                border[other] = border.get(other, 0) + 1

    for start in starts:
        if any(part[state] != FREE for state in start):
            continue
        for state in dict.fromkeys(start):
            take(state)
        while border and inside < size:
            take(max(border, key=lambda state: border[state] / len(links[state])))
        if inside >= size:
            return
