"""Is the lifted model right? What it says when it is grounded again, against the transitions and the STRIPS model."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices, distinct_rows
from cubespace.symbols.strips import StripsModel

CHUNK = 500  # states whose successors are compared at once
LISTED = 20  # differences and errors that are kept by name


@attrs.frozen(kw_only=True)
class Explained:
    """The check against the training transitions: whether each is an action of the model."""

    transitions: int  # that change something
    explained: int
    missed: tuple[int, ...]  # some of the others, by their number in the training split

    @property
    def passed(self) -> bool:
        """Return whether all are."""
        return self.explained == self.transitions


@attrs.frozen(kw_only=True)
class Compared:
    """The check against the learned STRIPS model: whether states have the same successors in both."""

    states: int
    same: int  # states with the same successors in both
    only_lifted: dict[str, int]  # actions of the lifted model whose successors the other one lacks, with how often
    only_learned: dict[str, int]  # the other way round
    missing: int  # successors that only the learned model has …
    added: int  # … and that only the lifted one has


def explain(model: StripsModel, before: Bits, after: Bits) -> Explained:
    """Look for an action that reproduces each transition, (transitions, bits) each, that changes something."""
    rows = np.flatnonzero((before != after).any(1))
    missed = rows[find_actions(model, before[rows], after[rows]) < 0]
    return Explained(transitions=len(rows), explained=len(rows) - len(missed), missed=tuple(missed[:LISTED].tolist()))


def find_actions(model: StripsModel, before: Bits, after: Bits) -> Indices:
    """Return an action that reproduces each transition, -1 where there is none."""
    found = np.full(len(before), -1, dtype=np.intp)
    for start in range(0, len(before), CHUNK):
        part = slice(start, start + CHUNK)
        which, action = np.nonzero(model.applicable(before[part]))
        same = (model.apply(before[part][which], action) == after[part][which]).all(1)
        found[start + which[same]] = action[same]
    return found


def compare(lifted: StripsModel, learned: StripsModel, states: Bits, count: int, seed: int) -> Compared:
    """Compare the successors of two models, on ``count`` of the given states."""
    states = distinct_rows(states)
    states = states[np.random.default_rng(seed).permutation(len(states))[:count]]
    extra: tuple[dict[str, int], dict[str, int]] = ({}, {})
    same, sums = 0, [0, 0]
    for start in range(0, len(states), CHUNK):
        part = states[start : start + CHUNK]
        keys, names = zip(*(_successors(model, part) for model in (lifted, learned)), strict=True)
        differing: set[int] = set()
        for side, other in ((0, 1), (1, 0)):
            lone = ~np.isin(keys[side], keys[other])
            sums[side] += len(np.unique(keys[side][lone]))
            differing |= set(names[side][1][lone].tolist())
            for action in names[side][0][lone].tolist():
                name = (lifted, learned)[side].names[action]
                extra[side][name] = extra[side].get(name, 0) + 1
        same += len(part) - len(differing)
    only_lifted, only_learned = ({name: many[name] for name in sorted(many)[:LISTED]} for many in extra)
    return Compared(
        states=len(states),
        same=same,
        only_lifted=only_lifted,
        only_learned=only_learned,
        missing=sums[1],
        added=sums[0],
    )


def _successors(model: StripsModel, states: Bits) -> tuple[Any, tuple[Indices, Indices]]:
    """Return a comparable key of each state with each of its successors, the action and the row of the state."""
    row, action = np.nonzero(model.applicable(states))
    after = np.packbits(model.apply(states[row], action), axis=1)
    told = np.ascontiguousarray(np.concatenate([row.astype(">u4")[:, None].view(np.uint8), after], axis=1))
    return told.view(np.dtype((np.void, told.shape[1]))).ravel(), (action, row)
