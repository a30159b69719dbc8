"""What every planner backend must keep; each check runs the real planner as a process."""

from __future__ import annotations

import numpy as np

from cubespace.planners import Limits, Outcome, PlannerBackend
from cubespace.plugins import load_plugins
from cubespace.search import SearchResult, solve
from cubespace.strips import Bits, StripsModel, Task

LIMITS = Limits(seconds=60, megabytes=2048)
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


def _solve(spec: str, task: Task) -> tuple[PlannerBackend, SearchResult]:
    planner = load_plugins().create("planner", spec)
    assert isinstance(planner, PlannerBackend)
    return planner, solve(planner, task, LIMITS)


def it_is_installed(spec: str) -> None:
    """Nothing is missing."""
    assert load_plugins().create("planner", spec).missing() is None


def it_finds_a_plan(spec: str) -> None:
    """The plan executes and reaches the goal; it is a shortest one if the planner says it is optimal."""
    task = Task(corridor(), state(0, door_open=False), state(5, door_open=True))
    planner, result = _solve(spec, task)
    assert result.outcome is Outcome.SOLVED, result.detail
    assert result.plan is not None
    assert task.solved_by(result.plan)
    if planner.optimal:
        assert len(result.plan) == 4  # open, step, jump, step


def bits_that_do_not_matter_do_not_matter(spec: str) -> None:
    """A goal that leaves the door open or shut, as one likes, is reached without opening it where that is shorter."""
    init, goal = state(0, door_open=False), state(2, door_open=True)
    care = np.ones_like(goal)
    care[CELLS:] = False
    task = Task(corridor(), init, goal, care)
    planner, result = _solve(spec, task)
    assert result.plan is not None
    assert task.solved_by(result.plan)
    if planner.optimal:
        assert len(result.plan) == 2


def there_is_nothing_to_do_at_the_goal(spec: str) -> None:
    """The empty plan solves a task whose goal already holds."""
    here = state(3, door_open=True)
    _, result = _solve(spec, Task(corridor(), here, here))
    assert result.outcome is Outcome.SOLVED, result.detail
    assert list(result.plan or []) == []


def no_plan_is_no_plan(spec: str) -> None:
    """An open door cannot be shut: the planner proves it or gives up, and does not crash."""
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
