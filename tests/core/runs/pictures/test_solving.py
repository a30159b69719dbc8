"""From two pictures to a plan in pictures, with solvers that only pretend: what is judged, drawn and written."""

from __future__ import annotations

import numpy as np
import pytest
from builders import learned_code
from PIL import Image

from cubespace.base.arrays import Bits
from cubespace.base.errors import InputError, UsageError
from cubespace.base.records import read_record
from cubespace.data.domain import Domain, Pairs
from cubespace.evaluation.memorisation import Memorised
from cubespace.evaluation.plan_record import SearchRecord
from cubespace.evaluation.problems import make_problems, own_problem
from cubespace.learning.code_metrics import redrawing_errors
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.trace_file import load_trace
from cubespace.runs.pictures.solving import (
    Solution,
    check_pictures,
    fit_picture,
    refuse_missing,
    search_problem,
    solve_problem,
    write_solution,
)
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver
from cubespace.settings.run_config import PlanConfig
from cubespace.symbols.extraction import extract
from cubespace.symbols.strips import StripsModel

LIMITS = Limits(seconds=200)


class Walks(Solver):
    """Goes through states that it was given, whatever the model says."""

    def __init__(self, trace: Bits | None, gone: str | None = None) -> None:
        super().__init__(None)
        self.trace, self.gone = trace, gone
        self.asked: list[SearchProblem] = []

    def missing(self) -> str | None:
        return self.gone

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:
        self.asked.append(problem)
        if self.trace is None:
            return SearchResult(outcome=Outcome.OUT_OF_TIME, wall_seconds=limits.seconds)
        plan = tuple(range(len(self.trace) - 1))
        return SearchResult(outcome=Outcome.SOLVED, plan=plan, trace=self.trace, cost=len(plan))


@pytest.fixture(scope="module")
def domain():
    return load_plugins().create("domain", "lightsout:size=2")


@pytest.fixture(scope="module")
def code(domain, tmp_path_factory):
    pairs = domain.sample(400, np.random.default_rng(0))
    return learned_code("places", tmp_path_factory.mktemp("places"), pairs)


@pytest.fixture(scope="module")
def model(domain, code) -> StripsModel:
    pairs = domain.sample(400, np.random.default_rng(0))
    before, after = code.encode(pairs.before), code.encode(pairs.after)
    learner = load_plugins().create("precondition", "static")
    return extract(
        before,
        after,
        learner,
        draw=code.draw,
        look=code.encode,
        groups=code.groups,
    )[0]


@pytest.fixture(scope="module")
def problem(domain):
    return make_problems(domain, domain.sample(9, np.random.default_rng(0)), PlanConfig(length=2, instances=1))[0]


def walk(domain, code, *states) -> Bits:
    return code.encode(domain.render(np.concatenate(states)))


def shortest_way(domain, problem) -> list:
    """Return the states of a plan of two steps."""
    init, goal = problem.states
    children, _ = domain.successors(init)
    middle = next(child[None] for child in children if domain.is_move(child[None], goal)[0])
    return [init, middle, goal]


def solved(code, model, domain, problem, solver):
    return solve_problem(code, search_problem(code, model, problem), problem, solver, LIMITS, domain)


def test_pictures_become_the_start_and_the_end_of_a_search(code, model, domain, problem) -> None:
    solver = Walks(None)
    solved(code, model, domain, problem, solver)
    (asked,) = solver.asked
    assert (asked.init == code.encode(problem.init)[0]).all()
    assert (asked.goal == code.encode(problem.goal)[0]).all()
    assert asked.task.model is model
    assert asked.task.care.all()


def test_a_shortest_way_in_pictures_is_valid_and_optimal(code, model, domain, problem) -> None:
    trace = walk(domain, code, *shortest_way(domain, problem))
    solution = solved(code, model, domain, problem, Walks(trace))
    assert solution.found
    assert solution.verdict is not None
    assert (solution.verdict.valid, solution.verdict.optimal) == (True, True)
    assert (domain.read(solution.frames)[0] == np.concatenate(shortest_way(domain, problem))).all()
    assert solution.record("walks", Memorised()).plan == (0, 1)


def test_a_detour_is_valid_and_not_optimal(code, model, domain, problem) -> None:
    init, middle, goal = shortest_way(domain, problem)
    trace = walk(domain, code, init, middle, init, middle, goal)
    verdict = solved(code, model, domain, problem, Walks(trace)).verdict
    assert verdict is not None
    assert (verdict.valid, verdict.optimal) == (True, False)


def test_a_jump_is_not_valid_and_its_step_is_named(code, model, domain, problem) -> None:
    init, _, goal = shortest_way(domain, problem)
    record = solved(code, model, domain, problem, Walks(walk(domain, code, init, goal))).record("walks", Memorised())
    assert (record.valid, record.optimal, record.wrong_step) == (False, False, 1)
    assert record.reason == "step is not a legal move"


def test_without_a_plan_there_are_no_pictures_and_no_verdict(code, model, domain, problem, tmp_path) -> None:
    solution = solved(code, model, domain, problem, Walks(None))
    assert (solution.found, solution.frames, solution.trace, solution.verdict) == (False, None, None, None)
    record = solution.record("walks", Memorised())
    assert (record.outcome, record.plan, record.valid) == ("out of time", None, False)
    write_solution(tmp_path / "none", problem, model, solution, record)
    assert [file.name for file in (tmp_path / "none").iterdir()] == ["result.json"]


