"""The contract of planner backends: build a command and read the outcome; core runs the process within its limits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from cubespace.search.answer import Answer
from cubespace.search.planner_process import run_planner
from cubespace.search.solver import Limits, Outcome, SearchProblem, SearchResult, Solver, Statistics
from cubespace.symbols.strips import Task

__all__ = ["Answer", "Limits", "Outcome", "PlannerBackend", "Statistics"]


class PlannerBackend(Solver):
    """An off-the-shelf planner, run as a separate process on the STRIPS task."""

    def solve(self, problem: SearchProblem, limits: Limits) -> SearchResult:
        """Run the planner within its limits and execute its plan on the model."""
        return run_planner(self, problem.task, limits)

    @abstractmethod
    def missing(self) -> str | None:
        """Return how to install what is missing, in a few words, or None if the planner can run."""

    def unsupported(self, task: Task) -> str | None:  # noqa: ARG002 - for planners that cannot do everything
        """Return what in the task this planner does not support, or None."""
        return None

    @abstractmethod
    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:
        """Write the planner's input into ``folder`` and return the command that core will run there."""

    @abstractmethod
    def answer(self, task: Task, folder: Path, exit_code: int, log: str) -> Answer:
        """Read the outcome from exit code, log and files; core has already ruled out its own time limit.

        An unreadable answer may raise ``ValueError`` or ``OSError``; the outcome is then *crashed*. A negative
        exit code is the signal that ended the process. If the log was very long, its middle is missing. The
        folder contains only folders and regular files of at most 64 MB (apart from larger ones that ``command``
        wrote); anything else has already been reported as a crash.
        """
