"""From one picture of the user to another: what the command line and the Python interface do, in one place."""

from __future__ import annotations

import enum
import hashlib
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from cubespace.base.arrays import Bits, Images
from cubespace.base.observer import Observer
from cubespace.data.domain import Domain, StateSpace
from cubespace.evaluation.distances import Reach, reach
from cubespace.evaluation.doubts import Doubt, Doubts
from cubespace.evaluation.memorisation import Memorised, TrainingMemory
from cubespace.evaluation.plan_record import SearchRecord
from cubespace.evaluation.problems import Problem, own_problem
from cubespace.learning.code import Code
from cubespace.plugins.blame import blame
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.plan_files import planner_folder
from cubespace.runs.pictures.solving import (
    Given,
    Solution,
    check_pictures,
    fit_picture,
    refuse_missing,
    search_problem,
    solve_problem,
    step_names,
    write_solution,
)
from cubespace.search.solver import Limits, Solver
from cubespace.search.watching import present_watch
from cubespace.symbols.strips import StripsModel

MOST_STATES = 10_000_000  # of the simulator, to prove a goal unreachable: seconds; the 8-puzzle has 181,440 each way
UNJUDGED = 6  # exit code, if somebody should judge, of a plan that nobody can
NAME_LETTERS = 60  # of the pictures' names, in the name of a folder


class Ending(enum.StrEnum):
    """What a user can rely on after planning between two pictures, and the exit code of ``cube plan``."""

    VALID = "valid"
    UNKNOWN = "validity unknown"
    DOUBTFUL = "validity unknown, but doubtful"
    NO_PLAN = "no plan"
    INVALID = "not valid"
    UNREACHABLE = "goal cannot be reached"

    @property
    def exit_code(self) -> int:
        """Return the exit code; where nobody can judge, a plan is a success unless pairs speak against it."""
        return EXIT_CODES[self]


EXIT_CODES = {
    Ending.VALID: 0,
    Ending.UNKNOWN: 0,
    Ending.DOUBTFUL: 4,
    Ending.NO_PLAN: 1,
    Ending.INVALID: 4,
    Ending.UNREACHABLE: 5,
}


@attrs.frozen(kw_only=True)
class PicturePlanRecord(SearchRecord):
    """All of a plan between two pictures of the user that is not a picture; ``cube plan --json`` prints it."""

    run: str | None = None  # run folder or bundle, and below the files of the pictures; None: it was planned in Python
    init: str | None = None
    goal: str | None = None
    ending: str
    exit_code: int
    actions: tuple[str, ...] | None  # names of the steps
    simulator: Reach | None
    limits: Limits
    warnings: tuple[str, ...]


