"""Fast Downward and planners derived from it: they read SAS+ and report the outcome by their exit code."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import attrs

from cubespace.base.errors import UsageError
from cubespace.base.options import option
from cubespace.search.planner import Answer, Limits, Outcome, PlannerBackend, Statistics
from cubespace.search.sas.writer import write_sas
from cubespace.symbols.pddl import read_plan, write_domain, write_problem
from cubespace.symbols.strips import Task

INPUT, PLAN = "task.sas", "plan"
DOMAIN, PROBLEM = "domain.pddl", "problem.pddl"

OUTCOMES = {
    0: Outcome.SOLVED,
    11: Outcome.UNSOLVABLE,
    12: Outcome.NOT_FOUND,
    13: Outcome.NOT_FOUND,
    22: Outcome.OUT_OF_MEMORY,
    23: Outcome.OUT_OF_TIME,
    24: Outcome.OUT_OF_MEMORY,
    34: Outcome.UNSUPPORTED,
    20: Outcome.OUT_OF_MEMORY,  # the translator
    21: Outcome.OUT_OF_TIME,  # the translator
}
BAD_SEARCH = 33

# the last line of a complete plan file
COMPLETE = re.compile(r"^; cost = \d+ \((unit|general) cost\)\s*\Z", re.MULTILINE)

PATTERNS = {
    "expansions": re.compile(r"Expanded (\d+) state"),
    "expansions_until_last_jump": re.compile(r"Expanded until last jump: (\d+) state"),
    "evaluations": re.compile(r"Evaluated (\d+) state"),
    "generated": re.compile(r"Generated (\d+) state"),
    "search_seconds": re.compile(r"Search time: ([\d.e+-]+)s"),
    "megabytes": re.compile(r"Peak memory: (\d+) KB"),
}


@attrs.frozen(kw_only=True)
class DownwardOptions:
    """Which search to run, and on which variables."""

    search: str = option("astar(lmcut())", "the search, in the language of Fast Downward")
    optimal: bool = option(False, "whether the search guarantees plans of minimum cost")
    variables: Literal["groups", "bits"] = option("groups", "SAS+ variables: groups of bits, or single bits")
    input: Literal["sas", "pddl"] = option(
        "sas",
        "what is read: SAS+ that is written directly, or the ground PDDL, which it translates itself, as in the paper",
    )
    translate: Literal["plain", "always", "never"] = option(
        "plain",
        "when lifted PDDL goes through the planner's own translator: without quantifiers, which many searches refuse",
    )


class FastDownward(PlannerBackend):
    """The search component of Fast Downward, from the wheel ``up-fast-downward``."""

    revision = 1
    package = "up-fast-downward"
    Options = DownwardOptions
    options: DownwardOptions
    binary: ClassVar[tuple[str, str]] = ("up_fast_downward", "downward/builds/release/bin/downward")
    translator: ClassVar[str] = "fast_downward.translate"  # a module beside the binary
    install: ClassVar[str] = "pip install up-fast-downward"

    @property
    def optimal(self) -> bool:
        """Return what the options say about the search."""
        return self.options.optimal

    def missing(self) -> str | None:
        """Return how to install the binary if it is missing."""
        path = self._path
        if path is None:
            return f"its package is not installed: {self.install}"
        if not os.access(path, os.X_OK):
            return f"{path} cannot be executed: {self.install} --force-reinstall"
        return None

    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:
        """Write the task; the memory limit is that of the process, Fast Downward has no option for it."""
        del limits
        search = f'exec "$0" --search "$1" --internal-plan-file {PLAN} < {INPUT}'
        if task.lifted is not None and self._translated(task):
            domain, problem = task.lifted.domain, task.lifted.problem
        elif self.options.input == "pddl":
            domain, problem = write_domain(task.model), write_problem(task)
        else:
            (folder / INPUT).write_text(write_sas(task, group=self.options.variables == "groups"))
            return ["/bin/sh", "-c", search, str(self._path), self.options.search]
        (folder / DOMAIN).write_text(domain)
        (folder / PROBLEM).write_text(problem)
        translate = f'PYTHONPATH="$2" "$3" -m {self.translator} {DOMAIN} {PROBLEM} --sas-file {INPUT} || exit'
        beside = str(self._path.parent) if self._path else ""
        return ["/bin/sh", "-c", f"{translate}\n{search}", str(self._path), self.options.search, beside, sys.executable]

    def _translated(self, task: Task) -> bool:
        """Return whether the planner is given lifted PDDL."""
        if task.lifted is None or self.options.translate == "never":
            return False
        return task.lifted.plain or self.options.translate == "always"

    def answer(self, task: Task, folder: Path, exit_code: int, log: str) -> Answer:
        """Read exit code, statistics and plan file."""
        statistics = read_statistics(log)
        outcome = OUTCOMES.get(exit_code, Outcome.CRASHED)
        if exit_code == BAD_SEARCH:
            raise UsageError(f"The planner refuses the search '{self.options.search}': {_complaint(log)}")
        if outcome is not Outcome.SOLVED:
            detail = _complaint(log) if outcome is Outcome.UNSUPPORTED else ""
            return Answer(outcome=outcome, statistics=statistics, detail=detail)
        text = (folder / PLAN).read_text()
        if not COMPLETE.search(text):
            return Answer(outcome=Outcome.CRASHED, statistics=statistics, detail="the plan file is not complete")
        plan = read_plan(task.model, text) if not self._translated(task) else _lifted_plan(task, text)
        return Answer(outcome=outcome, plan=plan, statistics=statistics)

    @cached_property
    def _path(self) -> Path | None:
        package, inside = self.binary
        # importing the package would import unified-planning, so only its folder is looked up
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return None
        path = Path(spec.submodule_search_locations[0], inside)
        return path if path.exists() else None


def _lifted_plan(task: Task, text: str) -> list[int]:
    """Return the actions of a plan whose steps are calls of schemas."""
    assert task.lifted is not None
    return task.lifted.read_plan(task, text)


def read_statistics(log: str) -> Statistics:
    """Return the statistics at the end of a Fast Downward log."""
    values: dict[str, float] = {}
    for name, pattern in PATTERNS.items():
        matches = pattern.findall(log)
        if matches:
            values[name] = float(matches[-1])
    if "megabytes" in values:
        values["megabytes"] /= 1024
    whole = {name: int(value) for name, value in values.items() if name not in ("search_seconds", "megabytes")}
    return Statistics(**whole, search_seconds=values.get("search_seconds"), megabytes=values.get("megabytes"))


def _complaint(log: str) -> str:
    """Return the first line of the log that looks like an error."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    wrong = [line for line in lines if re.search(r"error|not |unknown|invalid|expected", line, re.IGNORECASE)]
    return " ".join((wrong or lines or ["no message"])[:1])[:300]
