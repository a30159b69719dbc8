"""Search by successors in batches: shortest paths, limits, judgement of steps, and paths that are executed again."""

import numpy as np
import pytest

from cubespace.base.arrays import Bits, Indices
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.best_first import best_first, execute, goal_count, path_length
from cubespace.search.frontier import Frontier
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult
from cubespace.symbols.strips import StripsModel
from cubespace.testing.planner import corridor, state

LIMITS = Limits(seconds=20)


def model(bits: int) -> StripsModel:
    """A model that is not used: what is searched are toggles of single bits."""
    none = np.zeros((1, bits), dtype=np.bool_)
    one = np.ones(1, dtype=np.intp)
    add = none.copy()
    add[0, 0] = True
    return StripsModel(names=["a0"], add=add, delete=none, positive=none, negative=none, support=one, cost=one)


def toggle(states: Bits) -> tuple[Bits, Indices, Indices]:
    """Label b toggles bit b."""
    count, bits = states.shape
    rows, labels = np.repeat(np.arange(count), bits), np.tile(np.arange(bits), count)
    successors = states[rows].copy()
    successors[np.arange(len(rows)), labels] ^= True
    return successors, rows, labels


def cube(bits: int, ones: int, **changes: object) -> SearchProblem:
    """From no bit to the first ``ones`` bits, by toggling."""
    init = np.zeros(bits, dtype=np.bool_)
    goal = init.copy()
    goal[:ones] = True
    settings: dict[str, object] = {"init": init, "goal": goal, "model": model(bits), "expand": toggle} | changes
    return SearchProblem(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_without_a_heuristic_paths_are_shortest(batch) -> None:
    result = best_first(cube(10, 4), LIMITS, path_length, batch)
    assert result.outcome is Outcome.SOLVED
    assert sorted(result.plan) == [0, 1, 2, 3]
    assert result.trace.shape == (5, 10)
    assert result.cost == 4
    assert 0 < result.statistics.expansions <= result.statistics.generated


def test_greedy_search_goes_straight_to_the_goal() -> None:
    problem = cube(40, 9)
    result = best_first(problem, LIMITS, goal_count(problem), 1)
    assert sorted(result.plan) == list(range(9))
    assert result.statistics.expansions == 9


def test_the_value_counts_only_bits_that_matter() -> None:
    care = np.array([True, False, True])
    problem = cube(3, 2, care=care)
    values = goal_count(problem)(np.array([[False, False, False], [True, False, True]]), np.zeros(2, dtype=np.intp))
    np.testing.assert_array_equal(values, [1, 1])


def test_a_goal_that_holds_already_needs_no_step() -> None:
    result = best_first(cube(5, 0), LIMITS, path_length, 64)
    assert (result.plan, result.statistics.expansions) == ((), 0)


def test_steps_that_are_not_plausible_are_not_taken() -> None:
    def upwards(before: Bits, after: Bits) -> Bits:
        """Bit b may be set only if all bits before it are."""
        return after.sum(1) == 1 + before.sum(1)

    ordered = cube(6, 3, plausible=lambda before, after: upwards(before, after) & after[:, 0])
    assert best_first(ordered, LIMITS, path_length, 64).plan[0] == 0
    blocked = best_first(cube(6, 3, plausible=lambda _, after: ~after[:, 1]), LIMITS, path_length, 64)
    assert (blocked.outcome, blocked.plan) == (Outcome.UNSOLVABLE, None)
    assert blocked.statistics.expansions == 2**5


def test_known_states_are_not_judged_again() -> None:
    judged = []

    def anything(before: Bits, after: Bits) -> Bits:
        judged.append(len(after))
        return np.ones(len(after), dtype=np.bool_)

    result = best_first(cube(8, 8, plausible=anything), LIMITS, path_length, 64)
    assert result.outcome is Outcome.SOLVED
    assert sum(judged) < result.statistics.generated


@pytest.mark.wall_clock
def test_the_time_limit_is_kept() -> None:
    result = best_first(cube(60, 30), Limits(seconds=0.3), path_length, 64)
    assert (result.outcome, result.plan) == (Outcome.OUT_OF_TIME, None)
    assert 0.3 <= result.wall_seconds < 2


def test_the_memory_limit_is_kept() -> None:
    result = best_first(cube(60, 30), Limits(seconds=60, megabytes=3), path_length, 64)
    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert result.statistics.expansions > 100


def test_a_path_is_executed_again_by_what_made_it() -> None:
    calls = []

    def fickle(states: Bits) -> tuple[Bits, Indices, Indices]:
        """Bit 0 can be toggled only in large batches: a path over it cannot be executed step by step."""
        calls.append(len(states))
        successors, rows, labels = toggle(states)
        kept = (labels != 0) | (len(calls) == 1)
        return successors[kept], rows[kept], labels[kept]

    result = best_first(cube(4, 1, expand=fickle), LIMITS, path_length, 64)
    assert (result.outcome, result.plan, result.trace) == (Outcome.CRASHED, None, None)
    assert "executed again" in result.detail


def test_execution_stops_at_a_step_that_is_not_there() -> None:
    assert execute(cube(4, 1), (7,)) is None
    assert execute(cube(4, 1, plausible=lambda _, after: ~after[:, 0]), (0,)) is None
    np.testing.assert_array_equal(execute(cube(2, 1), (0, 1)), [[False, False], [True, False], [True, True]])


def test_the_frontier_gives_the_least_value_first_and_never_mixes_values() -> None:
    frontier = Frontier()
    frontier.push(np.array([0, 1, 2, 3]), np.array([5, 2, 5, 2]))
    frontier.push(np.array([4]), np.array([2]))
    assert [frontier.pop(2).tolist() for _ in range(4)] == [[1, 3], [4], [0, 2], []]


@pytest.mark.parametrize("name", ["ama2-blind", "ama2-gc"])
def test_a_solver_without_a_network_says_what_it_needs(name) -> None:
    problem = SearchProblem(init=state(0, door_open=False), goal=state(5, door_open=True), model=corridor())
    solver = load_plugins().create("planner", name)
    result: SearchResult = solver.solve(problem, LIMITS)
    assert solver.latent
    assert result.outcome is Outcome.UNSUPPORTED
    assert "--preset ama2" in result.detail
