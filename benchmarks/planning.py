"""What writing SAS+ ourselves saves.

    python benchmarks/planning.py [--cap 300] [--repeat 3] [--run RUN]… [--output results/planning]

(a) Set-up: a task of 300 bits, 1,500 actions and 100 literals per precondition, from the model in memory to Fast
Downward's input: written directly, and by way of PDDL and the translator with its fastest options. Wanted: a ratio of
at most 0.05, for a model as extraction leaves it, that is with the mutexes of its training states.
(b) Finite-domain variables: merge-and-shrink on a 15-puzzle of 256 bits and 720 actions, 21 random moves from the goal,
on grouped and on single bits; the latter is stopped after ``--cap`` seconds.
(c) With ``--run``, finished run folders: from two pictures to the pictures of a plan, once all is loaded, against the
bare planner process on the same input, in turns for at least a second. Wanted: a ratio of at most 1.2. What is added
is the same for every planner, so the table says how long one must take for the ratio to be kept.
(d) With ``--run`` too: searches on the learned bits of the first problem, with bits that say one thing together merged
into one variable, with groups of exclusive bits only, and on single bits, each stopped after ``--cap`` seconds.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from cubespace import Run
from cubespace.base.files import write_json, write_text
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment
from cubespace.search.planner import Limits
from cubespace.search.planner_process import run_planner
from cubespace.search.sas.writer import write_sas
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.pddl import write_domain, write_problem
from cubespace.symbols.strips import Task

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from planning_tasks import sliding, sliding_state, tree, walk

WANTED = 0.05
WANTED_PICTURES = 1.2


def main() -> None:
    """Measure, print the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cap", type=float, default=300.0, help="seconds for merge-and-shrink on single bits")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, of which the best is kept")
    parser.add_argument("--run", type=Path, action="append", default=[], help="a finished run, for (c); repeatable")
    parser.add_argument("--output", type=Path, default=Path("results/planning"))
    arguments = parser.parse_args()
    result = {
        "command": " ".join(["python", *sys.argv]),
        "environment": environment(),
        "setup": setup(arguments.repeat),
        "grouping": grouping(arguments.cap, arguments.repeat),
        "pictures": [row for run in arguments.run for row in pictures(run, arguments.repeat)],
        "merging": [row for run in arguments.run for row in merging(run, arguments.cap)],
    }
    write_json(arguments.output.with_suffix(".json"), result)
    table = markdown(result)
    write_text(arguments.output.with_suffix(".md"), table)
    print(table)


def setup(repeat: int) -> dict[str, float]:
    """Return the seconds of each way from a model to Fast Downward's input."""
    task = tree(300, 1500, 100)
    known = attrs.evolve(task.model, mutexes=find_mutexes(task.model, task.init[None]))
    # equal models that share no memory of earlier tasks
    fresh, single, extracted = (
        [Task(attrs.evolve(model), task.init, task.goal) for _ in range(repeat)]
        for model in (task.model, task.model, known)
    )
    seconds = {
        "direct, nothing known of the model": best(repeat, lambda turn: write_sas(fresh[turn])),
        "direct, an extracted model's first task": best(repeat, lambda turn: write_sas(extracted[turn])),
        "direct, its next tasks": best(repeat, lambda _: write_sas(extracted[0])),
        "direct, single bits": best(repeat, lambda turn: write_sas(single[turn], group=False)),
        "PDDL and translator": best(repeat, lambda _: translate(task)),
    }
    seconds["ratio"] = seconds["direct, an extracted model's first task"] / seconds["PDDL and translator"]
    return seconds


