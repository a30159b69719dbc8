"""pyperplan, run as a separate process: it reads plain STRIPS, and its exit code does not give the outcome."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import attrs

from cubespace.base.options import option
from cubespace.search.planner import Answer, Limits, Outcome, PlannerBackend, Statistics
from cubespace.symbols.pddl import read_plan, write_domain, write_problem
from cubespace.symbols.strips import Task

DOMAIN, PROBLEM = "domain.pddl", "problem.pddl"

EXPANSIONS = re.compile(r"(\d+) Nodes expanded")
SECONDS = re.compile(r"Search time: ([\d.e+-]+)")
LENGTH = re.compile(r"Plan length: (\d+)")
EXHAUSTED = "No solution could be found"
COMPLETE_SEARCHES = ("astar", "wastar", "gbf", "bfs")


@attrs.frozen(kw_only=True)
class PyperplanOptions:
    """Which search to run with which heuristic."""

    search: Literal["astar", "wastar", "gbf", "bfs", "ehs", "ids"] = option("astar", "the search")
    heuristic: Literal["blind", "hadd", "hff", "hmax", "hsa", "landmark", "lmcut"] = option("lmcut", "the heuristic")
    optimal: bool = option(False, "whether the search guarantees shortest plans")


class Pyperplan(PlannerBackend):
    """The planner of the package ``pyperplan``, which supports neither negative preconditions nor costs."""

    revision = 1
    package = "pyperplan"
    Options = PyperplanOptions
    options: PyperplanOptions

    @property
    def optimal(self) -> bool:
        """Return what the options say about the search."""
        return self.options.optimal

    def missing(self) -> str | None:
        """Return how to install the package."""
        return None if importlib.util.find_spec("pyperplan") else "its package is not installed: pip install pyperplan"

    def unsupported(self, task: Task) -> str | None:
        """Refuse action costs, which pyperplan would ignore."""
        return None if task.model.unit_cost else "pyperplan does not support action costs"

    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:
        """Write the task with complementary propositions."""
        del limits
        (folder / DOMAIN).write_text(write_domain(task.model, negation=False))
        (folder / PROBLEM).write_text(write_problem(task, negation=False))
        options = ["-s", self.options.search, "-H", self.options.heuristic]
        # -P: files in the current folder are not modules
        return [sys.executable, "-P", "-m", "pyperplan", *options, DOMAIN, PROBLEM]

    def answer(self, task: Task, folder: Path, exit_code: int, log: str) -> Answer:
        """Read the log: the exit code is 0 with and without a plan."""
        statistics = _statistics(log)
        solution = folder / f"{PROBLEM}.soln"
        if "MemoryError" in log:
            return Answer(outcome=Outcome.OUT_OF_MEMORY, statistics=statistics)
        if exit_code == 0 and EXHAUSTED in log:
            proven = self.options.search in COMPLETE_SEARCHES
            return Answer(outcome=Outcome.UNSOLVABLE if proven else Outcome.NOT_FOUND, statistics=statistics)
        length = LENGTH.search(log)
        if exit_code != 0 or length is None:
            return Answer(outcome=Outcome.CRASHED, statistics=statistics)
        plan = read_plan(task.model, solution.read_text())
        if len(plan) != int(length[1]):
            return Answer(outcome=Outcome.CRASHED, statistics=statistics, detail="the plan file is not complete")
        return Answer(outcome=Outcome.SOLVED, plan=plan, statistics=statistics)


def _statistics(log: str) -> Statistics:
    expansions, seconds = EXPANSIONS.search(log), SECONDS.search(log)
    return Statistics(
        expansions=int(expansions[1]) if expansions else None, search_seconds=float(seconds[1]) if seconds else None
    )
