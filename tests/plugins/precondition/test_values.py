"""The learner ``values`` on small worlds with known actions: what is found, and what chance must not mislead."""

from __future__ import annotations

import numpy as np
import pytest
from learned_values import Pairs, events_of, learn, learn_values, numbers, one_hot

from cubespace.base.arrays import Indices
from cubespace.plugins.catalogue import load_plugins
from cubespace.symbols.effects import differences
from cubespace.symbols.precondition_learner import Evidence
from cubespace_precondition.values.belief import believable_events
from cubespace_precondition.values.invariants import at_most_one_groups, exactly_one_groups
from cubespace_precondition.values.learner import declared_groups
from cubespace_precondition.values.weighing import lowest_rate, too_rare, visit_weights

EDGES = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]  # of a board of two rows and three columns


def slide(count: int, rng: np.random.Generator, states: Indices | None = None) -> Pairs:
    """The 5-puzzle: the blank, 0, changes places with a neighbour; 70 actions."""
    before = rng.permuted(np.tile(np.arange(6), (count, 1)), axis=1) if states is None else states
    after = before.copy()
    for row, blank in enumerate((before == 0).argmax(1)):
        other = rng.choice([a + b - blank for a, b in EDGES if blank in (a, b)])
        after[row, [blank, other]] = after[row, [other, blank]]
    return before, after


def guarded(count: int, rng: np.random.Generator) -> Pairs:
    """Two switches of three positions, turned by one up or down; the second only while the first is at 0 or 1."""
    before = rng.integers(3, size=(count, 2))
    after = before.copy()
    which = np.where(before[:, 0] == 2, 0, rng.integers(2, size=count))
    rows = np.arange(count)
    after[rows, which] = (before[rows, which] + rng.choice([1, 2], size=count)) % 3
    return before, after


def towers(count: int, rng: np.random.Generator) -> Pairs:
    """Towers of Hanoi with three disks: the peg of each, the smallest disk first."""
    before = rng.integers(3, size=(count, 3))
    after = before.copy()
    for row, state in enumerate(before):
        top = [min(np.flatnonzero(state == peg), default=3) for peg in range(3)]
        moves = [(top[a], b) for a in range(3) for b in range(3) if top[a] < top[b]]
        disk, peg = moves[rng.integers(len(moves))]
        after[row, disk] = peg
    return before, after


def test_a_puzzle_needs_old_values_only() -> None:
    actions = learn_values(slide(3000, np.random.default_rng(100)), [6] * 6)
    assert len(actions.add) == 70
    assert (actions.positive == actions.delete).all()
    assert not actions.negative.any()


def test_a_variable_that_guards_an_event_is_found() -> None:
    actions = learn_values(guarded(1000, np.random.default_rng(100)), [3, 3])
    second = actions.add[:, 3:].any(1)
    assert len(actions.add) == 12
    assert (actions.negative[second] == [False, False, True, False, False, False]).all()
    assert not actions.negative[~second].any()


def test_a_smaller_disk_must_be_out_of_the_way_though_no_group_is_declared() -> None:
    actions = learn_values(towers(2000, np.random.default_rng(100)), [3] * 3, declared=False)
    assert len(actions.add) == 18
    moved = actions.add.argmax(1) // 3
    assert (actions.negative.sum(1) == 2 * moved).all()  # each smaller disk is on the third peg


def test_bits_of_no_group_are_variables_of_two_values() -> None:
    rng = np.random.default_rng(100)
    before = rng.integers(2, size=(2000, 4)).astype(bool)
    after = before.copy()
    flipped = np.where(rng.random(2000) < 0.5, 3, np.where(before[:, 2], 0, 1))  # bit 0 flips only where bit 2 is true
    after[np.arange(2000), flipped] ^= True
    actions = learn(before, after)
    literals = {
        (tuple(np.flatnonzero(add)), tuple(np.flatnonzero(delete))): (positive.tolist(), negative.tolist())
        for add, delete, positive, negative in zip(
            actions.add, actions.delete, actions.positive, actions.negative, strict=True
        )
    }
    assert literals[(0,), ()] == ([False, False, True, False], [True, False, False, False])
    assert literals[(), (1,)] == ([False, True, False, False], [False, False, True, False])


def test_a_single_long_walk_does_not_mislead() -> None:
    rng = np.random.default_rng(100)
    states = [np.arange(6)[None]]
    for _ in range(3000):
        states.append(slide(1, rng, states[-1])[1])
    walk = np.concatenate(states)
    actions = learn_values((walk[:-1], walk[1:]), [6] * 6)
    assert not actions.negative.any()


