"""The best settings of a tuning against those that it began with, on seeds that no trial had.

    cube tune examples/paper/tuning.toml -o runs/tuning --trials 60
    python benchmarks/tuning.py runs/tuning [--trials 60] [--seeds 600-604] [--folder runs/tuning-fresh]

Trials are scored on the validation split of one seed; here, both settings are trained on each fresh seed, of data and
training, and measured on its test split. Writes results/tuning.json and tuning.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import attrs
from processes import cube

from cubespace.base.files import read_json, write_json, write_text
from cubespace.experiments.matrix import seeds_of
from cubespace.experiments.tuning.tuning_file import Tuning, read_tuning
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment
from cubespace.settings.run_config import dump_toml

RESULTS = Path("results")
BEST, PRESET = "best", "preset"
MEASURES = ("total", "reconstruction", "successor", "direct", "exact")


def main() -> None:
    """Train both settings on fresh seeds and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tuning", type=Path, help="the folder of a tuning")
    parser.add_argument("--trials", type=int, default=60, help="how many it should have had")
    parser.add_argument("--seeds", default="600-604")
    parser.add_argument("--folder", type=Path, default=Path("runs/tuning-fresh"))
    arguments = parser.parse_args()
    tuning = read_tuning(arguments.tuning)
    done = cube(arguments.tuning, "tune", str(arguments.tuning), "--trials", str(arguments.trials))["trials"]
    chosen = {PRESET: {}, BEST: done[0]["settings"]}
    rows = [
        trained(tuning, name, settings, seed, arguments.folder)
        for seed in seeds_of(arguments.seeds)
        for name, settings in chosen.items()
    ]
    write_results(tuning, done, rows)


def trained(tuning: Tuning, name: str, settings: dict[str, Any], seed: int, folder: Path) -> dict[str, Any]:
    """Train with some settings and a seed of its own; a run that is finished is only read."""
    config = tuning.configuration({**settings, "data.seed": seed, "train.seed": seed}, load_plugins())
    run = folder / f"{name}-{seed}"
    file = folder / f"{name}-{seed}.toml"
    write_text(file, dump_toml(config))
    answer = cube(run, "train", "--config", str(file), "-o", str(run))
    measures = read_json(run / "measures.json")
    assert isinstance(measures, dict)
    print(name, seed, measures["test"]["total"], flush=True)
    test = {key: measures["test"][key] for key in MEASURES}
    return {"settings": name, "seed": seed, **test, "cpu_seconds": answer["cpu_seconds"]}


def write_results(tuning: Tuning, done: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> None:
    """Write what was tried and how its best fared, as it is and as a page."""
    machine = environment()
    found = {
        "machine": machine,
        "trials": len(done),
        "validation": [trial["value"] for trial in done],
        "best": done[0]["settings"],
        "tuning": attrs.asdict(tuning),
        "rows": list(rows),
    }
    write_json(RESULTS / "tuning.json", found)
    write_text(RESULTS / "tuning.md", page(tuning, done, rows, machine))


def page(
    tuning: Tuning, done: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], machine: dict[str, object]
) -> str:
    """Return the page: first what was run, then both settings, then each seed."""
    number = len({row["seed"] for row in rows})
    lines = ["| settings | " + " | ".join(MEASURES) + " |", "|" + "---|" * (len(MEASURES) + 1)]
    for name in (PRESET, BEST):
        several = [row for row in rows if row["settings"] == name]
        lines.append(f"| {name} | {' | '.join(_spread([row[key] for row in several]) for key in MEASURES)} |")
    better = sum(_total(rows, BEST, row["seed"]) < row["total"] for row in rows if row["settings"] == PRESET)
    values = [trial["value"] for trial in done]
    choices = [
        f"| `{key}` | {', '.join(map(str, given))} | {done[0]['settings'][key]} |"
        for key, given in tuning.space.items()
    ]
    return "\n".join(
        [
            "# A genetic tuning",
            "",
            f"**What was run:** {len(done)} trials of one seed, losses on the validation split from {min(values):.4f} "
            f"to {max(values):.4f}; then both settings on {number} fresh seeds. The best settings have the lower total "
            f"loss on {better} of {number}.",
            "",
            f"Settings of every trial: preset `{tuning.preset}`, with a small dense network on "
            f"`{tuning.settings['domain']}`. Mean ± standard deviation over {number} seeds, on their test splits.",
            "",
            *lines,
            "",
            "| setting | tried | best |",
            "|---|---|---|",
            *choices,
            "",
            "<details><summary>Command, seeds, machine</summary>",
            "",
            "    cube tune examples/paper/tuning.toml -o runs/tuning --trials 60",
            "    python benchmarks/tuning.py runs/tuning",
            "",
            f"Fresh seeds {', '.join(map(str, sorted({row['seed'] for row in rows})))}; {machine['processor']}, "
            f"{machine['cores']} cores, one thread; cubespace {machine['cubespace']}, {machine['date']}.",
            "",
            "</details>",
            "",
        ]
    )


def _total(rows: Sequence[dict[str, Any]], name: str, seed: int) -> float:
    (found,) = (row["total"] for row in rows if row["settings"] == name and row["seed"] == seed)
    return float(found)


def _spread(values: Sequence[float]) -> str:
    return f"{fmean(values):.4f} ± {stdev(values):.4f}" if len(values) > 1 else f"{values[0]:.4f}"


if __name__ == "__main__":
    sys.exit(main())
