"""Runs planner processes: own folder, own process group, enforced limits; a plan is believed after it was executed."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from cubespace.errors import CubeError, InputError, UsageError
from cubespace.planners import Answer, Limits, Outcome, PlannerBackend, Statistics
from cubespace.strips import Task

SUPERVISOR = Path(__file__).with_name("supervisor.py")
LOG_BYTES = 1 << 17  # kept of either end of the log
GRACE_SECONDS = 0.5  # between the request to end and the end


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


@attrs.frozen
class _Ended:
    """How a process ended: None as exit code if we ended it."""

    exit_code: int | None
    log: str
    megabytes: float | None = None


def solve(backend: PlannerBackend, task: Task, limits: Limits = Limits()) -> SearchResult:  # noqa: B008 - frozen
    """Run a planner on a task. Only a planner that cannot run at all raises; everything else is an outcome."""
    missing = backend.missing()
    if missing is not None:
        raise UsageError(f"The planner cannot run here: {missing}")
    reason = backend.unsupported(task)
    if reason is not None:
        return SearchResult(outcome=Outcome.UNSUPPORTED, detail=reason)
    start = time.monotonic()
    with _folder() as folder:
        try:
            command = backend.command(task, folder, limits)
        except OSError as error:
            raise InputError(
                f"The planner's input cannot be written to {folder}: {error.strerror}. Set TMPDIR."
            ) from error
        ready = time.monotonic()
        ended = _run(command, folder, limits)
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


def _answer(backend: PlannerBackend, task: Task, folder: Path, ended: _Ended) -> Answer:
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


def _last_words(ended: _Ended) -> str:
    """Return how a crashed planner ended and the last line it said."""
    lines = [line.strip() for line in ended.log.splitlines() if line.strip()]
    code = ended.exit_code or 0
    how = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    return f"{how}: {lines[-1][:200]}" if lines else how


def _run(command: Sequence[str], folder: Path, limits: Limits) -> _Ended:
    """Run a command in a folder until it ends or its time is up; leave no process behind."""
    call = [sys.executable, "-I", "-S", str(SUPERVISOR), str(os.getpid()), str(limits.megabytes), str(folder), *command]
    # the same words on every machine, and the same order of Python's sets in every run
    environment = {**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0"}
    deadline = time.monotonic() + limits.seconds
    with subprocess.Popen(
        call,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        log = _Log()
        try:
            log.read(process.stdout.fileno(), deadline)
            in_time = _wait(process, deadline)
        finally:
            _end(process, log)
    exit_code, megabytes = _report(folder, process.returncode)
    return _Ended(exit_code if in_time else None, log.text(), megabytes)


def _wait(process: subprocess.Popen[bytes], deadline: float) -> bool:
    """Wait for a process that closed its output, and return whether it ended in time."""
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[bytes], log: _Log) -> None:
    """End the group of a process that may still run: ask, then insist."""
    if process.poll() is not None:
        return  # the supervisor ended the rest of its group before itself
    assert process.stdout is not None
    os.killpg(process.pid, signal.SIGTERM)
    log.read(process.stdout.fileno(), time.monotonic() + GRACE_SECONDS)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _report(folder: Path, returncode: int) -> tuple[int, float | None]:
    """Return exit code and peak megabytes as the supervisor noted them; without a note, its own end is all there is."""
    try:
        code, kilobytes = (folder / ".ended").read_text().split()
    except (OSError, ValueError):
        return returncode or 1, None
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return int(code), int(kilobytes) / scale


class _Log:
    """The beginning and the end of what a process says."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.lost = 0

    def read(self, pipe: int, deadline: float) -> None:
        """Read until the pipe is closed or the time is up."""
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if selector.select(left):
                    chunk = os.read(pipe, 1 << 16)
                    if not chunk:
                        return
                    self.add(chunk)

    def add(self, chunk: bytes) -> None:
        room = LOG_BYTES - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:] if room > 0 else chunk
        excess = len(self.tail) - LOG_BYTES
        if excess > LOG_BYTES:  # cut seldom, for cutting copies
            self.lost += excess
            del self.tail[:excess]

    def text(self) -> str:
        gap = b"\n...\n" if self.lost else b""
        return bytes(self.head + gap + self.tail).decode(errors="replace")