def test_visits_count_once_where_a_state_always_shows_the_same() -> None:
    before = np.repeat(np.eye(4, dtype=bool)[:, :3], 5, axis=0)
    after = before.copy()
    after[:, 2] ^= True
    after[5:10, 0] ^= True
    events = events_of(before, after)
    possible = np.ones((len(before), len(events.add)), dtype=bool)
    np.testing.assert_allclose(visit_weights(before, events, possible), 1 / 5)


@pytest.mark.parametrize("count", [200, 3000])
def test_unrelated_pairs_are_not_believed_but_rare_events_are(count: int) -> None:
    rng = np.random.default_rng(100)
    before, after = slide(count, rng)
    wrong = np.arange(count) < count // 20
    after[wrong] = rng.permuted(after[wrong], axis=1)
    codes = one_hot(before, [6] * 6), one_hot(after, [6] * 6)
    events = events_of(*codes)
    belief = believable_events(*codes, events, declared_groups(numbers([6] * 6)), rng=rng)
    real = np.isin(np.arange(len(events.add)), events.event[~wrong])
    assert belief.believed[real].mean() > 0.98
    assert belief.believed[~real].mean() < 0.2
    assert belief.mistakes == pytest.approx(0.05, abs=0.03)


@pytest.mark.parametrize("count", [50, 200, 3000])
def test_everything_is_believed_where_nothing_is_wrong(count: int) -> None:
    before, after = (one_hot(values, [6] * 6) for values in slide(count, np.random.default_rng(count)))
    assert len(learn(before, after, numbers([6] * 6)).add) == len(differences(before, after).add)


def test_misread_codes_are_not_believed() -> None:
    rng = np.random.default_rng(100)
    pairs = slide(3000, rng)
    for values in pairs:
        values[:] = np.where(rng.random(values.shape) < 0.01, rng.integers(6, size=values.shape), values)
    actions = learn_values(pairs, [6] * 6)
    assert 68 <= len(actions.add) <= 72


def test_a_group_is_grown_from_an_exchange() -> None:
    states = np.eye(3, dtype=bool)
    add, delete = states[[1, 2]], states[[0, 1]]
    assert [group.tolist() for group in exactly_one_groups(states, add, delete)] == [[0, 1, 2]]
    assert exactly_one_groups(states, add, delete, [np.arange(3)]) == []


def test_a_group_that_no_encoder_declared_is_found_beside_those_it_did() -> None:
    pairs = slide(2000, np.random.default_rng(100))
    before, after = (one_hot(values, [6] * 6) for values in pairs)
    events = events_of(before, after)
    known = declared_groups(numbers([6] * 6))
    found = exactly_one_groups(np.concatenate([before, after]), events.add, events.delete, known)
    cells_of_a_tile = [list(range(tile, 36, 6)) for tile in range(6)]
    assert sorted(group.tolist() for group in found) == cells_of_a_tile


def test_bits_that_meet_are_no_group() -> None:
    states = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
    add, delete = states[[1]], states[[0]]
    assert [group.tolist() for group in exactly_one_groups(states, add, delete)] == [[0, 1]]


def test_at_most_one_of_three_bits() -> None:
    rng = np.random.default_rng(100)
    key = np.eye(4, dtype=bool)[rng.integers(4, size=500)][:, :3]
    states = np.hstack([key, rng.integers(2, size=(500, 6)).astype(bool)])
    assert [group.tolist() for group in at_most_one_groups(states, [])] == [[0, 1, 2]]


def test_the_lowest_rate_rate_mirrors_the_highest() -> None:
    assert lowest_rate(np.array([0.001, 0.25, 0.25, 0.25, 0.5]), 0.0) == pytest.approx(0.125)
    assert lowest_rate(np.zeros(0), 0.05) == 0


def test_fewer_than_expected_is_told_in_nats() -> None:
    assert too_rare(0, 3.0) == pytest.approx(3.0)
    assert too_rare(5, 3.0) == 0


def test_an_effect_that_changes_more_or_less_gets_a_conjunction_for_each_case() -> None:
    before = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20, dtype=np.bool_)
    both = np.ones((1, 2), dtype=np.bool_)
    evidence = Evidence(
        before=before,
        action=np.zeros(len(before), dtype=np.intp),
        add=both,
        delete=~both,
        draw=lambda _: pytest.fail("it needs no pictures"),
        look=lambda _: pytest.fail("it needs no pictures"),
        rng=np.random.default_rng(0),
    )
    made = load_plugins().create("precondition", "values").learn(evidence)
    assert made.action.tolist() == [0, 0, 0]  # where it changes nothing, it is not needed
    cases = {(*row[0].tolist(), *row[1].tolist()) for row in zip(made.positive, made.negative, strict=True)}
    assert cases == {(False, False, True, True), (True, False, False, True), (False, True, True, False)}
