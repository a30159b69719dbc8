"""From two pictures to a plan shown in pictures: encode, search, decode, judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.arrays import Bits, Images
from cubespace.base.errors import ContractError, InputError, UsageError
from cubespace.base.files import remove, write_text
from cubespace.base.film_strip import film_strip, write_animation, write_picture
from cubespace.base.images import read_picture, resized
from cubespace.base.numbers import number
from cubespace.base.records import write_record
from cubespace.data.domain import Domain, StateSpace
from cubespace.evaluation import distances
from cubespace.evaluation.doubts import Doubt
from cubespace.evaluation.judge import UNKNOWN, Verdict, judge, judge_as_the_authors_do
from cubespace.evaluation.memorisation import Memorised
from cubespace.evaluation.plan_record import SearchRecord
from cubespace.evaluation.problems import Problem
from cubespace.learning.code import Code
from cubespace.learning.code_metrics import redrawing_errors
from cubespace.plugins.blame import blame
from cubespace.runs.folder.plan_files import ANIMATION, PLAN, PLANNER_LOG, RESULT, STRIP
from cubespace.runs.folder.trace_file import TRACE, save_trace, trace_digest
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver, Statistics
from cubespace.symbols.pddl import write_plan
from cubespace.symbols.strips import StripsModel

Given = str | Path | bytes | NDArray[np.uint8]  # a picture: its file, what is in its file, or its pixels


@attrs.frozen(eq=False, kw_only=True)
class Solution:
    """What came of a problem: the search, and for a plan its states, its pictures and what they are worth."""

    search: SearchResult
    frames: Images | None = None  # (steps + 1, height, width, …)
    verdict: Verdict | None = None

    @property
    def trace(self) -> Bits | None:
        """Return the states of the plan, (steps + 1, bits)."""
        return self.search.trace

    @property
    def found(self) -> bool:
        """Return whether there is a plan."""
        return self.search.outcome is Outcome.SOLVED

    @property
    def crashed(self) -> bool:
        """Return whether the search came to no end of its own."""
        return self.search.outcome is Outcome.CRASHED

    @classmethod
    def restored(cls, record: SearchRecord, trace: Bits | None, frames: Images | None) -> Solution:
        """Return the solution that a record is of, given the states of its plan and their pictures."""
        statistics = Statistics(
            expansions=record.expansions,
            expansions_until_last_jump=record.expansions_until_last_jump,
            evaluations=record.evaluations,
            generated=record.generated,
            search_seconds=record.search_seconds,
            megabytes=record.megabytes,
        )
        search = SearchResult(
            outcome=Outcome(record.outcome),
            plan=record.plan,
            trace=trace,
            statistics=statistics,
            wall_seconds=record.seconds,
            latent=record.latent,
            detail=record.detail,
        )
        if frames is None:
            return cls(search=search)
        verdict = Verdict(
            valid=record.valid,
            optimal=record.optimal,
            reason=record.reason,
            step=record.wrong_step,
            fault=record.fault,
        )
        return cls(search=search, frames=frames, verdict=verdict)

    def record(self, planner: str, memorised: Memorised, doubt: Doubt | None = None) -> SearchRecord:
        """Return all of it that is not a picture."""
        search, statistics = self.search, self.search.statistics
        return SearchRecord(
            planner=planner,
            outcome=str(search.outcome),
            detail=search.detail,
            plan=search.plan,
            latent=search.latent,
            trace=None if self.trace is None else trace_digest(self.trace),
            valid=self.verdict.valid if self.verdict else False,
            optimal=self.verdict.optimal if self.verdict else False,
            reason=self.verdict.reason if self.verdict else "",
            wrong_step=self.verdict.step if self.verdict else None,
            fault=self.verdict.fault if self.verdict else "",
            seconds=round(search.wall_seconds, 3),
            expansions=statistics.expansions,
            expansions_until_last_jump=statistics.expansions_until_last_jump,
            evaluations=statistics.evaluations,
            generated=statistics.generated,
            search_seconds=statistics.search_seconds,
            megabytes=statistics.megabytes,
            known_states=memorised.known_states,
            known_transitions=memorised.known_transitions,
            unseen_steps=memorised.unseen_steps,
            lacking=None if doubt is None else doubt.lacking,
            doubtful_steps=() if doubt is None else doubt.doubtful_steps,
        )


def search_problem(code: Code, model: StripsModel, problem: Problem) -> SearchProblem:
    """Return the problem of two pictures in bits."""
    init, goal = code.encode(np.concatenate([problem.init, problem.goal]))  # (bits,) each
    actions = code.actions
    if actions is None or not actions.discriminates:
        return SearchProblem(init=init, goal=goal, model=model)
    return SearchProblem(init=init, goal=goal, model=model, expand=actions.expand, plausible=actions.plausible)


def solve_problem(
    code: Code,
    search: SearchProblem,
    problem: Problem,
    solver: Solver,
    limits: Limits,
    domain: Domain,
) -> Solution:
    """Search for a plan, draw its states and judge the pictures."""
    return judge_search(code, search_plan(solver, search, limits), problem, domain)


def search_plan(solver: Solver, search: SearchProblem, limits: Limits) -> SearchResult:
    """Let a solver search; one that breaks its contract is blamed."""
    with blame(solver):
        result = solver.solve(search, limits)
        _check_result(result, solver)
    return result


def judge_again(domain: Domain, problem: Problem, frames: Images | None) -> Verdict:
    """Return the verdict of the paper's authors on the pictures of a plan; without a plan it is neither."""
    if frames is None:
        return Verdict(valid=False, optimal=False)
    with blame(domain):
        return judge_as_the_authors_do(domain, frames, _distance(domain, problem, len(frames) - 1))


