"""The rules that every precondition learner must follow."""

from __future__ import annotations

import numpy as np

from cubespace.base.arrays import Bits, Images
from cubespace.plugins.catalogue import load_plugins
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions

CELLS = 5


def corridor() -> Evidence:
    """Return a robot in a corridor: one bit per cell, three irrelevant bits, actions that step right or left."""
    rng = np.random.default_rng(0)
    right = np.arange(CELLS - 1)
    start, end = np.r_[right, right + 1], np.r_[right + 1, right]  # (actions,)
    add, delete = (np.eye(CELLS + 3, dtype=np.bool_)[cells] for cells in (end, start))
    action = rng.permutation(np.repeat(np.arange(len(start)), 20))
    before = np.eye(CELLS + 3, dtype=np.bool_)[start[action]]  # (transitions, bits)
    before[:, CELLS:] = rng.integers(2, size=(len(action), 3))

    def draw(states: Bits) -> Images:
        return states[:, None].astype(np.uint8) * 255  # (batch, 1, bits)

    def look(pictures: Images) -> Bits:
        states = pictures[:, 0] > 127
        known = states[:, :CELLS].sum(1) == 1  # there is one robot
        return np.where(known[:, None], states, np.roll(states, 1, axis=1))

    return Evidence(
        before=before, action=action, add=add, delete=delete, draw=draw, look=look, rng=np.random.default_rng(1)
    )


def _learn(spec: str) -> tuple[Evidence, Preconditions]:
    learner = load_plugins().create("precondition", spec)
    assert isinstance(learner, PreconditionLearner)
    evidence = corridor()
    return evidence, learner.learn(evidence)


def _held(learned: Preconditions, states: Bits) -> Bits:
    """Return whether each conjunction holds in each state, as (states, conjunctions)."""
    missing = (~states[:, None] & learned.positive).any(2) | (states[:, None] & learned.negative).any(2)
    return np.asarray(~missing)


def every_action_has_a_conjunction(spec: str) -> None:
    """There are one or more conjunctions per action, in order, without contradictions."""
    evidence, learned = _learn(spec)
    assert learned.positive.shape == learned.negative.shape == (len(learned.action), evidence.add.shape[1])
    assert learned.positive.dtype == learned.negative.dtype == np.bool_
    assert (np.diff(learned.action) >= 0).all()
    np.testing.assert_array_equal(np.unique(learned.action), np.arange(len(evidence.add)))
    assert not (learned.positive & learned.negative).any()


def every_example_is_allowed(spec: str) -> None:
    """Every observed transition is possible in the model."""
    evidence, learned = _learn(spec)
    held = _held(learned, evidence.before) & (learned.action == evidence.action[:, None])
    assert held.any(1).all()


def what_the_effect_needs_is_required(spec: str) -> None:
    """With clean examples, the robot can only move from the cell it is in."""
    evidence, learned = _learn(spec)
    held = _held(learned, evidence.before)  # (transitions, conjunctions)
    here = evidence.before[:, None] & evidence.delete[learned.action]  # (transitions, conjunctions, bits)
    assert not (held & ~here.any(2)).any()


def learning_depends_on_the_seed_alone(spec: str) -> None:
    """The same evidence gives the same preconditions."""
    (_, first), (_, again) = _learn(spec), _learn(spec)
    np.testing.assert_array_equal(first.positive, again.positive)
    np.testing.assert_array_equal(first.negative, again.negative)


CHECKS = (
    every_action_has_a_conjunction,
    every_example_is_allowed,
    what_the_effect_needs_is_required,
    learning_depends_on_the_seed_alone,
)
