"""From two pictures to a plan shown in pictures: encode, search, execute on the model, decode, judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from cubespace import inference, instances
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.config import PlanConfig
from cubespace.domains import Domain, Images, Simulator, States
from cubespace.errors import UsageError
from cubespace.planners import Limits, Outcome, PlannerBackend
from cubespace.search import SearchResult, solve
from cubespace.strips import Bits, StripsModel, Task
from cubespace.transitions import Pairs
from cubespace.verdicts import UNKNOWN, Verdict, judge


@attrs.frozen(eq=False, kw_only=True)
class Problem:
    """Two pictures, and what a simulator knows about them: their states and how many moves they are apart."""

    name: str
    init: Images  # (1, height, width, …)
    goal: Images  # (1, height, width, …)
    states: tuple[States, States] | None = None  # (1, variables) each
    distance: int | None = None


@attrs.frozen(eq=False, kw_only=True)
class Solution:
    """What came of a problem: the search, and for a plan its states, its pictures and what they are worth."""

    search: SearchResult
    trace: Bits | None = None  # (steps + 1, bits)
    frames: Images | None = None  # (steps + 1, height, width, …)
    verdict: Verdict | None = None

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
            "valid": self.verdict.valid if self.verdict else False,
            "optimal": self.verdict.optimal if self.verdict else False,
            "reason": self.verdict.reason if self.verdict else "",
            "wrong_step": self.verdict.step if self.verdict else None,
            "seconds": round(self.search.wall_seconds, 3),
            **attrs.asdict(self.search.statistics),
        }


def make_problems(domain: Domain, held_out: Pairs, config: PlanConfig) -> list[Problem]:
    """Return the instances: at the exact distance from the goal, or, without a simulator, between test pictures."""
    if isinstance(domain, Simulator):
        drawn = instances.draw(
            domain, config.length, config.instances, config.seed, random_goals=config.random_goals, fewer=True
        )
        inits, goals = domain.render(drawn.inits), domain.render(drawn.goals)
        return [
            Problem(
                name=f"{number:03d}",
                init=inits[number : number + 1],
                goal=goals[number : number + 1],
                states=(drawn.inits[number : number + 1], drawn.goals[number : number + 1]),
                distance=drawn.distance,
            )
            for number in range(len(drawn))
        ]
    rng = np.random.default_rng(config.seed)
    count = min(config.instances, len(held_out))
    starts, ends = (rng.permutation(len(held_out))[:count] for _ in range(2))
    return [
        Problem(name=f"{number:03d}", init=held_out.before[[start]], goal=held_out.after[[end]])
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def own_problem(domain: Domain, init: Images, goal: Images) -> Problem:
    """Return the problem of two pictures of the user; a simulator that can read both will judge the plan."""
    if isinstance(domain, Simulator):
        states, readable = domain.read(np.concatenate([init, goal]))
        if readable.all():
            return Problem(name="own", init=init, goal=goal, states=(states[:1], states[1:]))
    return Problem(name="own", init=init, goal=goal)


def make_task(network: SpaceAutoEncoder, model: StripsModel, problem: Problem) -> Task:
    """Return the symbolic task of two pictures."""
    init, goal = inference.encode(network, np.concatenate([problem.init, problem.goal]))  # (bits,) each
    return Task(model, init, goal)


def solve_problem(
    network: SpaceAutoEncoder, task: Task, problem: Problem, planner: PlannerBackend, limits: Limits, domain: Domain
) -> Solution:
    """Search for a plan, execute it on the model, draw its states and judge the pictures."""
    search = solve(planner, task, limits)
    if search.outcome is not Outcome.SOLVED or search.plan is None:
        return Solution(search=search)
    trace = task.model.execute(task.init, search.plan)
    if trace is None:  # solve() has executed the plan already
        raise AssertionError("a believed plan does not execute")
    frames = inference.draw(network, trace)
    verdict = UNKNOWN
    if problem.states is not None:
        verdict = judge(domain, *problem.states, frames, _distance(domain, problem, len(search.plan)))
    return Solution(search=search, trace=trace, frames=frames, verdict=verdict)


def _distance(domain: Domain, problem: Problem, bound: int) -> int | None:
    """Return how far the goal of a problem is, looking no further than a plan that is known to be long enough."""
    if problem.distance is None and problem.states is not None and isinstance(domain, Simulator):
        return instances.shortest(domain, *problem.states, bound)
    return problem.distance


def summarise(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a table row: the counts of instances, found, valid and optimal, how the rest ended, and what was known.

    Known are the rates of states and of transitions, over all plans but the invalid ones, that were in the training
    split: what a network could know by heart. None where there is no such plan.
    """
    outcomes = [record["outcome"] for record in records]
    found = [record for record in records if record["plan"] is not None]
    right = [record for record in found if record["valid"] is not False]
    steps = sum(len(record["plan"]) for record in right)
    judged = all(record["valid"] is not None for record in found)
    return {
        "instances": len(records),
        "found": len(found),
        "valid": sum(record["valid"] for record in found) if judged else None,
        "optimal": sum(bool(record["optimal"]) for record in found) if judged else None,
        "known_states": _rate(sum(record["known_states"] for record in right), steps + len(right)),
        "known_transitions": _rate(sum(record["known_transitions"] for record in right), steps),
        "outcomes": {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))},
        "mean_seconds": round(sum(record["seconds"] for record in records) / max(1, len(records)), 3),
    }


def _rate(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def check_pictures(network: SpaceAutoEncoder, images: Images, usual: float, names: Sequence[str]) -> list[str]:
    """Return a warning for each picture that the network redraws far worse than any picture it was trained on."""
    errors = redrawing_errors(network, images)
    return [
        f"{name} does not look like what was trained on: redrawn with error {error:.4f}, "
        f"training pictures have at most {usual:.4f}"
        for name, error in zip(names, errors, strict=True)
        if error > 3 * usual
    ]


def redrawing_errors(network: SpaceAutoEncoder, images: Images) -> list[float]:
    """Return the mean squared error of each picture after encoding and decoding it."""
    drawn = inference.decode(network, inference.encode(network, images))
    errors = np.square(drawn - images / np.float32(255)).reshape(len(images), -1).mean(1)
    return [float(error) for error in errors]


def refuse_missing(planners: dict[str, PlannerBackend]) -> None:
    """Raise if a planner that was asked for is not installed."""
    for name, planner in planners.items():
        missing = planner.missing()
        if missing:
            raise UsageError(f"planner '{name}' is not installed: {missing}")
