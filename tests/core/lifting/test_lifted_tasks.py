"""Lifted PDDL: an independent judge accepts plans with it, planners read it, and grounding it again says the same."""

import numpy as np
import pytest
from lifted_worlds import lamps, sliding_tiles, towers
from validator import accepts_files

from cubespace.base.records import read_record, write_record
from cubespace.lifting.grounding import ground
from cubespace.lifting.lift import lift
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pddl import write_lifted_domain
from cubespace.lifting.task import lifted_task, write_lifted_plan
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.solver import Limits, Outcome, SearchProblem

WORLDS = {"tiles": sliding_tiles(800), "lamps": lamps(400, size=4), "towers": towers(1500)}


@pytest.fixture(params=list(WORLDS))
def case(request):
    world = WORLDS[request.param]
    model = lift(world.before, world.after, world.groups).model
    assert model is not None
    return world, model, ground(model)


def some_task(world, grounded, steps: int = 6):
    """A task whose goal is some random steps away."""
    rng = np.random.default_rng(1)
    state = world.before[0]
    for _ in range(steps):
        able = np.flatnonzero(grounded.model.applicable(state[None])[0])
        state = grounded.model.apply(state[None], np.array([rng.choice(able)]))[0]
    return world.before[0], state


@pytest.mark.parametrize("planner", ["fd-lmcut", "fd-blind:translate=always", "pyperplan-bfs"])
def test_planners_find_plans_that_val_accepts(case, planner, tmp_path):
    world, model, grounded = case
    init, goal = some_task(world, grounded)
    task = lifted_task(model, grounded, init, goal)
    solver = load_plugins().create("planner", planner)
    result = solver.solve(SearchProblem(init=init, goal=goal, model=grounded.model, lifted=task), Limits(seconds=600))
    assert result.outcome is Outcome.SOLVED, result.detail
    plan = write_lifted_plan(grounded, result.plan)
    assert accepts_files(tmp_path, task.domain, task.problem, plan)
    assert task.read_plan(SearchProblem(init=init, goal=goal, model=grounded.model).task, plan) == list(result.plan)


def test_all_ways_to_plan_have_the_same_cost(case):
    world, model, grounded = case
    init, goal = some_task(world, grounded)
    problem = SearchProblem(init=init, goal=goal, model=grounded.model, lifted=lifted_task(model, grounded, init, goal))
    specs = ("fd-lmcut", "fd-lmcut:translate=never", "fd-blind:translate=always", "pyperplan-bfs")
    costs = {load_plugins().create("planner", spec).solve(problem, Limits(seconds=600)).cost for spec in specs}
    assert len(costs) == 1
    assert None not in costs


def test_the_domain_fits_on_half_a_page(case):
    _, model, _ = case
    text = write_lifted_domain(model, ["learned from pictures"])
    assert text.startswith("; learned from pictures\n(define (domain cubespace)")
    assert len(text.splitlines()) <= 20
    assert max(map(len, text.splitlines())) <= 120


def test_conditions_are_only_where_the_world_needs_them():
    needs = {}
    for name, world in WORLDS.items():
        model = lift(world.before, world.after, world.groups).model
        assert model is not None
        needs[name] = write_lifted_domain(model).splitlines()[1].strip()
    assert needs["tiles"] == "(:requirements :strips :typing)"
    assert ":conditional-effects" in needs["lamps"]
    assert ":universal-preconditions" in needs["towers"]
    assert ":conditional-effects" not in needs["towers"]


def test_a_model_survives_its_record(case, tmp_path):
    _, model, _ = case
    write_record(tmp_path / "model.json", model)
    assert read_record(LiftedModel, tmp_path / "model.json") == model


def test_a_step_that_is_no_action_is_named(case):
    world, model, grounded = case
    init, goal = some_task(world, grounded)
    task = lifted_task(model, grounded, init, goal)
    with pytest.raises(ValueError, match="fly"):
        task.read_plan(SearchProblem(init=init, goal=goal, model=grounded.model).task, "(fly o1 p1)\n")
