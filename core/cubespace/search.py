"""Searches: a planner's process in a folder of its own; its plan is believed after it was executed."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import attrs

from cubespace.errors import CubeError, InputError, UsageError
from cubespace.planners import Answer, Limits, Outcome, PlannerBackend, Statistics
from cubespace.processes import Ended, supervisor
from cubespace.strips import Task


@attrs.frozen(kw_only=True)
class SearchResult:
    """What became of a search. There is a plan exactly if the outcome is SOLVED, and it was executed on the model."""

    outcome: Outcome
    plan: tuple[int, ...] | None = None  # rows of the model's actions
    cost: int | None = None
    statistics: Statistics = attrs.field(factory=Statistics)
    setup_seconds: float = 0.0  # writing the planner's input
    wall_seconds: float = 0.0  # all of it
    detail: str = ""  # the planner's own words where it failed


def solve(backend: PlannerBackend, task: Task, limits: Limits = Limits()) -> SearchResult:  # noqa: B008 - frozen
    """Run a planner on a task. Only a planner that cannot run at all raises; everything else is an outcome."""
    missing = backend.missing()
    if missing is not None:
        raise UsageError(f"The planner cannot run here: {missing}")
    reason = backend.unsupported(task)
    if reason is not None:
        return SearchResult(outcome=Outcome.UNSUPPORTED, detail=reason)
    start = time.monotonic()
    with supervisor() as process, _folder() as folder:
        try:
            command = backend.command(task, folder, limits)
        except OSError as error:
            raise InputError(
                f"The planner's input cannot be written to {folder}: {error.strerror}. Set TMPDIR."
            ) from error
        ready = time.monotonic()
        ended = process.run(command, folder, limits)
        answer = _answer(backend, task, folder, ended)
    return SearchResult(
        outcome=answer.outcome,
        plan=None if answer.plan is None else tuple(answer.plan),
        cost=None if answer.plan is None else task.cost(answer.plan),
        statistics=answer.statistics,
        setup_seconds=ready - start,
        wall_seconds=time.monotonic() - start,
        detail=answer.detail,
    )


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="cube-", ignore_cleanup_errors=True)
    except OSError as error:
        raise InputError(f"No temporary folder can be made ({error}). Set TMPDIR to a roomy folder.") from error
    with folder as name:
        yield Path(name)


def _answer(backend: PlannerBackend, task: Task, folder: Path, ended: Ended) -> Answer:
    """Let the backend read its outcome, and trust it as far as it can be checked."""
    if ended.exit_code is None:
        return Answer(outcome=Outcome.OUT_OF_TIME, statistics=Statistics(megabytes=ended.megabytes))
    try:
        answer = backend.answer(task, folder, ended.exit_code, ended.log)
    except CubeError:
        raise
    except Exception as error:  # what a planner left behind can be anything, and so can a plugin
        return Answer(outcome=Outcome.CRASHED, detail=f"its answer cannot be read: {error or type(error).__name__}")
    if answer.statistics.megabytes is None:
        statistics = attrs.evolve(answer.statistics, megabytes=ended.megabytes)
        answer = attrs.evolve(answer, statistics=statistics)
    if answer.outcome is not Outcome.SOLVED:
        detail = answer.detail or (_last_words(ended) if answer.outcome is Outcome.CRASHED else "")
        return attrs.evolve(answer, plan=None, detail=detail)
    if answer.plan is None:
        return attrs.evolve(answer, outcome=Outcome.CRASHED, detail="it claims a plan and gives none")
    if not task.solved_by(answer.plan):
        return attrs.evolve(answer, outcome=Outcome.CRASHED, plan=None, detail="its plan does not lead to the goal")
    return answer


def _last_words(ended: Ended) -> str:
    """Return how a crashed planner ended and the last line it said."""
    lines = [line.strip() for line in ended.log.splitlines() if line.strip()]
    code = ended.exit_code or 0
    how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{how}: {lines[-1][:200]}" if lines else how
