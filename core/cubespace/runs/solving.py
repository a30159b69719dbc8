"""From two pictures to a plan shown in pictures: encode, search, decode, judge."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, squared_errors
from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import write_json, write_text
from cubespace.base.film_strip import film_strip, write_animation, write_picture
from cubespace.base.images import read_picture, resized
from cubespace.data.domain import Domain, StateSpace
from cubespace.evaluation import distances
from cubespace.evaluation.judge import UNKNOWN, Verdict, judge
from cubespace.evaluation.problems import Problem, own_problem
from cubespace.learning import inference
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.learning.latent_graph import LatentGraph
from cubespace.runs.trace_file import TRACE, save_trace, trace_digest
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver
from cubespace.symbols.pddl import write_plan
from cubespace.symbols.strips import StripsModel

Given = str | Path | NDArray[np.uint8]  # a picture: its file, or its pixels


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

    def record(self) -> dict[str, Any]:
        """Return all of it that is not a picture, for JSON."""
        return {
            "outcome": str(self.search.outcome),
            "detail": self.search.detail,
            "plan": None if self.search.plan is None else list(self.search.plan),
            "latent": self.search.latent,
            "trace": None if self.trace is None else trace_digest(self.trace),
            "valid": self.verdict.valid if self.verdict else False,
            "optimal": self.verdict.optimal if self.verdict else False,
            "reason": self.verdict.reason if self.verdict else "",
            "wrong_step": self.verdict.step if self.verdict else None,
            "seconds": round(self.search.wall_seconds, 3),
            **attrs.asdict(self.search.statistics),
        }


def search_problem(network: SpaceAutoEncoder, model: StripsModel, problem: Problem) -> SearchProblem:
    """Return the problem of two pictures in bits."""
    init, goal = inference.encode(network, np.concatenate([problem.init, problem.goal]))  # (bits,) each
    if network.discriminator is None:
        return SearchProblem(init=init, goal=goal, model=model)
    graph = LatentGraph(network)
    return SearchProblem(init=init, goal=goal, model=model, expand=graph.successors, plausible=graph.plausible)


def solve_problem(
    network: SpaceAutoEncoder,
    search: SearchProblem,
    problem: Problem,
    solver: Solver,
    limits: Limits,
    domain: Domain,
) -> Solution:
    """Search for a plan, draw its states and judge the pictures."""
    return judge_search(network, solver.solve(search, limits), problem, domain)


def judge_search(network: SpaceAutoEncoder, result: SearchResult, problem: Problem, domain: Domain) -> Solution:
    """Draw the states of a plan, if one was found, and judge the pictures."""
    if result.outcome is not Outcome.SOLVED or result.trace is None:
        return Solution(search=result)
    frames = inference.draw(network, result.trace)
    verdict = UNKNOWN
    if problem.states is not None:
        verdict = judge(domain, *problem.states, frames, _distance(domain, problem, len(frames) - 1))
    return Solution(search=result, frames=frames, verdict=verdict)


def _distance(domain: Domain, problem: Problem, bound: int) -> int | None:
    """Return how far the goal of a problem is, looking no further than a plan that is known to be long enough."""
    if problem.distance is None and problem.states is not None and isinstance(domain, StateSpace):
        return distances.shortest(domain, *problem.states, bound)
    return problem.distance


def check_pictures(network: SpaceAutoEncoder, images: Images, usual: float, names: Sequence[str]) -> list[str]:
    """Return a warning for each picture that the network redraws far worse than any picture it was trained on."""
    errors = redrawing_errors(network, images)
    return [
        f"{name} does not look like what was trained on: redrawn with error {error:.2g}, "
        f"training pictures have at most {usual:.2g}"
        for name, error in zip(names, errors, strict=True)
        if error > 3 * usual
    ]


def redrawing_errors(network: SpaceAutoEncoder, images: Images) -> list[float]:
    """Return the mean squared error of each picture after encoding and decoding it."""
    drawn = inference.decode(network, inference.encode(network, images))
    return [float(error) for error in squared_errors(drawn, images)]


def refuse_missing(planners: Mapping[str, Solver], network: SpaceAutoEncoder | None = None) -> None:
    """Raise if a planner that was asked for is not installed, or needs what the network does not have."""
    for name, planner in planners.items():
        missing = planner.missing()
        if missing:
            raise UsageError(f"planner '{name}' is not installed: {missing}")
        if planner.latent and network is not None and network.discriminator is None:
            raise UsageError(
                f"planner '{name}' searches by the network, which has no action discriminator here: "
                "train with --preset ama2, or set model.discriminator_width"
            )


def folder_name(spec: str) -> str:
    """Return the folder of a planner's plans: its spec, made fit for a file system."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", spec).strip("-")
    return plain if plain == spec else f"{plain[:40]}-{hashlib.sha256(spec.encode()).hexdigest()[:6]}"


def write_solution(
    folder: Path, problem: Problem, model: StripsModel, solution: Solution, record: dict[str, Any]
) -> None:
    """Write plan and pictures, and last the record: it says that the rest is there."""
    if solution.frames is not None and solution.trace is not None and solution.search.plan is not None:
        wrong = solution.verdict.step if solution.verdict else None
        write_text(folder / "plan", plan_text(model, solution.search))
        save_trace(folder / TRACE, solution.trace)
        write_picture(folder / "strip.png", film_strip(problem.init, problem.goal, solution.frames, wrong))
        write_animation(folder / "plan.png", solution.frames)
    write_json(folder / "result.json", record)


def plan_text(model: StripsModel, search: SearchResult) -> str:
    """Return a plan as a file; its steps are actions of the model, or labels of the network that was searched."""
    assert search.plan is not None
    if search.latent:
        return "".join(f"(label-{label})\n" for label in search.plan)
    return write_plan(model, search.plan)


def fit_picture(given: Given, shape: tuple[int, ...], *, resize: bool = False) -> Images:
    """Return a picture, a file or an array of bytes, as a batch of one in the shape the network was trained on."""
    size = (shape[0], shape[1])
    if isinstance(given, str | Path):
        name = f"picture '{given}'"
        pixels = read_picture(Path(given), "grey" if len(shape) == 2 else "rgb")
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


def plan_between(
    network: SpaceAutoEncoder,
    model: StripsModel,
    domain: Domain,
    pictures: tuple[Images, Images],
    solver: Solver,
    limits: Limits,
) -> tuple[Problem, Solution]:
    """Find a plan from one picture to another, each a batch of one, and judge it if the domain can."""
    problem = own_problem(domain, *pictures)
    return problem, solve_problem(network, search_problem(network, model, problem), problem, solver, limits, domain)
