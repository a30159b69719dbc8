"""Planners that are a few lines of Python, for tests of planner processes, and ways to look for what they leave."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from planning_tasks import lights_out

from cubespace.search.planner import Answer, Limits, Outcome, PlannerBackend
from cubespace.symbols.pddl import read_plan, write_plan
from cubespace.symbols.strips import Task


class Script(PlannerBackend):
    """A planner that is a few lines of Python; it reads exit codes as Fast Downward's and a plan from ``plan``."""

    def __init__(self, script: str) -> None:
        super().__init__(None)
        self.script = textwrap.dedent(script)
        self.folder: Path | None = None
        self.log = ""

    def missing(self) -> str | None:
        return None

    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:  # noqa: ARG002
        self.folder = folder
        return [sys.executable, "-I", "-S", "-c", self.script]

    def answer(self, task: Task, folder: Path, exit_code: int, log: str) -> Answer:
        self.log = log
        if exit_code:
            return Answer(outcome=Outcome.UNSOLVABLE if exit_code == 11 else Outcome.CRASHED)
        return Answer(outcome=Outcome.SOLVED, plan=read_plan(task.model, (folder / "plan").read_text()))


def one_step_task() -> Task:
    """Return a task that action 0 solves."""
    model = lights_out(2)
    state = np.zeros(4, dtype=np.bool_)
    return Task(model, state, model.apply(state[None], np.array([0]))[0])


def plan(task: Task, *actions: int) -> str:
    return f"open('plan', 'w').write({write_plan(task.model.names[action] for action in actions)!r})"


def alive(marker: Path) -> bool:
    """Return whether the process whose id is in a file still runs; a zombie does not."""
    try:
        process = marker.read_text()
        if not process:  # it was ended before it had said who it is
            return False
        status = Path(f"/proc/{int(process)}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # before the file is opened, or while it is read
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def eventually_dead(marker: Path, seconds: float = 5) -> bool:
    """Return whether it ends within some seconds."""
    deadline = time.monotonic() + seconds
    while alive(marker):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
