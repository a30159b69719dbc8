"""Families of events: what no event shows alone, and what a family must not decide for its members."""

from __future__ import annotations

import numpy as np
import pytest
from learned_values import Actions, Pairs, events_of, learn_values, one_hot

from cubespace.base.arrays import Indices, apply_effect, step_keys
from cubespace.data.domain import Simulator
from cubespace.plugins.catalogue import load_plugins
from cubespace_precondition.values.pooling import find_families
from cubespace_precondition.values.trials import Trials

BLOCKS, COLUMNS = 4, 3


@pytest.fixture(scope="module")
def stacks() -> Simulator:
    domain = load_plugins().create("domain", f"blocks:blocks={BLOCKS},columns={COLUMNS}")
    assert isinstance(domain, Simulator)
    return domain


def contents(states: np.ndarray) -> Indices:
    """What each cell holds: 0, or a block counted from 1."""
    cells = np.zeros((len(states), BLOCKS * COLUMNS), dtype=np.intp)
    cells[np.arange(len(states))[:, None], states] = np.arange(1, BLOCKS + 1)
    return cells


def moves(domain: Simulator, count: int, seed: int) -> Pairs:
    before, after = domain.random_moves(count, np.random.default_rng(seed))
    return contents(before), contents(after)


def of_all_states(domain: Simulator, actions: Actions) -> tuple[float, float]:
    """The fraction of the true moves that the actions have, and the wrong ones per state."""
    states = np.unique(domain.random_states(6000, np.random.default_rng(0)), axis=0)
    children, parents = domain.successors(states)
    sizes = [BLOCKS + 1] * (BLOCKS * COLUMNS)
    before, after = one_hot(contents(states), sizes), one_hot(contents(children), sizes)
    lacking = (~before).astype(int) @ actions.positive.T.astype(int) + before.astype(int) @ actions.negative.T.astype(
        int
    )
    row, action = np.nonzero(lacking == 0)
    offered = step_keys(row, apply_effect(before[row], actions.add[action], actions.delete[action]))
    true = step_keys(parents, after)
    return float(np.isin(true, offered).mean()), float((~np.isin(offered, true)).sum() / len(states))


@pytest.mark.parametrize("seed", [100, pytest.param(101, marks=pytest.mark.slow)])
def test_stacked_blocks_need_something_below_and_nothing_above(stacks: Simulator, seed: int) -> None:
    actions = learn_values(moves(stacks, 4500, seed), [BLOCKS + 1] * (BLOCKS * COLUMNS))
    assert len(actions.add) == 240
    assert of_all_states(stacks, actions) == (1.0, 0.0)


def test_wrong_pairs_teach_no_false_conditions(stacks: Simulator) -> None:
    before, after = moves(stacks, 4500, 100)
    wrong = np.random.default_rng(0).choice(4500, 90, replace=False)
    after[wrong] = after[np.roll(wrong, 1)]
    recall, extra = of_all_states(stacks, learn_values((before, after), [BLOCKS + 1] * (BLOCKS * COLUMNS)))
    assert recall > 0.99
    assert extra < 0.1


def test_a_family_decides_nothing_for_events_that_were_seen_otherwise() -> None:
    """One switch is turned up only while the guard is at 0, another one always."""
    rng = np.random.default_rng(100)
    before = np.stack([rng.integers(3, size=3000), rng.integers(2, size=3000), rng.integers(2, size=3000)], axis=1)
    after = before.copy()
    which = rng.integers(1, 3, size=3000)
    free = (which == 2) | (before[:, 0] == 0)
    after[np.flatnonzero(free), which[free]] ^= 1
    after[~free, 0] = 0
    actions = learn_values((before, after), [3, 2, 2])
    guarded = actions.add[:, 3:5].any(1)
    assert (actions.negative[guarded, :3] == [False, True, True]).all()
    assert not actions.negative[actions.add[:, 5:].any(1)][:, :3].any()


def test_families_are_events_that_leave_or_take_a_value_or_change_the_same() -> None:
    before = np.array([[0, 0], [0, 0], [1, 0], [0, 0]])
    after = np.array([[1, 0], [2, 0], [2, 0], [0, 1]])
    sizes = [3, 2]
    first, second = one_hot(before, sizes), one_hot(after, sizes)
    events = events_of(first, second)
    variables = [np.arange(3), np.arange(3, 5)]
    families = find_families(Trials.of(first, events, variables, np.zeros(len(events.add))))
    names = {
        frozenset((events.event == event).argmax().item() for event in np.flatnonzero(family)) for family in families
    }
    assert names == {frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 1, 2})}
