"""Is the lifted model right? It is grounded again and compared with the transitions and with the learned model."""

from __future__ import annotations

from collections import Counter

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, distinct_rows, step_keys
from cubespace.lifting.refutation import Refutation
from cubespace.symbols.strips import StripsModel

CHUNK = 500  # states whose successors are compared at once
LISTED = 20  # differences and errors that are kept by name


@attrs.frozen(kw_only=True)
class Explained:
    """The check against the transitions of a split: whether each is an action of the model."""

    transitions: int  # that change something
    explained: int
    missed: tuple[int, ...]  # the first of those that are not, by their numbers in the split

    @property
    def passed(self) -> bool:
        """Return whether all transitions are actions of the model."""
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


@attrs.frozen(kw_only=True)
class LearnedCheck(Compared):
    """The comparison with the learned model, and what that one explains itself."""

    training: Explained
    held_out: Explained
    refutation: Refutation | None = None  # what speaks against the learned model, given the lifted one


@attrs.frozen(kw_only=True)
class Checks:
    """All checks of a lifted model."""

    training: Explained
    held_out: Explained
    learned: LearnedCheck | None = None  # None where the bits of the two models differ
    refutation: Refutation | None = None  # what speaks against it, None where there is no learned model to compare
    passed: bool | None = None  # whether it explains as much as the learned model, and nothing speaks against it

    @property
    def failures(self) -> tuple[str, ...]:
        """Return which checks failed, in words."""
        if self.learned is None or self.passed is not False:
            return ()
        splits = (
            ("training", self.training, self.learned.training),
            ("held-out", self.held_out, self.learned.held_out),
        )
        lacking = [
            f"it explains {own.explained} of {own.transitions} {name} transitions, the learned model {other.explained}"
            for name, own, other in splits
            if own.explained < other.explained
        ]
        words = "" if self.refutation is None else self.refutation.words
        return (*lacking, *([f"it is too general: {words}"] if words else []))


def explain(model: StripsModel, before: Bits, after: Bits) -> Explained:
    """Look for an action that reproduces each transition, (transitions, bits) each, that changes something."""
    rows = np.flatnonzero((before != after).any(1))
    missed = rows[model.reproduce(before[rows], after[rows]) < 0]
    return Explained(transitions=len(rows), explained=len(rows) - len(missed), missed=tuple(missed[:LISTED].tolist()))


def compare(lifted: StripsModel, learned: StripsModel, states: Bits, count: int, seed: int) -> Compared:
    """Compare the successors of two models, on ``count`` of the given states."""
    states = distinct_rows(states)
    states = states[np.random.default_rng(seed).permutation(len(states))[:count]]
    same = added = missing = 0
    only_lifted, only_learned = Counter[str](), Counter[str]()
    for start in range(0, len(states), CHUNK):
        part = states[start : start + CHUNK]
        by_lifted, by_learned = _Steps.of(lifted, part), _Steps.of(learned, part)
        extra, lacking = by_lifted.without(by_learned), by_learned.without(by_lifted)
        added += len(np.unique(extra.keys))
        missing += len(np.unique(lacking.keys))
        only_lifted.update(extra.names())
        only_learned.update(lacking.names())
        same += len(part) - len(np.union1d(extra.source, lacking.source))
    return Compared(
        states=len(states),
        same=same,
        only_lifted=dict(sorted(only_lifted.items())[:LISTED]),
        only_learned=dict(sorted(only_learned.items())[:LISTED]),
        missing=missing,
        added=added,
    )


@attrs.frozen(eq=False)
class _Steps:
    """Steps of a model."""

    model: StripsModel
    source: Indices  # (steps,), the row of the state that each starts from
    action: Indices  # (steps,)
    keys: NDArray[np.void]  # (steps,), equal for steps between the same two states

    @classmethod
    def of(cls, model: StripsModel, states: Bits) -> _Steps:
        """Return all steps from some states."""
        source, action = np.nonzero(model.applicable(states))
        return cls(model, source, action, step_keys(source, model.apply(states[source], action)))

    def without(self, others: _Steps) -> _Steps:
        """Return the steps between states that none of the others connects."""
        alone = ~np.isin(self.keys, others.keys)
        return _Steps(self.model, self.source[alone], self.action[alone], self.keys[alone])

    def names(self) -> list[str]:
        """Return the name of the action of each step."""
        return [self.model.names[action] for action in self.action.tolist()]