def judge_search(code: Code, result: SearchResult, problem: Problem, domain: Domain) -> Solution:
    """Draw the states of a plan, if one was found, and judge the pictures."""
    if result.outcome is not Outcome.SOLVED or result.trace is None:
        return Solution(search=result)
    frames = code.draw(result.trace)
    verdict = UNKNOWN
    if problem.states is not None:
        with blame(domain):
            verdict = judge(domain, *problem.states, frames, _distance(domain, problem, len(frames) - 1))
    return Solution(search=result, frames=frames, verdict=verdict)


def _check_result(result: object, solver: Solver) -> None:
    """Raise if a solver has returned something else than a result, or a solution without its states."""
    if not isinstance(result, SearchResult):
        raise ContractError(f"it returned {type(result).__name__}, not a SearchResult", solver)
    if result.outcome is Outcome.SOLVED and (result.plan is None or result.trace is None):
        raise ContractError("it says that it has solved a problem, but gives no plan with a trace", solver)


def _distance(domain: Domain, problem: Problem, bound: int) -> int | None:
    """Return how far the goal of a problem is, looking no further than a plan that is known to be long enough."""
    if problem.distance is None and problem.states is not None and isinstance(domain, StateSpace):
        return distances.shortest(domain, *problem.states, bound)
    return problem.distance


def check_pictures(code: Code, images: Images, usual: float, names: Sequence[str]) -> list[str]:
    """Return a warning for each picture that the network redraws far worse than any picture it was trained on."""
    errors = redrawing_errors(code, images)
    return [
        f"{name} does not look like what was trained on: redrawn with error {number(error)}, "
        f"training pictures have at most {number(usual)}"
        for name, error in zip(names, errors.tolist(), strict=True)
        if error > 3 * usual
    ]


def refuse_missing(planners: Mapping[str, Solver], code: Code | None = None) -> None:
    """Raise if a planner that was asked for is not installed, or needs what the network does not have."""
    for name, planner in planners.items():
        missing = planner.missing()
        if missing:
            raise UsageError(f"planner '{name}' is not installed: {missing}")
        if planner.latent and code is not None and not (code.actions is not None and code.actions.discriminates):
            raise UsageError(
                f"planner '{name}' searches by the network, which has no action discriminator here: "
                "train with --preset ama2, or put discriminate into train.extensions"
            )


def refuse_other_folder(folder: Path) -> None:
    """Raise if a folder for a plan holds something else: nothing is mixed with it, let alone written over it."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / RESULT).is_file():
        raise InputError(f"'{folder}' is not empty and holds no plan: choose another folder with -o")


def write_solution(
    folder: Path, problem: Problem, model: StripsModel, solution: Solution | None, record: SearchRecord
) -> None:
    """Write plan and pictures, or what a planner without a plan said, and last the record: the rest is there then."""
    if (folder / RESULT).is_file():  # of an earlier search, which may have ended otherwise
        for stale in (PLAN, TRACE, STRIP, ANIMATION, PLANNER_LOG):
            remove(folder / stale)
    if solution is not None and solution.frames is not None and solution.trace is not None and record.found:
        write_text(folder / PLAN, write_plan(step_names(model, solution.search)))
        save_trace(folder / TRACE, solution.trace)
        write_picture(folder / STRIP, plan_strip(problem, solution.frames, record))
        write_animation(folder / ANIMATION, solution.frames)
    elif solution is not None and solution.search.log:
        write_text(folder / PLANNER_LOG, solution.search.log)
    write_record(folder / RESULT, record)


def plan_strip(problem: Problem, frames: Images, record: SearchRecord) -> Image.Image:
    """Return the frames of a plan between the two given pictures, with marks on steps that are wrong or unseen."""
    return film_strip(
        problem.init, problem.goal, frames, record.wrong_step, record.unseen_steps or (), record.accepted_steps
    )


def step_names(model: StripsModel, search: SearchResult) -> tuple[str, ...]:
    """Return the names of the steps of a plan: actions of the model, or labels of the network that was searched."""
    if search.latent:
        return tuple(f"label-{label}" for label in search.plan or ())
    return tuple(model.names[row] for row in search.plan or ())


def fit_picture(given: Given, shape: tuple[int, ...], *, resize: bool = False) -> Images:
    """Return a picture, a file or an array of bytes, as a batch of one in the shape the network was trained on.

    A file is scaled as training pictures are: before its colours are converted.
    """
    size = (shape[0], shape[1])
    if isinstance(given, str | Path | bytes):
        source = given if isinstance(given, bytes) else Path(given)
        name = "the picture" if isinstance(given, bytes) else f"picture '{given}'"
        pixels = read_picture(source, "grey" if len(shape) == 2 else "rgb", size if resize else None)
    else:
        name, pixels = "the picture", np.ascontiguousarray(given)
        if resize and pixels.dtype == np.uint8 and pixels.shape[:2] != size:
            pixels = resized(pixels, size)
    if pixels.dtype != np.uint8 or pixels.shape != shape:
        there, here = ("x".join(map(str, each)) for each in (pixels.shape, shape))
        raise InputError(
            f"{name} is {there} of {pixels.dtype}, the model was trained on {here} of uint8 (height x width): "
            "scale it, or ask for resizing"
        )
    return np.array(pixels)[None]
