"""Rendered blocks, with faces that hide each other and shadows: what is learned from a fixed camera, and from others.

    python benchmarks/tabletop.py [--kinds fixed,clean,shake,place] [--seeds 840-842] [--pairs 5000] [--print]

The world is the package examples/tabletop, which needs MuJoCo. Each row is a run of ``cube run`` with default settings
and of ``cube diagnose``, in a process of one thread; plans are asked for between pictures that no training has seen.
Writes results/tabletop.json and tabletop.md; rows that are there already stay. Seeds below 800 were for tuning.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judged_runs import judged, known, outcome

from cubespace.base.files import write_json, write_text

KINDS: dict[str, dict[str, str]] = {  # of cameras, and of hands
    "fixed": {"noise": "0.008"},
    "clean": {},
    "shake": {"move": "2", "turn": "1", "gain": "0.15", "noise": "0.012"},
    "place": {"place": "1.5", "place_turn": "12", "noise": "0.008"},
}


def settings_of(kind: str, pairs: int) -> dict[str, str]:
    """Return the settings of a row."""
    spoiled = {f"data.spoil.{name}": value for name, value in KINDS[kind].items()}
    return {**spoiled, "data.transitions": str(pairs)}


def work(kind: str, seed: int, pairs: int, folder: Path) -> dict[str, Any]:
    """Run a row and return its record."""
    record = judged(folder / f"{kind}-n{pairs}-s{seed}", "tabletop", seed, settings_of(kind, pairs))
    return {"kind": kind, "seed": seed, "pairs": pairs, **record}


def page(records: Mapping[str, dict[str, Any]]) -> str:
    """Return the page of results."""
    lines = [
        "# Rendered blocks",
        "",
        "Made by `benchmarks/tabletop.py`: four blocks in four columns on a table, rendered with shadows, in colour,",
        "64 pixels along a side; seeds that nothing was tuned on, one training each.",
        "`fixed`: a camera with noise of two grey levels; `clean`: one without noise; `shake`: ±2 pixels, ±1°, light",
        "±15 % and noise; `place`: blocks are put down off by up to 1.5 pixels and 12°.",
        "Plans are found/valid/optimal of 30, fd-lmcut; moves against the true ones, wrong ones per state, CPU s.",
        "",
        "| camera | pairs | seed | learner | places | bits | actions | plans | recall | wrong | warned | CPU | made |",
        "|---|---:|---:|---|---:|---:|---:|---|---:|---:|---|---:|---|",
    ]
    for _, row in sorted(records.items()):
        cells = [
            row["kind"],
            f"{row['pairs']:,}",
            str(row["seed"]),
            row["learner"],
            str(row["variables"]),
            str(row["bits"]),
            str(row["actions"]),
            *outcome(row),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Work the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seeds", default="840-842")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--folder", type=Path, default=Path("runs/tabletop"))
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--print", action="store_true", help="write the page again, from the records that are there")
    chosen = parser.parse_args(arguments)
    kept = chosen.results / "tabletop.json"
    first, last = (int(part) for part in (chosen.seeds.split("-") * 2)[:2])
    for kind in () if chosen.print else chosen.kinds.split(","):
        for seed in range(first, last + 1):
            key = f"{kind}-n{chosen.pairs}-s{seed}"
            if key in known(kept):
                continue
            record = work(kind, seed, chosen.pairs, chosen.folder)
            write_json(kept, {"records": {**known(kept), key: record}})
            print(key, record["plans"], record["recall"], record["wrong"], record["cpu_seconds"], flush=True)
    write_text(chosen.results / "tabletop.md", page(known(kept)))


if __name__ == "__main__":
    main()