@attrs.frozen(eq=False, kw_only=True)
class PicturePlan:
    """What came of planning from one picture to another; ``solution`` is None if there was nothing to search for."""

    problem: Problem
    model: StripsModel
    planner: str
    limits: Limits
    solution: Solution | None
    reach: Reach | None  # by the simulator; None without one
    memorised: Memorised  # which states and steps were seen in training
    doubt: Doubt | None = None  # what pairs say against its steps
    warnings: tuple[str, ...] = ()  # about the pictures

    @property
    def ending(self) -> Ending:
        """Return how it ended, in a word."""
        if self.solution is None or (self.reach is not None and self.reach.unreachable and not self.solution.found):
            return Ending.UNREACHABLE
        if self.solution.verdict is None:
            return Ending.NO_PLAN
        valid = self.solution.verdict.valid
        if valid is None:
            return Ending.DOUBTFUL if self.doubt is not None and self.doubt.doubtful_steps else Ending.UNKNOWN
        return Ending.VALID if valid else Ending.INVALID

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions, in order; none if there is no plan."""
        return step_names(self.model, self.solution.search) if self.solution else ()

    def record(self, *, strict: bool = False) -> PicturePlanRecord:
        """Return all of it that is not a picture; ``strict`` wants plans that somebody can judge."""
        return PicturePlanRecord(
            ending=str(self.ending),
            exit_code=UNJUDGED if strict and self.ending is Ending.UNKNOWN else self.ending.exit_code,
            actions=self.actions if self.solution and self.solution.found else None,
            simulator=self.reach,
            limits=self.limits,
            warnings=self.warnings,
            **attrs.asdict(self._search_record(), recurse=False),
        )

    def _search_record(self) -> SearchRecord:
        if self.solution is not None:
            return self.solution.record(self.planner, self.memorised, self.doubt)
        return SearchRecord(
            planner=self.planner,
            outcome=str(Ending.UNREACHABLE),
            detail="",
            plan=None,
            trace=None,
            valid=False,
            optimal=False,
            reason="",
            wrong_step=None,
            seconds=0.0,
            known_states=None,
            known_transitions=None,
            unseen_steps=None,
        )

    def save(self, folder: Path, record: PicturePlanRecord) -> None:
        """Write plan, film strip, animation and record into a folder."""
        write_solution(folder, self.problem, self.model, self.solution, record)


@attrs.frozen(eq=False, kw_only=True)
class Planning:
    """All that planning between pictures needs, from a run folder or from a bundle."""

    code: Code
    model: StripsModel
    domain: Domain  # judges plans, if it can
    memory: TrainingMemory  # what learning saw
    doubts: Doubts | None = None  # finds doubtful steps
    redrawing_error: float  # the largest with which a training picture is redrawn

    @classmethod
    def of(cls, run: RunContents) -> Planning:
        """Return it for a run, from its files."""
        return cls(
            code=run.code(),
            model=run.strips(),
            domain=run.domain(),
            memory=run.memory(),
            doubts=run.doubts(),
            redrawing_error=run.extraction().redrawing_error,
        )

    def picture(self, given: Given, resize: bool = False) -> Images:
        """Return a picture as a batch of one, in the size and colours trained on; scaled if training pictures were."""
        return fit_picture(given, self.code.image_shape, resize=resize or self.domain.resizes)

    def plan(
        self,
        init: Given,
        goal: Given,
        planner: str,
        solver: Solver,
        limits: Limits,
        *,
        resize: bool = False,
        anyway: bool = False,
        observer: Observer | None = None,
    ) -> PicturePlan:
        """Find a plan from one picture to another and say what it is worth.

        If a simulator proves that the goal cannot be reached, nothing is searched for, unless ``anyway``.
        """
        refuse_missing({planner: solver}, self.code)
        told = observer or Observer()
        first, last = self.picture(init, resize), self.picture(goal, resize)
        warnings = [*self._strange(init, first, "init", told), *self._strange(goal, last, "goal", told)]
        problem, far = self._posed(first, last)
        solution = None
        if far is None or not far.unreachable or anyway:
            problem = attrs.evolve(problem, distance=far.distance if far else None)
            search = search_problem(self.code, self.model, problem)
            told.stage("plan", f"{planner} searches, for {limits.seconds:g} s at most")
            with _ticking(told, limits.seconds, planner):
                solution = solve_problem(self.code, search, problem, solver, limits, self.domain)
        return PicturePlan(
            problem=problem,
            model=self.model,
            planner=planner,
            limits=limits,
            solution=solution,
            reach=far,
            memorised=self.memory.count(solution.trace if solution else None),
            doubt=self._doubt(solution.trace if solution else None),
            warnings=tuple(warnings),
        )

    def _doubt(self, trace: Bits | None) -> Doubt | None:
        """Return what pairs say against a plan, given its states."""
        return None if self.doubts is None else self.doubts.of(trace)

    def _strange(self, given: Given, picture: Images, role: str, told: Observer) -> list[str]:
        name = str(given) if isinstance(given, str | Path) else f"the picture of {role}"
        warnings = check_pictures(self.code, picture, self.redrawing_error, [name])
        for warning in warnings:
            told.say(f"warning: {warning}")
        return warnings

    def _posed(self, first: Images, last: Images) -> tuple[Problem, Reach | None]:
        """Return the problem of two pictures, and how far the simulator finds the goal; None without one."""
        with blame(self.domain):
            problem = own_problem(self.domain, first, last)
            if problem.states is None or not isinstance(self.domain, StateSpace):
                return problem, None
            watch = present_watch()
            return problem, reach(self.domain, *problem.states, most_states=MOST_STATES, given_up=lambda: watch.ended)


def own_folder(init: Path, goal: Path, problem: Problem, planner: str) -> Path:
    """Return where a plan between two pictures goes, below ``plans``: other pictures of the same names go elsewhere."""
    digest = hashlib.sha256(problem.init.tobytes() + problem.goal.tobytes()).hexdigest()[:10]
    stems = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{init.stem}-{goal.stem}").strip("-.")[:NAME_LETTERS]
    return Path(f"{stems}-{digest}") / planner_folder(planner)


@contextmanager
def _ticking(observer: Observer, seconds: float, planner: str) -> Iterator[None]:
    """Tell an observer every second how much of the time is used, and at the end that no more is needed."""
    over, begun = threading.Event(), time.monotonic()

    def tick() -> None:
        used = 0
        while not over.wait(1.0):
            used = round(min(seconds, time.monotonic() - begun))
            observer.step(used, max(1, round(seconds)), f"seconds, {planner} is searching")
        if used:
            observer.step(used, used, f"seconds, {planner} has searched")

    clock = threading.Thread(target=tick, daemon=True)
    clock.start()
    try:
        yield
    finally:
        over.set()
        clock.join()
