"""Table 2 of the paper: plans found, valid and optimal, per domain and planner, from one recipe for all domains.

    python benchmarks/table2.py [--mandrill PICTURE] [--domains mnist hanoi9] [--seeds 0 1] [--jobs 2] [--folder FOLDER]

Trains every domain once per seed and solves instances with five planners, under the paper's limits of 15 minutes and
2 GB. Where a domain needs other settings than the recipe's, they are a preset, named in its row, with its reason below
the table. Instances are drawn with a seed of their own, which no tuning has used. Each training is one process with one
thread, ``--jobs`` of them side by side. The same command goes on: what is finished is kept in JSON files beside the run
folders and not done again as long as the settings are the same; a changed program needs another ``--folder``. Writes
results/table2.json and results/table2.md. Rows that are there and not asked for stay, with their own date and command.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import attrs
from processes import cube, domain_spec, kept, train_minutes

from cubespace.base.files import read_json, write_json, write_text
from cubespace.evaluation.summary import summarise
from cubespace.runs.folder import environment
from cubespace.settings.presets import find_preset
from cubespace.settings.run_config import load_config, parse_settings

PLANNERS = ("fd-blind", "fd-gc", "fd-lama", "fd-lmcut", "fd-ms")
INSTANCE_SEED = 31337
KNOWN = ("known_states", "known_transitions")


@attrs.frozen(kw_only=True)
class Problems:
    """Instances at one distance from the goal, or as many as there are."""

    length: int = 7
    instances: int = 30
    random_goals: bool = False  # a goal for each instance, not the domain's own

    @property
    def name(self) -> str:
        """Return what tells them from other problems of a run, for the name of a file."""
        return f"l{self.length}" + ("-goals" if self.random_goals else "")


@attrs.frozen(kw_only=True)
class Row:
    """A row of the table: what is learned and how, which problems are solved, and what the paper has of them."""

    name: str
    run: str = attrs.field(default=attrs.Factory(lambda row: row.name, takes_self=True))  # rows of one run train once
    domain: str
    preset: str | None = None
    problems: tuple[Problems, ...] = (Problems(),)
    planners: tuple[str, ...] = PLANNERS  # some of the table's columns
    paper: tuple[str, ...] | None = None  # found/valid/optimal by column, the Cube-Space AutoEncoder's half of Table 2
    seeds: tuple[int, ...] = (0, 1)


LIGHTSOUT = ("30/30/30", "30/30/17", "30/21/5", "30/30/30", "30/30/30")
TWISTED = ("30/25/25", "30/26/5", "30/20/4", "30/29/29", "30/25/25")
MANDRILL = ("30/29/13", "30/18/9", "30/23/11", "30/29/13", "30/30/13")
MNIST = ("30/25/24", "30/4/4", "30/7/7", "30/25/24", "30/26/24")
SPIDER = ("30/28/16", "30/27/12", "28/22/14", "30/28/16", "30/28/16")
MANDRILL15 = ("32/32/29", "28/9/9", "38/13/3", "38/38/33", "38/38/33")  # of 20 and 20
FIFTEEN = (Problems(length=14, instances=20), Problems(length=21, instances=20))
ROWS = (
    Row(name="lightsout", domain="lightsout", paper=LIGHTSOUT),
    Row(name="twisted", domain="twisted", paper=TWISTED),
    Row(name="mandrill", domain="mandrill", paper=MANDRILL),
    Row(name="mnist", domain="mnist", paper=MNIST),
    Row(name="spider", domain="spider", paper=SPIDER),
    Row(name="photo", domain="photo"),
    Row(
        name="mandrill15",
        domain="mandrill:size=4",
        preset="large-board",
        problems=FIFTEEN,
        paper=MANDRILL15,
        seeds=(0,),
    ),
    Row(name="lightsout5", domain="lightsout:size=5", seeds=(0,)),  # held out
    Row(name="hanoi4", domain="hanoi:disks=4", seeds=(0,)),
    Row(name="hanoi4-piles", domain="hanoi:disks=4", preset="piles", seeds=(0,)),
    Row(name="hanoi7-piles", domain="hanoi:disks=7", preset="piles", seeds=(0,)),  # held out
    Row(name="hanoi9", domain="hanoi", planners=("fd-blind",), seeds=(0,)),  # the others take minutes: 4,000 effects
    Row(name="hanoi9-piles", domain="hanoi", preset="piles", seeds=(0,)),
    Row(
        name="hanoi9-piles-goals",
        run="hanoi9-piles",
        domain="hanoi",
        preset="piles",
        problems=(Problems(random_goals=True),),
        seeds=(0,),
    ),
)


def main(words: Sequence[str] | None = None) -> None:
    """Run what is missing and print the table."""
    runs = list(dict.fromkeys(row.run for row in ROWS))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", nargs="+", default=runs, choices=runs)
    parser.add_argument(
        "--mandrill", metavar="PICTURE", help="the mandrill; without it, an installed copy is looked for"
    )
    parser.add_argument("--seeds", nargs="+", type=int, help="of every row; by default 0 and 1, of the bigger rows 0")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("runs/table2"))
    parser.add_argument("--output", type=Path, default=Path("results/table2"))
    arguments = parser.parse_args(words)
    file = arguments.output.with_suffix(".json")
    made = {"command": " ".join(["python", *sys.argv]), "environment": environment()}
    table = {(row["domain"], row["seed"]): row for row in earlier(file)}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        work = trainings(arguments.domains, arguments.seeds)
        for rows in pool.map(lambda each: measure(*each, arguments), work):  # in order, as they come
            table |= {(row["domain"], row["seed"]): {**row, "made": made} for row in rows}
            result = {"rows": in_order(table.values())}
            write_json(file, result)
            write_text(arguments.output.with_suffix(".md"), markdown(result))
    print(markdown(result))


def earlier(file: Path) -> list[dict[str, Any]]:
    """Return the rows of an earlier table, if there is one, each with how it was made."""
    known = read_json(file) if file.is_file() else None
    if not isinstance(known, dict):
        return []
    return [{"made": {key: known.get(key) for key in ("command", "environment")}, **row} for row in known["rows"]]


def in_order(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in the order of the table, seed by seed; those that it has no more are left out."""
    place = {row.name: number for number, row in enumerate(ROWS)}
    return sorted((row for row in rows if row["domain"] in place), key=lambda row: (row["seed"], place[row["domain"]]))