class OnlyPictures(Domain):
    """A domain that knows no states."""

    image_shape = (18, 18)

    def sample(self, count, rng) -> Pairs:
        raise NotImplementedError


def test_where_the_domain_cannot_judge_the_verdict_is_unknown(code, model, domain, problem) -> None:
    trace = walk(domain, code, *shortest_way(domain, problem))
    own = own_problem(OnlyPictures(), problem.init, problem.goal)
    assert own.states is None
    record = solved(code, model, OnlyPictures(), own, Walks(trace)).record("walks", Memorised())
    assert (record.valid, record.optimal) == (None, None)
    assert "cannot judge" in record.reason


def test_of_own_pictures_that_can_be_read_the_distance_is_found(code, model, domain, problem) -> None:
    init, middle, goal = shortest_way(domain, problem)
    own = own_problem(domain, problem.init, problem.goal)
    assert own.distance is None
    for trace, optimal in (((init, middle, goal), True), ((init, middle, init, middle, goal), False)):
        solution = solved(code, model, domain, own, Walks(walk(domain, code, *trace)))
        assert solution.verdict is not None
        assert (solution.verdict.valid, solution.verdict.optimal) == (True, optimal)


def test_a_frame_that_shows_nothing_possible_says_so(code, model, domain, problem) -> None:
    init, _, goal = shortest_way(domain, problem)
    trace = walk(domain, code, init, goal, goal)
    trace[1] = True  # every value of every place at once
    record = solved(code, model, domain, problem, Walks(trace)).record("walks", Memorised())
    assert (record.reason, record.wrong_step) == ("frame is not readable", 1)
    assert record.fault.startswith("a lamp neither on nor off in row 1, column 1")


def test_own_pictures_that_cannot_be_read_are_planned_between_but_not_judged(domain, problem) -> None:
    grey = np.full_like(problem.init, 128)
    assert own_problem(domain, grey, problem.goal).states is None
    assert own_problem(domain, problem.init, problem.goal).states is not None


def test_a_plan_is_written_with_its_pictures_and_last_its_record(code, model, domain, problem, tmp_path) -> None:
    solution = solved(code, model, domain, problem, Walks(walk(domain, code, *shortest_way(domain, problem))))
    write_solution(tmp_path, problem, model, solution, solution.record("walks", Memorised()))
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "plan",
        "plan.png",
        "result.json",
        "strip.png",
        "trace.npz",
    ]
    assert (tmp_path / "plan").read_text().splitlines()[:2] == [f"({name})" for name in model.names[:2]]
    assert Image.open(tmp_path / "plan.png").n_frames == 3
    record = read_record(SearchRecord, tmp_path / "result.json")
    assert record == solution.record("walks", Memorised())
    trace = load_trace(tmp_path / "trace.npz", record.trace)
    assert trace is not None
    assert np.array_equal(trace, solution.trace)
    assert load_trace(tmp_path / "trace.npz", "that of another plan") is None


def test_a_solution_is_restored_from_its_record(code, model, domain, problem) -> None:
    init, middle, goal = shortest_way(domain, problem)
    for trace in (walk(domain, code, init, middle, goal), walk(domain, code, init, goal), None):
        solution = solved(code, model, domain, problem, Walks(trace))
        record = solution.record("walks", Memorised())
        restored = Solution.restored(record, solution.trace, solution.frames)
        assert restored.verdict == solution.verdict
        assert restored.record("walks", Memorised()) == record


def test_a_picture_unlike_all_others_gets_a_warning_by_its_name(code, domain) -> None:
    pictures = domain.render(domain.random_states(20, np.random.default_rng(1)))
    usual = max(redrawing_errors(code, pictures))
    strange = np.concatenate([pictures[:1], np.full_like(pictures[:1], 128)])
    (warning,) = check_pictures(code, strange, usual, ["one.png", "two.png"])
    assert warning.startswith("two.png does not look like what was trained on")


def test_a_planner_that_is_not_there_is_refused_before_the_search() -> None:
    refuse_missing({"fine": Walks(None)})
    with pytest.raises(UsageError, match="planner 'gone' is not installed: pip install gone"):
        refuse_missing({"fine": Walks(None), "gone": Walks(None, "pip install gone")})


@pytest.mark.parametrize("shape", [(6, 8), (6, 8, 3)], ids=["grey", "colour"])
def test_a_picture_is_given_as_file_or_array_and_fitted_only_on_request(tmp_path, shape) -> None:
    pixels = np.random.default_rng(0).integers(256, size=shape, dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "mine.png")
    file = tmp_path / "mine.png"
    for given in (pixels, file, str(file), file.read_bytes()):
        assert (fit_picture(given, shape) == pixels[None]).all()
    larger = (12, 16, *shape[2:])
    assert fit_picture(pixels, larger, resize=True).shape == (1, *larger)
    with pytest.raises(InputError, match="trained on 12x16"):
        fit_picture(tmp_path / "mine.png", larger)
    with pytest.raises(InputError, match="float64"):
        fit_picture(pixels / 255, shape)
