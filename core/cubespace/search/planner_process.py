"""Runs a planner in a folder of its own; a plan is accepted only after executing it on the model."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.search.answer import Answer
from cubespace.search.solver import Limits, Outcome, SearchResult, Statistics
from cubespace.search.supervised_process import Ended, supervisor
from cubespace.symbols.strips import Task

if TYPE_CHECKING:
    from cubespace.search.planner import PlannerBackend


def run_planner(backend: PlannerBackend, task: Task, limits: Limits) -> SearchResult:
    """Run a planner on a task. An error is raised only if the planner cannot run at all; all else is an outcome."""
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
        ended = process.run(command, folder, limits)
        answer = _answer(backend, task, folder, ended)
    return SearchResult(
        outcome=answer.outcome,
        plan=None if answer.plan is None else tuple(answer.plan),
        trace=None if answer.plan is None else task.model.execute(task.init, answer.plan),
        cost=None if answer.plan is None else task.cost(answer.plan),
        statistics=answer.statistics,
        wall_seconds=time.monotonic() - start,
        detail=answer.detail,
    )


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="cube-", ignore_cleanup_errors=True)
    except OSError as error:
        raise InputError(f"No temporary folder can be made ({error}). Set TMPDIR to another folder.") from error
    with folder as name:
        yield Path(name)


def _answer(backend: PlannerBackend, task: Task, folder: Path, ended: Ended) -> Answer:
    """Let the backend read its outcome, and check what can be checked."""
    if ended.exit_code is None:
        return Answer(outcome=Outcome.OUT_OF_TIME, statistics=Statistics(megabytes=ended.megabytes))
    try:
        answer = backend.answer(task, folder, ended.exit_code, ended.log)
    except CubeError:
        raise
    except Exception as error:  # files of a planner, and plugins, can raise anything
        return Answer(outcome=Outcome.CRASHED, detail=f"its answer cannot be read: {error or type(error).__name__}")
    if answer.statistics.megabytes is None:
        statistics = attrs.evolve(answer.statistics, megabytes=ended.megabytes)
        answer = attrs.evolve(answer, statistics=statistics)
    if answer.outcome is not Outcome.SOLVED:
        detail = answer.detail or (_last_words(ended) if answer.outcome is Outcome.CRASHED else "")
        return attrs.evolve(answer, plan=None, detail=detail)
    if answer.plan is None:
        return attrs.evolve(answer, outcome=Outcome.CRASHED, detail="it reports a plan but gives none")
    if not task.solved_by(answer.plan):
        return attrs.evolve(answer, outcome=Outcome.CRASHED, plan=None, detail="its plan does not lead to the goal")
    return answer


def _last_words(ended: Ended) -> str:
    """Return how a crashed planner ended and the last line it printed."""
    lines = [line.strip() for line in ended.log.splitlines() if line.strip()]
    code = ended.exit_code or 0
    how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{how}: {lines[-1][:200]}" if lines else how
