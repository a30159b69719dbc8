"""Table 2 of the paper: plans found, valid and optimal, per domain and planner, from one recipe for all domains.

    python benchmarks/table2.py [--mandrill PICTURE] [--seeds 0 1] [--jobs 2] [--folder runs/table2]

Trains every domain once per seed and solves 30 instances at l = 7 with five planners, under the paper's limits of 15
minutes and 2 GB. Instances are drawn with a seed of their own, which no tuning has used. Each domain and seed is one
process with one thread, ``--jobs`` of them side by side. What is finished is not done again: the same command goes on.
Writes results/table2.json and results/table2.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from processes import cube, domain_spec, train_minutes

from cubespace.files import write_json, write_text
from cubespace.runs import environment

PLANNERS = ("fd-blind", "fd-gc", "fd-lama", "fd-lmcut", "fd-ms")
INSTANCES, LENGTH, INSTANCE_SEED = 30, 7, 20201
PAPER = {  # found/valid/optimal of 30, the Cube-Space AutoEncoder's half of Table 2
    "lightsout": ("30/30/30", "30/30/17", "30/21/5", "30/30/30", "30/30/30"),
    "twisted": ("30/25/25", "30/26/5", "30/20/4", "30/29/29", "30/25/25"),
    "mandrill": ("30/29/13", "30/18/9", "30/23/11", "30/29/13", "30/30/13"),
    "mnist": ("30/25/24", "30/4/4", "30/7/7", "30/25/24", "30/26/24"),
    "spider": ("30/28/16", "30/27/12", "28/22/14", "30/28/16", "30/28/16"),
    "photo": ("-", "-", "-", "-", "-"),
}


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domains", nargs="+", default=list(PAPER), choices=list(PAPER))
    parser.add_argument(
        "--mandrill", metavar="PICTURE", help="the mandrill; without it, an installed copy is looked for"
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path("runs/table2"))
    parser.add_argument("--output", type=Path, default=Path("results/table2"))
    arguments = parser.parse_args()
    cells = [(domain, seed) for seed in arguments.seeds for domain in arguments.domains]
    result: dict[str, Any] = {"command": " ".join(["python", *sys.argv]), "environment": environment(), "rows": []}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(lambda cell: measure(*cell, arguments), cells):  # in order, as they come
            result["rows"].append(row)
            write_json(arguments.output.with_suffix(".json"), result)
            write_text(arguments.output.with_suffix(".md"), markdown(result))
    print(markdown(result))


def measure(domain: str, seed: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """Do one cell of the table in processes of its own, and gather what they found."""
    folder = arguments.folder / f"{domain}-s{seed}"
    spec = domain_spec(domain, arguments.mandrill)
    options = ["--domain", spec, "--seed", str(seed), "--set", f"plan.seed={INSTANCE_SEED}", "-o", str(folder)]
    options += ["--instances", str(INSTANCES), "--length", str(LENGTH)]
    options += [word for planner in PLANNERS for word in ("--planner", planner)]
    results = cube(folder, "run", *options)
    return {
        "domain": domain,
        "seed": seed,
        "train_minutes": train_minutes(folder),
        "measures": json.loads((folder / "measures.json").read_text())["test"],
        "diagnosis": cube(folder, "diagnose", str(folder)),
        "extraction": json.loads((folder / "extraction.json").read_text()),
        "planners": {
            name: {key: value for key, value in row.items() if key != "records"}
            for name, row in results["planners"].items()
        },
    }


def markdown(result: dict[str, Any]) -> str:
    """Return the table as people read it."""
    machine = result["environment"]
    lines = [
        f"Plans found/valid/optimal of {INSTANCES} at l = {LENGTH}; the paper's in brackets. `{result['command']}`, "
        f"{machine['date']}, {machine['processor']}, one thread per process.",
        "",
        f"| domain | seed | {' | '.join(PLANNERS)} | recall | wrong per state | Rec | Succ | training |",
        f"|---|---|{'---|' * len(PLANNERS)}---|---|---|---|---|",
    ]
    for row in result["rows"]:
        cells = [
            "/".join(str(row["planners"][name][key]) for key in ("found", "valid", "optimal")) + f" ({paper})"
            for name, paper in zip(PLANNERS, PAPER[row["domain"]], strict=True)
        ]
        graph, measures = row["diagnosis"], row["measures"]
        quality = f"{graph['recall']:.4f} | {graph['wrong']:.4f}"
        losses = f"{measures['reconstruction']:.4f} | {measures['successor']:.4f}"
        minutes = f"{row['train_minutes']:.1f} min"
        lines.append(f"| {row['domain']} | {row['seed']} | {' | '.join(cells)} | {quality} | {losses} | {minutes} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
