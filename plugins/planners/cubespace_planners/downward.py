"""Fast Downward and its descendants: SAS+ in, exit codes that mean something out."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import attrs

from cubespace.errors import UsageError
from cubespace.pddl import read_plan
from cubespace.planners import Answer, Limits, Outcome, PlannerBackend, Statistics
from cubespace.sas import write_sas
from cubespace.strips import Task

INPUT, PLAN = "task.sas", "plan"

OUTCOMES = {
    0: Outcome.SOLVED,
    11: Outcome.UNSOLVABLE,
    12: Outcome.NOT_FOUND,
    13: Outcome.NOT_FOUND,
    22: Outcome.OUT_OF_MEMORY,
    23: Outcome.OUT_OF_TIME,
    24: Outcome.OUT_OF_MEMORY,
    34: Outcome.UNSUPPORTED,
}
BAD_SEARCH = 33

# the last line of a plan that was written to its end
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
    """Which search to run and on what variables."""

    search: str
    optimal: bool = False
    variables: Literal["groups", "bits"] = "groups"


class FastDownward(PlannerBackend):
    """The search component of Fast Downward, from the wheel ``up-fast-downward``."""

    Options = DownwardOptions
    options: DownwardOptions
    binary: ClassVar[tuple[str, str]] = ("up_fast_downward", "downward/builds/release/bin/downward")
    install: ClassVar[str] = "pip install up-fast-downward"

    @property
    def optimal(self) -> bool:
        """Return what the row, or the user, says of the search."""
        return self.options.optimal

    def missing(self) -> str | None:
        """Return how to get the binary if it is not there."""
        path = self._path
        if path is None:
            return f"its package is not installed: {self.install}"
        if not os.access(path, os.X_OK):
            return f"{path} cannot be executed: {self.install} --force-reinstall"
        return None

    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:
        """Write ``task.sas``; the memory limit is the process's own, there is no option for it."""
        del limits
        (folder / INPUT).write_text(write_sas(task, group=self.options.variables == "groups"))
        call = f'exec "$0" --search "$1" --internal-plan-file {PLAN} < {INPUT}'
        return ["/bin/sh", "-c", call, str(self._path), self.options.search]

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
        return Answer(outcome=outcome, plan=read_plan(task.model, text), statistics=statistics)

    @cached_property
    def _path(self) -> Path | None:
        package, inside = self.binary
        # the package itself would import unified-planning, so it is only looked up
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return None
        path = Path(spec.submodule_search_locations[0], inside)
        return path if path.exists() else None


class SymK(FastDownward):
    """Symbolic search, from the wheel ``up-symk``; a fork of Fast Downward with the same manners."""

    binary = ("up_symk", "symk/builds/release/bin/downward")
    install = "pip install 'cubespace[symk]'"


def read_statistics(log: str) -> Statistics:
    """Return what Fast Downward says of its search at the end of its log."""
    found: dict[str, float] = {}
    for name, pattern in PATTERNS.items():
        matches = pattern.findall(log)
        if matches:
            found[name] = float(matches[-1])
    if "megabytes" in found:
        found["megabytes"] /= 1024
    whole = {name: int(value) for name, value in found.items() if name not in ("search_seconds", "megabytes")}
    return Statistics(**whole, search_seconds=found.get("search_seconds"), megabytes=found.get("megabytes"))


def _complaint(log: str) -> str:
    """Return the first line in which the planner says what is wrong."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    wrong = [line for line in lines if re.search(r"error|not |unknown|invalid|expected", line, re.IGNORECASE)]
    return " ".join((wrong or lines or ["no word"])[:1])[:300]
