"""Every planner of the registry on one task that was really learned from pictures, judged by VAL."""

import pytest
from tiny_run import copy_run
from validator import accepts

from cubespace import Run
from cubespace.evaluation.problems import make_problems
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.pictures.solving import search_problem
from cubespace.search.planner import Limits, Outcome, PlannerBackend
from cubespace.search.planner_process import run_planner

NEEDS_OPTIONS = {"fd": "fd:search=astar(blind())"}


@pytest.mark.parametrize("recipe", ["plain", "default"])
def test_every_planner_solves_it_the_admissible_ones_agree_and_val_accepts(tmp_path, recipe) -> None:
    run = Run.load(copy_run(tmp_path, recipe))
    problem = make_problems(run.domain, run.data.test, run.config.plan)[0]
    task = search_problem(run.code, run.strips, problem).task
    costs = {}
    for name in load_plugins().names("planner"):
        planner = load_plugins().create("planner", NEEDS_OPTIONS.get(name, name))
        if not isinstance(planner, PlannerBackend) or planner.missing():
            continue  # latent search needs the network's successors; extras may be absent
        result = run_planner(planner, task, Limits(seconds=600))
        assert result.outcome is Outcome.SOLVED, f"{name}: {result.outcome}, {result.detail}"
        assert result.plan is not None
        for negation in (True, False):
            folder = tmp_path / f"{name}-{negation}"
            folder.mkdir()
            assert accepts(folder, task, result.plan, negation=negation), name
        if planner.optimal:
            costs[name] = len(result.plan)
    assert len(costs) >= 8
    assert set(costs.values()) == {problem.distance}