def trainings(runs: Sequence[str], seeds: Sequence[int] | None) -> list[tuple[list[Row], int]]:
    """Return the rows of each training, and its seed; all trainings of one seed come first."""
    together = [[row for row in ROWS if row.run == run] for run in runs]
    wanted = [(seed, rows) for rows in together for seed in seeds or rows[0].seeds]
    return [(rows, seed) for seed, rows in sorted(wanted, key=lambda each: each[0])]


def measure(rows: list[Row], seed: int, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Fill the rows of one training, one after the other: they share a run folder."""
    folder = arguments.folder / f"{rows[0].run}-s{seed}"
    filled = []
    for row in rows:
        try:
            answer = fill(row, folder, seed, arguments.mandrill)
        except subprocess.CalledProcessError as error:
            answer = {"failed": f"exit code {error.returncode}, see {folder.with_suffix('.log')}"}
        filled.append({"domain": row.name, "seed": seed, "preset": row.preset, **answer})
    return filled


def fill(row: Row, folder: Path, seed: int, mandrill: str | None) -> dict[str, Any]:
    """Learn, plan and diagnose as far as it is not done, and gather what was found."""
    answers = []
    for problems in row.problems:
        pairs = settings(row, seed, mandrill, problems)
        config = load_config(None, parse_settings(pairs), row.preset)
        solved = kept(beside(folder, problems.name), config.key("plan"), partial(solve, folder, pairs, row.preset))
        about = kept(beside(folder, "learned"), config.key("extract"), partial(learned, folder))
        answers.append(solved)
    records = {name: [one for answer in answers for one in answer[name]["records"]] for name in row.planners}
    everything = summarise([record for each in records.values() for record in each])
    return {
        **about,
        "problems": [
            {**attrs.asdict(problems), "instances": answer[row.planners[0]]["instances"]}
            for problems, answer in zip(row.problems, answers, strict=True)
        ],
        "planners": {
            name: {**summarise(each), "optimal_planner": answers[0][name]["optimal_planner"]}
            for name, each in records.items()
        },
        **{key: everything[key] for key in KNOWN},
    }


def beside(folder: Path, name: str) -> Path:
    """Return a file beside a run folder."""
    return folder.with_name(f"{folder.name}.{name}.json")


def settings(row: Row, seed: int, mandrill: str | None, problems: Problems) -> list[str]:
    """Return all settings that are not the recipe's or the preset's, as KEY=VALUE."""
    table: dict[str, object] = {"domain": domain_spec(row.domain, mandrill)}
    table |= dict.fromkeys(("data.seed", "train.seed", "extract.seed"), seed)
    table |= {"plan.seed": INSTANCE_SEED, "plan.planners": "+".join(row.planners)}
    table |= {f"plan.{key}": value for key, value in attrs.asdict(problems).items()}
    return [f"{key}={value}" for key, value in table.items()]


def solve(folder: Path, pairs: list[str], preset: str | None) -> dict[str, Any]:
    """Solve the problems of one length, after the training if it is not done, and return the results by planner."""
    options = ["-o", str(folder), *(["--preset", preset] if preset else [])]
    options += [word for pair in pairs for word in ("--set", pair)]
    results: dict[str, Any] = cube(folder, "run", *options)["planners"]
    return results


def learned(folder: Path) -> dict[str, Any]:
    """Return what is to be said about a training, whatever is planned with it."""
    return {
        "train_minutes": train_minutes(folder),
        "measures": json.loads((folder / "measures.json").read_text())["test"],
        "diagnosis": cube(folder, "diagnose", str(folder)),
        "extraction": json.loads((folder / "extraction.json").read_text()),
    }


def markdown(result: dict[str, Any]) -> str:
    """Return the table as people read it."""
    made = list({json.dumps(row["made"], sort_keys=True): row["made"] for row in result["rows"]}.values())
    lines = [
        "Plans found/valid/optimal, the paper's for as many instances in brackets; one thread per process.",
        "",
        f"| domain | instances | seed | {' | '.join(PLANNERS)} | recall | wrong per state | known states | known steps "
        "| Rec | Succ | training | made |",
        f"|---|---|---|{'---|' * len(PLANNERS)}---|---|---|---|---|---|---|---|",
        *(line(row, 1 + made.index(row["made"])) for row in result["rows"]),
        "",
        "Known: the rate of the states and of the steps in valid plans, of all planners together, that were in the "
        "training pairs; the rest was never seen.",
        "",
        "Made:",
        "",
        *(
            f"{number}. `{each['command']}`, {each['environment']['date']}, {each['environment']['processor']}"
            for number, each in enumerate(made, start=1)
        ),
    ]
    presets = dict.fromkeys(row["preset"] for row in result["rows"] if row["preset"])
    for preset in map(find_preset, presets):
        lines += ["", f"Preset `{preset.name}`: {preset.reason}"]
    return "\n".join([*lines, ""])


def line(row: dict[str, Any], made: int) -> str:
    """Return a row as a line of Markdown, with the number of the call that made it."""
    name = f"{row['domain']}, preset `{row['preset']}`" if row["preset"] else row["domain"]
    if "failed" in row:
        return f"| {name} | {row['failed']} | {row['seed']} |"
    paper = next(each.paper for each in ROWS if each.name == row["domain"]) or ("-",) * len(PLANNERS)
    graph, measures = row["diagnosis"], row["measures"]
    known = [f"{row[key]:.3f}" if row[key] is not None else "-" for key in KNOWN]
    cells = [
        name,
        ", ".join(map(asked, row["problems"])),
        str(row["seed"]),
        *(counts(row["planners"].get(planner), theirs) for planner, theirs in zip(PLANNERS, paper, strict=True)),
        *(f"{graph[key]:.4f}" for key in ("recall", "wrong")),
        *known,
        *(f"{measures[key]:.4f}" for key in ("reconstruction", "successor")),
        f"{row['train_minutes']:.1f} min",
        f"{made}",
    ]
    return f"| {' | '.join(cells)} |"


def asked(problems: dict[str, Any]) -> str:
    """Return in words how many problems there were, and of which kind."""
    goals = ", random goals" if problems["random_goals"] else ""
    return f"{problems['instances']} at l = {problems['length']}{goals}"


def counts(row: dict[str, Any] | None, paper: str) -> str:
    """Return a planner's cell."""
    if row is None:
        return "-"
    return "/".join(str(row[key]) for key in ("found", "valid", "optimal")) + f" ({paper})"


if __name__ == "__main__":
    main()
