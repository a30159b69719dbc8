"""Every planner of the registry, on small tasks of the learned shape, judged by execution and by VAL."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import attrs
import numpy as np
import pytest
from planning_tasks import eight_puzzle, least_cost, lights_out, scattered, sliding, sliding_state, walk
from validator import accepts

from cubespace.plugins.catalogue import load_plugins
from cubespace.search.planner import Limits, Outcome, PlannerBackend
from cubespace.search.planner_process import run_planner
from cubespace.symbols.strips import Task

LIMITS = Limits(seconds=600, megabytes=2048)
ALL = load_plugins().names("planner")
BACKENDS = [name for name in ALL if issubclass(load_plugins().find("planner", name).load(), PlannerBackend)]
# those of extras that are not installed are skipped, by test_extras.py with the reason
PLANNERS = [name for name in BACKENDS if load_plugins().create("planner", name).missing() is None]


def lamps() -> Task:
    model, goal = lights_out(3), np.zeros(9, dtype=np.bool_)
    return Task(model, walk(model, goal, 4, seed=3), goal)


def strip() -> Task:
    """Return a puzzle of two by three cells in which only two of the tiles have a place to be."""
    model = sliding(2, 3)
    goal = sliding_state(np.arange(6))
    care = np.zeros((6, 6), dtype=np.bool_)
    care[[1, 4]] = True
    return Task(model, walk(model, goal, 30, seed=2), goal, care.ravel())


def twins() -> Task:
    """Return a puzzle that has no solution: two of its three tiles are exchanged."""
    return Task(sliding(2), sliding_state(np.arange(4)), sliding_state(np.array([0, 2, 1, 3])))


TASKS = {"puzzle": eight_puzzle, "lamps": lamps, "strip": strip, "twins": twins}


@cache
def wanted(case: str) -> int | None:
    """Return the least cost: of the 8-puzzle known, of the others by exhaustive search."""
    return 9 if case == "puzzle" else least_cost(TASKS[case]())


def planner(name: str) -> PlannerBackend:
    backend = load_plugins().create("planner", name)
    assert isinstance(backend, PlannerBackend)
    return backend


def test_the_rows_are_all_there() -> None:
    rows = "fd fd-blind fd-gc fd-gc-astar fd-lmcut fd-ms fd-lama fd-pdb fd-bjolp fd-ff symk-bd up lapkt"
    others = "pyperplan-blind pyperplan-gbf-hff pyperplan-lmcut"
    assert {*rows.split(), *others.split()} <= set(ALL)


PDDL = [f"{name}:input=pddl" for name in ("fd-lmcut", "fd-lama") if name in PLANNERS]  # as in the paper
SOLVED = [
    *((name, case) for name in PLANNERS for case in ("puzzle", "lamps", "strip")),
    *((name, case) for name in PDDL for case in ("lamps", "strip")),
    *(pytest.param(name, "puzzle", marks=pytest.mark.slow) for name in PDDL),  # six seconds of translation
]


@pytest.mark.parametrize(("name", "case"), SOLVED)
def test_it_solves_and_val_agrees(name: str, case: str, tmp_path: Path) -> None:
    task, backend = TASKS[case](), planner(name)
    result = run_planner(backend, task, LIMITS)
    assert result.outcome is Outcome.SOLVED, result
    assert result.plan is not None
    assert task.solved_by(result.plan)
    assert accepts(tmp_path, task, result.plan)
    best = wanted(case)
    assert best is not None
    assert result.cost is not None
    assert result.cost >= best
    if backend.optimal:
        assert result.cost == best


@pytest.mark.parametrize("name", PLANNERS)
def test_no_plan_is_no_plan(name: str) -> None:
    result = run_planner(planner(name), twins(), LIMITS)
    assert result.outcome in (Outcome.UNSOLVABLE, Outcome.NOT_FOUND), result


@pytest.mark.parametrize("name", [name for name in PLANNERS if name.startswith(("fd", "symk"))])
def test_costs_count(name: str) -> None:
    task = scattered(6)
    assert not task.model.unit_cost
    backend = planner(name)
    result = run_planner(backend, task, LIMITS)
    assert result.outcome is Outcome.SOLVED, result
    if backend.optimal:
        assert result.cost == least_cost(task)


# pyperplan orders some sets by addresses in memory; SymK goes on from the side that took less time so far
@pytest.mark.parametrize("name", [name for name in PLANNERS if name.startswith("fd")])
def test_the_same_search_gives_the_same_plan(name: str) -> None:
    task = lamps()
    plans = {run_planner(planner(name), task, LIMITS).plan for _ in range(2)}
    assert len(plans) == 1


def test_any_search_of_fast_downward_can_be_asked_for() -> None:
    backend = planner('fd:search="astar(hmax(),bound=100)",optimal=on')
    assert backend.optimal
    assert run_planner(backend, lamps(), LIMITS).cost == wanted("lamps")


def test_a_search_that_gives_up_is_told_from_a_proof() -> None:
    result = run_planner(planner('fd:search="astar(blind(),bound=3)"'), eight_puzzle(), LIMITS)
    assert result.outcome is Outcome.NOT_FOUND


def test_only_proven_rows_are_called_optimal() -> None:
    optimal = {name for name in PLANNERS if planner(name).optimal}
    greedy = {"fd", "fd-gc", "fd-gc-astar", "fd-lama", "fd-ff", "pyperplan-gbf-hff"}
    assert not optimal & greedy
    assert {"fd-blind", "fd-lmcut", "fd-ms", "fd-pdb", "fd-bjolp", "symk-bd", "pyperplan-lmcut"} <= optimal


def test_names_that_only_capitals_tell_apart_cannot_be() -> None:
    task = lamps()
    with pytest.raises(ValueError, match="PDDL"):
        attrs.evolve(task.model, names=[name.upper() for name in task.model.names])
