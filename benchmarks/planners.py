"""Which planner? Times and lengths on learned tasks, by every planner that is installed.

    python benchmarks/planners.py --run RUN… [--problems 5] [--cap 60] [--output results/planners]

The tasks are the first problems of finished runs, as `cube evaluate` wrote them. Each planner solves each task once
within the cap.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cubespace import Run
from cubespace.base.files import write_json, write_text
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment
from cubespace.search.planner_process import run_planner
from cubespace.search.solver import Limits, Outcome
from cubespace.symbols.strips import Task

ENGINES = ("fast-downward", "fast-downward-opt", "symk", "symk-opt", "pyperplan", "pyperplan-opt", "enhsp", "enhsp-opt")
SEARCHES = ("bfws", "k-bfws", "iw", "siw")
PLANNERS = (
    *("fd-blind", "fd-lmcut", "fd-ms", "fd-pdb", "fd-bjolp", "fd-gc", "fd-ff", "fd-lama", "symk-bd"),
    *("pyperplan-blind", "pyperplan-lmcut", "pyperplan-gbf-hff"),
    *(f"lapkt:search={search}" for search in SEARCHES),
    *(f"up:engine={engine}" for engine in (*ENGINES, "tamer")),
)


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, action="append", required=True, help="a finished run; repeatable")
    parser.add_argument("--problems", type=int, default=5, help="of each run")
    parser.add_argument("--cap", type=float, default=60.0, help="seconds for each search")
    parser.add_argument("--output", type=Path, default=Path("results/planners"))
    arguments = parser.parse_args()
    tasks = {run.name: learned_tasks(run, arguments.problems) for run in arguments.run}
    about = {"cap": arguments.cap, "problems": arguments.problems, "environment": environment()}
    sizes = {name: {"bits": some[0].model.bits, "actions": some[0].model.actions} for name, some in tasks.items()}
    rows = []
    for planner in PLANNERS:
        rows.append(row(planner, tasks, arguments.cap))
        write_json(arguments.output.with_suffix(".json"), {**about, "tasks": sizes, "rows": rows})
        write_text(arguments.output.with_suffix(".md"), markdown(rows, sizes, about))  # nothing is lost if it is ended


def learned_tasks(folder: Path, count: int) -> list[Task]:
    """Return the tasks of the first problems of a run."""
    run = Run.load(folder)
    problems = sorted((folder / "problems").iterdir())[:count]
    traces = [run.plan(problem / "init.png", problem / "goal.png").result.solution for problem in problems]
    found = [solution.trace for solution in traces if solution is not None and solution.trace is not None]
    return [Task(run.strips, trace[0], trace[-1]) for trace in found]


def row(planner: str, tasks: dict[str, list[Task]], cap: float) -> dict[str, Any]:
    """Return the results of a planner on the tasks of each run."""
    backend = load_plugins().create("planner", planner)
    missing = backend.missing()
    if missing is not None:
        return {"planner": planner, "missing": missing}
    cells = {}
    for name, some in tasks.items():
        results = [run_planner(backend, task, Limits(seconds=cap, megabytes=2048)) for task in some]
        solved = [result for result in results if result.outcome is Outcome.SOLVED]
        cells[name] = {
            "solved": len(solved),
            "of": len(some),
            "seconds": statistics.median(result.wall_seconds for result in results),
            "steps": statistics.mean(len(result.plan or ()) for result in solved) if solved else None,
            "outcomes": sorted({str(result.outcome) for result in results}),
        }
    print(planner, cells, file=sys.stderr, flush=True)
    return {"planner": planner, "optimal": backend.optimal, "cells": cells}


def markdown(rows: Sequence[dict[str, Any]], sizes: dict[str, dict[str, int]], about: dict[str, Any]) -> str:
    """Return the table."""
    machine = about["environment"]
    heads = [f"{name} ({size['bits']} bits, {size['actions']} actions)" for name, size in sizes.items()]
    lines = [
        "# Planners on learned tasks, by `benchmarks/planners.py`",
        "",
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores that others used too: trust the ratios. "
        "Median seconds, the start of the process included, and in brackets the mean number of steps, of so many "
        f"problems of each run: {about['problems']}. Cap {about['cap']:.0f} s.",
        "",
        f"| planner | optimal | {' | '.join(heads)} |",
        "|---|---|" + "---|" * len(heads),
    ]
    for each in rows:
        if "missing" in each:
            continue
        cells = [cell(each["cells"][name]) for name in sizes]
        lines.append(f"| `{each['planner']}` | {'yes' if each['optimal'] else ''} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def cell(found: dict[str, Any]) -> str:
    """Return the results of a planner on the tasks of a run, in words."""
    if not found["solved"]:
        return ", ".join(found["outcomes"])
    few = "" if found["solved"] == found["of"] else f", {found['solved']} of {found['of']} solved"
    return f"{found['seconds']:.2f} s ({found['steps']:.1f}){few}"


if __name__ == "__main__":
    main()
