"""The rules that every solver must follow, whether it runs a planner as a process or searches in the network."""

from __future__ import annotations

import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver
from cubespace.symbols.strips import StripsModel, Task

LIMITS = Limits(seconds=600, megabytes=2048)
CELLS = 6


def corridor() -> StripsModel:
    """Return a robot in a corridor: it steps right or left, opens a door, and may jump ahead while the door is open."""
    right = np.arange(CELLS - 1)
    start = np.r_[right, right + 1, 0, 1]  # (actions,): steps right, steps left, open the door, jump
    end = np.r_[right + 1, right, 0, 4]
    cell = np.eye(CELLS + 2, dtype=np.bool_)  # bits: the robot's cell, door open, door shut
    add, delete, positive = cell[end], cell[start], cell[start].copy()
    opening, jumping = len(start) - 2, len(start) - 1
    add[opening], delete[opening] = cell[CELLS], cell[CELLS + 1]
    positive[jumping, CELLS] = True
    negative = np.zeros_like(add)
    negative[opening, CELLS] = True
    return StripsModel(
        names=[f"a{number}" for number in range(len(start))],
        add=add,
        delete=delete,
        positive=positive,
        negative=negative,
        support=np.ones(len(start), dtype=np.intp),
        cost=np.ones(len(start), dtype=np.intp),
    )


def state(cell: int, *, door_open: bool) -> Bits:
    """Return the state with the robot in ``cell``."""
    bits = np.zeros(CELLS + 2, dtype=np.bool_)
    bits[[cell, CELLS if door_open else CELLS + 1]] = True
    return bits


def _solve(spec: str, task: Task) -> tuple[Solver, SearchResult]:
    solver = load_plugins().create("planner", spec)
    assert isinstance(solver, Solver)

    def expand(states: Bits) -> tuple[Bits, Indices, Indices]:
        rows, actions = np.nonzero(task.model.applicable(states))
        return task.model.apply(states[rows], actions), rows, actions

    problem = SearchProblem(init=task.init, goal=task.goal, model=task.model, care=task.care, expand=expand)
    result = solver.solve(problem, LIMITS)
    assert (result.outcome is Outcome.SOLVED) == (result.plan is not None) == (result.trace is not None), result
    return solver, result


def _check_plan(task: Task, result: SearchResult) -> int:
    """Check that the plan executes, reaches the goal and has the reported trace; return its length."""
    assert result.outcome is Outcome.SOLVED, result.detail
    assert result.plan is not None
    assert result.trace is not None
    assert task.solved_by(result.plan)
    np.testing.assert_array_equal(result.trace, task.model.execute(task.init, result.plan))
    return len(result.plan)


def it_is_installed(spec: str) -> None:
    """Nothing is missing."""
    assert load_plugins().create("planner", spec).missing() is None


def it_finds_a_plan(spec: str) -> None:
    """The plan executes and reaches the goal; it is a shortest plan if the solver claims to be optimal."""
    task = Task(corridor(), state(0, door_open=False), state(5, door_open=True))
    solver, result = _solve(spec, task)
    length = _check_plan(task, result)
    if solver.optimal:
        assert length == 4  # open, step, jump, step


def bits_that_do_not_matter_do_not_matter(spec: str) -> None:
    """If the goal does not say whether the door is open, it is reached without opening it where that is shorter."""
    init, goal = state(0, door_open=False), state(2, door_open=True)
    care = np.ones_like(goal)
    care[CELLS:] = False
    task = Task(corridor(), init, goal, care)
    solver, result = _solve(spec, task)
    length = _check_plan(task, result)
    if solver.optimal:
        assert length == 2


def there_is_nothing_to_do_at_the_goal(spec: str) -> None:
    """The empty plan solves a task whose goal already holds."""
    here = state(3, door_open=True)
    task = Task(corridor(), here, here)
    _, result = _solve(spec, task)
    assert _check_plan(task, result) == 0


def no_plan_is_no_plan(spec: str) -> None:
    """An open door cannot be shut: the solver proves it or gives up, and does not crash."""
    _, result = _solve(spec, Task(corridor(), state(0, door_open=True), state(0, door_open=False)))
    assert result.outcome in (Outcome.UNSOLVABLE, Outcome.NOT_FOUND), result.detail
    assert result.plan is None


CHECKS = (
    it_is_installed,
    it_finds_a_plan,
    bits_that_do_not_matter_do_not_matter,
    there_is_nothing_to_do_at_the_goal,
    no_plan_is_no_plan,
)
