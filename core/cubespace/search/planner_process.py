"""Runs a planner in a temporary folder; a plan is accepted only after executing it on the model."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.base.leftovers import temporary_prefix
from cubespace.search.answer import Answer
from cubespace.search.solver import Limits, Outcome, SearchResult, Statistics
from cubespace.search.supervised_process import Ended, Supervisor, SupervisorLost, supervisor
from cubespace.symbols.strips import Task

if TYPE_CHECKING:
    from cubespace.search.planner import PlannerBackend

MAX_FILE_BYTES = 64 << 20  # of a file that a planner leaves: the longest plans take less than one megabyte
MAX_FILES = 1000


def run_planner(backend: PlannerBackend, task: Task, limits: Limits) -> SearchResult:
    """Run a planner on a task. An error is raised only if the planner cannot run at all; everything else is an outcome.

    The death of the supervisor says nothing about the planner, so the search is tried once more.
    """
    missing = backend.missing()
    if missing is not None:
        raise UsageError(f"The planner cannot run here: {missing}")
    reason = backend.unsupported(task)
    if reason is not None:
        return SearchResult(outcome=Outcome.UNSUPPORTED, detail=reason)
    start = time.monotonic()
    try:
        try:
            answer, log = _search(backend, task, limits)
        except SupervisorLost as lost:
            if not lost.died:
                raise
            answer, log = _search(backend, task, limits)
    except SupervisorLost as lost:
        answer, log = Answer(outcome=Outcome.CRASHED, detail=str(lost)), lost.log
    return SearchResult(
        outcome=answer.outcome,
        plan=None if answer.plan is None else tuple(answer.plan),
        trace=None if answer.plan is None else task.model.execute(task.init, answer.plan),
        cost=None if answer.plan is None else task.cost(answer.plan),
        statistics=answer.statistics,
        wall_seconds=time.monotonic() - start,
        detail=answer.detail,
        log=log,
    )


def _search(backend: PlannerBackend, task: Task, limits: Limits) -> tuple[Answer, str]:
    """Run a planner once, and return its checked answer and its output."""
    with supervisor() as process, _folder(process) as folder:
        try:
            command = backend.command(task, folder, limits)
        except OSError as error:
            raise InputError(
                f"The planner's input cannot be written to {folder}: {error.strerror}. Set TMPDIR."
            ) from error
        ours = _sizes(folder)
        ended = process.run(command, folder, limits)
        return _answer(backend, task, folder, ended, ours), ended.log


@contextlib.contextmanager
def _folder(process: Supervisor) -> Iterator[Path]:
    """Make a folder that is removed afterwards, even if this process is killed at any moment."""
    try:
        folder = Path(tempfile.gettempdir(), temporary_prefix() + secrets.token_hex(8))
        process.adopt(folder)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise InputError(f"No temporary folder can be made ({error}). Set TMPDIR to another folder.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _answer(backend: PlannerBackend, task: Task, folder: Path, ended: Ended, ours: dict[str, int]) -> Answer:
    """Let the backend read its outcome, and check what can be checked."""
    if ended.exit_code is None:
        outcome = Outcome.OUT_OF_MEMORY if ended.out_of_memory else Outcome.OUT_OF_TIME
        return Answer(outcome=outcome, statistics=Statistics(megabytes=ended.megabytes))
    try:
        refuse_odd_files(folder, ours)
        answer = backend.answer(task, folder, ended.exit_code, ended.log)
        return _checked(answer, task, ended)
    except CubeError:
        raise
    except Exception as error:  # a planner's files and a plugin may raise anything
        return Answer(outcome=Outcome.CRASHED, detail=f"its answer cannot be read: {error or type(error).__name__}")


def _checked(answer: Answer, task: Task, ended: Ended) -> Answer:
    """Return an answer whose plan, if there is one, leads to the goal."""
    answer = attrs.evolve(answer, outcome=Outcome(answer.outcome))  # a plugin may have returned anything
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


def _sizes(folder: Path) -> dict[str, int]:
    """Return the files of a folder and of all folders in it, and how large they are."""
    return {entry.path: entry.stat(follow_symlinks=False).st_size for entry in _entries(folder)}


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield everything in a folder except folders; links are not followed."""
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    yield entry


def refuse_odd_files(folder: Path, ours: dict[str, int]) -> None:
    """Raise if a planner left something that a backend cannot read safely: a pipe, a link, a device, a huge file.

    Reading a pipe would wait for ever, and a sparse file of terabytes costs a planner nothing. The files in ``ours``
    were written by the backend and may be larger.
    """
    for number, entry in enumerate(_entries(folder)):
        facts, name = entry.stat(follow_symlinks=False), os.path.relpath(entry.path, folder)
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError(f"it left '{name[:100]}', which is not a regular file")
        if facts.st_size > max(MAX_FILE_BYTES, ours.get(entry.path, 0)):
            raise ValueError(f"it left '{name[:100]}' of {facts.st_size >> 20} MB")
        if number >= MAX_FILES + len(ours):
            raise ValueError(f"it left more than {MAX_FILES} files")


def _last_words(ended: Ended) -> str:
    """Return how a crashed planner ended and the last line it printed."""
    lines = [line.strip() for line in ended.log.splitlines() if line.strip()]
    code = ended.exit_code or 0
    how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{how}: {lines[-1][:200]}" if lines else how
