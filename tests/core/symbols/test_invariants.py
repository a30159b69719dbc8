"""Mutexes are true of everything reachable, and the groups made of them are exclusive."""

from collections.abc import Callable

import attrs
import numpy as np
import pytest
from planning_tasks import coded, eight_puzzle, lights_out, model_of, reachable, scattered, sliding, sliding_state

from cubespace.base.arrays import literals
from cubespace.symbols.invariants import exclusive_groups, find_mutexes, task_mutexes
from cubespace.symbols.literal_relations import close, related
from cubespace.symbols.strips import Task


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("make", [scattered, coded])
def test_no_reachable_state_has_a_mutex(make: Callable[[int], Task], seed: int) -> None:
    task = make(seed)
    held = literals(reachable(task.model, task.init)).astype(np.float32)
    together = held.T @ held > 0
    for mutexes in (find_mutexes(task.model, task.init[None]), task_mutexes(task)):
        assert not (mutexes & together).any()


@pytest.mark.parametrize("seed", range(10))
def test_mutexes_of_many_states_hold_in_all_of_them(seed: int) -> None:
    task = coded(seed)
    idle = model_of(*np.zeros((4, 1, task.model.bits)))
    states = reachable(task.model, task.init)
    held = literals(states).astype(int)
    np.testing.assert_array_equal(find_mutexes(idle, states), held.T @ held == 0)
    assert not (find_mutexes(task.model, states) & (held.T @ held > 0)).any()


def test_a_bit_excludes_its_complement() -> None:
    mutexes = task_mutexes(scattered(0))
    bits = len(mutexes) // 2
    assert mutexes[np.arange(bits), bits + np.arange(bits)].all()


def test_a_tile_is_in_one_place_and_a_place_has_one_tile() -> None:
    task = eight_puzzle()
    mutexes = task_mutexes(task)[:81, :81].reshape(9, 9, 9, 9)  # (tile, cell, tile, cell)
    for tile in range(9):
        assert (mutexes[tile, :, tile] == ~np.eye(9, dtype=np.bool_)).all()
        assert (mutexes[:, tile, :, tile] == ~np.eye(9, dtype=np.bool_)).all()


def test_groups_of_the_puzzle_are_found_without_knowing_it() -> None:
    mutexes = task_mutexes(eight_puzzle())
    groups = exclusive_groups(mutexes, np.ones(162, dtype=np.bool_))
    assert sorted(len(group) for group in groups) == [9] * 9


def test_lamps_are_independent() -> None:
    task = Task(lights_out(2), np.zeros(4), np.ones(4))
    assert exclusive_groups(task_mutexes(task), np.ones(8, dtype=np.bool_)) == []


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_disjoint_and_exclusive(seed: int) -> None:
    mutexes = task_mutexes(scattered(seed))
    bits = len(mutexes) // 2
    groups = exclusive_groups(mutexes, ~mutexes.diagonal())
    used = np.concatenate([np.empty(0, dtype=np.intp), *groups]) % bits
    assert len(np.unique(used)) == len(used)
    for group in groups:
        assert len(group) > 1
        assert mutexes[np.ix_(group, group)][~np.eye(len(group), dtype=np.bool_)].all()


def test_what_follows_is_added_until_nothing_follows() -> None:
    # bits: a implies b, b implies c, c excludes d
    mutexes = np.roll(np.eye(8, dtype=np.bool_), 4, axis=1)
    for one, other in ((0, 4 + 1), (1, 4 + 2), (2, 3)):
        mutexes[one, other] = mutexes[other, one] = True
    closed = close(mutexes)
    assert closed[0, 3]
    assert closed[0, 4 + 2]
    np.testing.assert_array_equal(close(closed), closed)


def test_known_mutexes_are_given_up_where_the_initial_state_breaks_them() -> None:
    model = sliding(2)
    proper = sliding_state(np.arange(4))
    model = attrs.evolve(model, mutexes=find_mutexes(model, proper[None]))
    broken = proper.copy()
    broken[4] = True  # tile 1 is in two places
    mutexes = task_mutexes(Task(model, broken, proper))
    held = literals(reachable(model, broken)).astype(np.float32)
    assert not (mutexes & (held.T @ held > 0)).any()


def test_actions_that_never_apply_do_not_spoil_anything() -> None:
    eye = np.eye(3, dtype=np.bool_)
    # the only action needs bits 1 and 2, which are false for good, and would make bit 0 true
    model = model_of(eye[:1], eye[:0].sum(0)[None] > 0, (eye[1] | eye[2])[None], np.zeros((1, 3)))
    mutexes = task_mutexes(Task(model, np.zeros(3), np.zeros(3)))
    assert mutexes.diagonal()[:3].all()


def test_the_product_of_truth_values() -> None:
    rng = np.random.default_rng(0)
    for rows, inner, columns in ((5, 7, 70), (1, 1, 1), (3, 64, 64), (4, 3, 0), (0, 3, 5)):
        left, right = rng.random((rows, inner)) < 0.3, rng.random((inner, columns)) < 0.3
        np.testing.assert_array_equal(related(left, right), left.astype(int) @ right.astype(int) > 0)