def best(repeat: int, work: Callable[[int], object]) -> float:
    """Return the least wall time of several turns."""
    seconds = []
    for turn in range(repeat):
        start = time.perf_counter()
        work(turn)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def translate(task: Task) -> None:
    """Write PDDL and let the translator do the rest, without its search for invariants."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "domain.pddl").write_text(write_domain(task.model))
        Path(folder, "problem.pddl").write_text(write_problem(task))
        options = ["--invariant-generation-max-candidates", "0", "--keep-unimportant-variables"]
        call = [sys.executable, "-m", "fast_downward.translate", *options, "domain.pddl", "problem.pddl"]
        subprocess.run(call, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def grouping(cap: float, repeat: int) -> list[dict[str, Any]]:
    """Return the results of merge-and-shrink on grouped and on single bits."""
    model, goal = sliding(4), sliding_state(np.arange(16))
    model = attrs.evolve(model, mutexes=find_mutexes(model, goal[None]))
    task = Task(model, walk(model, goal, 21, seed=1), goal)
    rows = []
    for variables, turns in (("groups", repeat), ("bits", 1)):
        planner = load_plugins().create("planner", f"fd-ms:variables={variables}")
        results = [run_planner(planner, task, Limits(seconds=cap, megabytes=4096)) for _ in range(turns)]
        result = min(results, key=lambda one: one.wall_seconds)
        rows.append(
            {
                "variables": variables,
                "outcome": str(result.outcome),
                "cost": result.cost,
                "seconds": result.wall_seconds,
                "megabytes": result.statistics.megabytes,
            }
        )
    return rows


def pictures(folder: Path, repeat: int) -> list[dict[str, Any]]:
    """Return, per planner, the seconds from two pictures to those of a plan, and those of the planner alone."""
    run = Run.load(folder)
    problem = folder / "problems" / "000"
    rows = []
    for name in ("fd-blind", "fd-lmcut", "fd-ms"):
        whole = partial(run.plan, problem / "init.png", problem / "goal.png", name)
        plan = whole()  # loads what is loaded on first use
        backend = load_plugins().create("planner", name)
        with tempfile.TemporaryDirectory() as place:
            command = list(backend.command(plan.task, Path(place), Limits()))
            bare = partial(subprocess.run, command, cwd=place, check=True, stdout=subprocess.DEVNULL)
            seconds = in_turns(repeat, whole, bare)
        rows.append({"run": folder.name, "planner": name, "pictures": seconds[0], "planner alone": seconds[1]})
    return rows


def merging(folder: Path, cap: float) -> list[dict[str, Any]]:
    """Return, per planner, its results with each kind of variables made from learned bits."""
    run = Run.load(folder)
    problem = folder / "problems" / "000"
    task = run.plan(problem / "init.png", problem / "goal.png", "fd-blind").task
    apart = Task(attrs.evolve(task.model, groups=None), task.init, task.goal, task.care)
    rows = []
    for name in ("fd-blind", "fd-lmcut", "fd-ms"):
        row: dict[str, Any] = {"run": folder.name, "planner": name}
        for way, each, kind in (("merged", task, "groups"), ("exclusive", apart, "groups"), ("bits", task, "bits")):
            planner = load_plugins().create("planner", f"{name}:variables={kind}")
            result = run_planner(planner, each, Limits(seconds=cap, megabytes=2048))
            found = {"cost": result.cost, "seconds": result.wall_seconds, "expansions": result.statistics.expansions}
            row[way] = {"outcome": str(result.outcome), **found}
        rows.append(row)
    return rows


def in_turns(repeat: int, *works: Callable[[], object]) -> list[float]:
    """Return the least wall time of each work; they take turns, so that a busy moment affects all of them."""
    least = [float("inf")] * len(works)
    begun, turns = time.perf_counter(), 0
    while turns < repeat or time.perf_counter() - begun < 1:
        least = [min(known, best(1, lambda _, work=work: work())) for known, work in zip(least, works, strict=True)]
        turns += 1
    return least


def markdown(result: dict[str, Any]) -> str:
    """Return the tables."""
    machine = result["environment"]
    lines = [
        "# Planning set-up",
        "",
        f"`{result['command']}`, {machine['date']}, {machine['processor']}, {machine['cores']} cores",
        "",
        "| 300 bits, 1,500 actions, 100 literals | seconds |",
        "|---|---|",
    ]
    ratio = result["setup"]["ratio"]
    lines += [f"| {name} | {seconds:.3f} |" for name, seconds in result["setup"].items() if name != "ratio"]
    lines += [
        "",
        f"Ratio: {ratio:.3f}, wanted at most {WANTED}: {'kept' if ratio <= WANTED else 'missed'}.",
        "",
        "| 15-puzzle, merge-and-shrink | outcome | cost | seconds | megabytes |",
        "|---|---|---|---|---|",
    ]
    for row in result["grouping"]:
        memory = "-" if row["megabytes"] is None else f"{row['megabytes']:.0f}"
        cost = "-" if row["cost"] is None else row["cost"]
        lines.append(f"| {row['variables']} | {row['outcome']} | {cost} | {row['seconds']:.1f} | {memory} |")
    grouped, single = result["grouping"]
    bound = "" if single["outcome"] == "solved" else "more than "
    lines += ["", f"Single bits take {bound}{single['seconds'] / grouped['seconds']:.0f} times as long.", ""]
    return "\n".join([*lines, *pictures_table(result["pictures"]), *merging_table(result["merging"])])


def pictures_table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of (c) and for which planners the wanted ratio is kept."""
    if not rows:
        return []
    lines = ["| from pictures to pictures, once loaded | planner | ms | planner alone | added | ratio |"]
    lines += ["|---|---|---|---|---|---|"]
    kept = 0
    for row in rows:
        whole, alone = 1000 * row["pictures"], 1000 * row["planner alone"]
        kept += whole / alone <= WANTED_PICTURES
        cells = f"{whole:.1f} | {alone:.1f} | {whole - alone:.1f} | {whole / alone:.2f}"
        lines.append(f"| {row['run']} | {row['planner']} | {cells} |")
    # in a long search what is added drowns in how much the search itself varies
    runs = dict.fromkeys(row["run"] for row in rows)
    short = [min((row for row in rows if row["run"] == run), key=itemgetter("planner alone")) for run in runs]
    added = 1000 * max(row["pictures"] - row["planner alone"] for row in short)
    enough = added / (WANTED_PICTURES - 1)
    return [
        *lines,
        "",
        f"Wanted: a ratio of at most {WANTED_PICTURES}, kept in {kept} of {len(rows)} rows. To the shortest search of "
        f"each run at most {added:.1f} ms are added, so it is kept by planners that take {enough:.0f} ms or longer.",
        "",
    ]


def merging_table(rows: list[dict[str, Any]]) -> list[str]:
    """Return the lines of (d)."""
    if not rows:
        return []
    lines = [
        "| learned bits | planner | merged | exclusive groups only | single bits |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [cell(row[way]) for way in ("merged", "exclusive", "bits")]
        lines.append(f"| {row['run']} | {row['planner']} | {' | '.join(cells)} |")
    return [*lines, "", "Seconds of the first problem of each run, planner and supervision, and states expanded.", ""]


def cell(found: dict[str, Any]) -> str:
    """Return the result of a search, in words."""
    if found["outcome"] != "solved":
        return f"{found['outcome']}, {found['seconds']:.0f} s"
    return f"{found['seconds']:.2f} s, {found['expansions']}"


if __name__ == "__main__":
    main()
