"""SAS+ means the model: read back and searched here, and given to the real planner."""

from __future__ import annotations

import heapq

import attrs
import numpy as np
import pytest
from planning_tasks import (
    coded,
    eight_puzzle,
    least_cost,
    lights_out,
    model_of,
    scattered,
    sliding,
    sliding_state,
    tree,
)

from cubespace.plugins.catalogue import load_plugins
from cubespace.search.planner import Limits, Outcome
from cubespace.search.planner_process import run_planner
from cubespace.search.sas.writer import write_sas
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.strips import Task


class Reader:
    """A task as Fast Downward reads it."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.place = 0
        self.expect("begin_version", "3", "end_version", "begin_metric")
        self.costs = self.number() == 1
        self.expect("end_metric")
        self.sizes = [self.variable() for _ in range(self.number())]
        self.expect("0", "begin_state")
        self.init = tuple(self.number() for _ in self.sizes)
        self.expect("end_state", "begin_goal")
        self.goal = [self.numbers() for _ in range(self.number())]
        self.expect("end_goal")
        self.operators = [self.operator() for _ in range(self.number())]
        self.expect("0")
        assert self.place == len(self.lines)
        assert all(value < size for value, size in zip(self.init, self.sizes, strict=True))
        assert all(value < self.sizes[variable] for variable, value in self.goal)

    def line(self) -> str:
        self.place += 1
        return self.lines[self.place - 1]

    def number(self) -> int:
        return int(self.line())

    def numbers(self) -> list[int]:
        return [int(word) for word in self.line().split()]

    def expect(self, *lines: str) -> None:
        for line in lines:
            assert self.line() == line

    def variable(self) -> int:
        self.expect("begin_variable")
        self.line()
        self.expect("-1")
        size = self.number()
        names = [self.line() for _ in range(size)]
        assert len(set(names)) == size > 1
        self.expect("end_variable")
        return size

    def operator(self) -> tuple[str, dict[int, int], dict[int, int], int]:
        self.expect("begin_operator")
        name = self.line()
        needs = dict(self.numbers() for _ in range(self.number()))
        changes = {}
        for _ in range(self.number()):
            conditions, variable, before, after = self.numbers()
            assert conditions == 0
            assert variable not in needs
            assert before != after < self.sizes[variable]
            changes[variable] = after
            if before >= 0:
                needs[variable] = before
        assert changes
        cost = self.number()
        self.expect("end_operator")
        return name, needs, changes, cost if self.costs else 1

    def least_cost(self) -> int | None:
        """Return what an optimal plan costs."""
        best = {self.init: 0}
        heap = [(0, self.init)]
        while heap:
            cost, state = heapq.heappop(heap)
            if all(state[variable] == value for variable, value in self.goal):
                return cost
            for _, needs, changes, price in self.operators:
                if all(state[variable] == value for variable, value in needs.items()):
                    after = tuple(changes.get(variable, value) for variable, value in enumerate(state))
                    if cost + price < best.get(after, cost + price + 1):
                        best[after] = cost + price
                        heapq.heappush(heap, (cost + price, after))
        return None


TASKS = {
    **{f"scattered-{seed}": lambda seed=seed: scattered(seed) for seed in range(80)},
    **{f"coded-{seed}": lambda seed=seed: coded(seed) for seed in range(80)},
}


@pytest.mark.parametrize("name", TASKS)
def test_optimal_costs_are_those_of_the_model(name: str) -> None:
    task = TASKS[name]()
    wanted = least_cost(task)
    assert Reader(write_sas(task, group=False)).least_cost() == wanted
    assert Reader(write_sas(task)).least_cost() == wanted


@pytest.mark.parametrize("name", TASKS)
def test_merged_variables_keep_optimal_costs(name: str) -> None:
    task = TASKS[name]()
    rng = np.random.default_rng(1)
    for most in (2, 4):  # whatever is merged with whatever
        model = attrs.evolve(task.model, groups=rng.integers(most, size=task.model.bits))
        for init in (task.init, rng.random(model.bits) < 0.5):
            again = Task(model, init, task.goal, task.care)
            assert Reader(write_sas(again)).least_cost() == least_cost(again)


def test_bits_that_say_one_thing_together_are_one_variable() -> None:
    """A puzzle in which the tile of a cell is written as a number of four bits: no two of them exclude each other."""
    model, numbers = sliding(3), np.arange(9)[:, None] >> np.arange(4) & 1 == 1  # (tiles, 4)
    before = model.positive.reshape(-1, 9, 9)  # (actions, tiles, cells)
    after = model.add.reshape(-1, 9, 9)
    old, new = (np.einsum("atc,tb->acb", side, numbers).reshape(-1, 36) for side in (before, after))
    touched = np.repeat(before.any(1), 4, axis=1)
    coded = model_of(new & ~old, old & ~new, old, touched & ~old)
    state = numbers[[1, 0, 2, 3, 4, 5, 6, 7, 8]].ravel()
    goal = numbers.ravel()
    task = Task(attrs.evolve(coded, groups=np.repeat(np.arange(9), 4)), state, goal)
    assert Reader(write_sas(task)).sizes == [9] * 9
    assert max(Reader(write_sas(Task(coded, state, goal))).sizes) < 9


def test_variables_are_not_merged_where_that_makes_many_operators() -> None:
    """Each action needs one of eight independent lamps and says nothing of the others."""
    eye = np.eye(8, dtype=np.bool_)
    model = model_of(eye, np.zeros((8, 8)), np.zeros((8, 8)), eye)
    task = Task(attrs.evolve(model, groups=np.zeros(8, dtype=np.intp)), np.zeros(8), np.ones(8))
    reader = Reader(write_sas(task))
    assert len(reader.operators) <= 4 * 8
    assert reader.least_cost() == 8


@pytest.mark.parametrize("name", list(TASKS)[::4])
def test_mutexes_of_many_states_serve_each_of_them(name: str) -> None:
    task = TASKS[name]()
    rng = np.random.default_rng(0)
    states = np.stack([task.init, rng.random(task.model.bits) < 0.3])
    model = attrs.evolve(task.model, mutexes=find_mutexes(task.model, states))
    for init in (*states, rng.random(task.model.bits) < 0.5):  # the last one may break them
        again = Task(model, init, task.goal, task.care)
        assert Reader(write_sas(again)).least_cost() == least_cost(again)


def test_grouping_happens() -> None:
    """Many of the small tasks above have groups and plans, else they would show nothing."""
    tasks = [task() for task in TASKS.values()]
    assert sum(max(Reader(write_sas(task)).sizes) > 2 for task in tasks) > 40
    assert sum(least_cost(task) is not None for task in tasks) > 80


def test_the_puzzle_has_a_variable_per_tile_or_cell() -> None:
    task = eight_puzzle()
    assert Reader(write_sas(task)).sizes == [9] * 9
    assert Reader(write_sas(task, group=False)).sizes == [2] * 81


def test_bits_that_never_change_or_equal_another_vanish() -> None:
    model = lights_out(2)
    twice = model_of(*(np.tile(mask, 2) for mask in (model.add, model.delete, model.positive, model.negative)))
    padded = model_of(
        *(np.pad(mask, ((0, 0), (0, 3))) for mask in (twice.add, twice.delete, twice.positive, twice.negative))
    )
    state, goal = np.zeros(11), np.zeros(11)
    state[10] = goal[10] = 1
    goal[[0, 1, 2, 4, 5, 6]] = 1
    task = Task(padded, state, goal)
    reader = Reader(write_sas(task))
    assert reader.sizes == [2] * 4
    assert reader.least_cost() == least_cost(task) == 1


def test_a_goal_that_mutexes_exclude_is_proven_unsolvable_at_once() -> None:
    task = eight_puzzle()
    goal = task.goal.copy()
    goal[9:18] = True  # tile 1 everywhere
    reader = Reader(write_sas(Task(task.model, task.init, goal)))
    assert not reader.operators
    assert reader.least_cost() is None


def test_a_goal_of_not_here_keeps_its_meaning() -> None:
    model = sliding(2)
    init = sliding_state(np.arange(4))
    care = np.zeros(16, dtype=np.bool_)
    care[0] = True  # the gap is to leave its cell, for wherever
    task = Task(model, init, np.zeros(16), care)
    assert Reader(write_sas(task)).least_cost() == least_cost(task) == 1


@pytest.mark.parametrize("planner", ["fd-blind", "fd-lmcut", "fd-ms", "fd-pdb", "fd-bjolp"])
@pytest.mark.parametrize("name", ["scattered-3", "scattered-4", "coded-1", "coded-2"])
def test_fast_downward_agrees_on_grouped_and_single_bits(planner: str, name: str) -> None:
    task = TASKS[name]()
    wanted = least_cost(task)
    for variables in ("groups", "bits"):
        backend = load_plugins().create("planner", f"{planner}:variables={variables}")
        result = run_planner(backend, task, Limits(seconds=200))
        assert (result.outcome is Outcome.SOLVED) == (wanted is not None), result
        assert result.cost == wanted


def test_it_is_quick() -> None:
    import time

    task = tree(300, 1500, 100)
    model = attrs.evolve(task.model, mutexes=find_mutexes(task.model, task.init[None]))
    start = time.process_time()
    write_sas(Task(model, task.init, task.goal))
    write_sas(Task(model, task.init, task.goal))
    assert time.process_time() - start < 3  # measured: 0.3 s; a busy machine is slower even so
