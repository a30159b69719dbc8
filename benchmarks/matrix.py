"""How well executors fill the cores: the cells of one small matrix, side by side, by each executor.

    python benchmarks/matrix.py [--cells 12] [--jobs 2] [--executor local --executor ray]

*Efficiency* is the speed-up over the same cells one after another by the local executor, over the number of jobs: 1 is
ideal, and only idle cores can show it. *Busy* is the fraction of the time in which the places for cells were taken:
seconds of all cells, over seconds of the whole times the number of places. *Overhead* is the rest, in
seconds per cell; both count the start of the executor, and neither depends on what else the machine does. The load of
the machine before the first cell is printed with them. Writes results/matrix.json and matrix.md.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from cubespace.base.files import write_json, write_text
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.executor import JobResult
from cubespace.experiments.matrix import Matrix
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import environment

RESULTS = Path("results")
SETTINGS = {
    "domain": "lightsout:size=3",
    "data.transitions": 1500,
    "instances": 10,
    "length": 4,
    "diagnose.states": 500,
}


def measure(executor: str, jobs: int, cells: int) -> dict[str, Any]:
    """Run a matrix of cells that share nothing, and return how well the places were used."""
    by = load_plugins().create("executor", f"{executor}:jobs={jobs}")
    results: list[JobResult] = []
    with tempfile.TemporaryDirectory() as name:
        matrix = Matrix(settings=dict(SETTINGS), axes={"seed": f"0-{cells - 1}"})
        run = MatrixRun.of(matrix, Path(name) / "matrix")
        begun = time.perf_counter()
        outcome = run.run(by, told=results.append)
        wall = time.perf_counter() - begun
    if outcome.done < outcome.cells:
        raise SystemExit(f"{executor}: {dict(outcome.failures)}")
    working = sum(result.seconds for result in results)
    return {
        "executor": executor,
        "jobs": jobs,
        "cells": cells,
        "wall_seconds": round(wall, 2),
        "cell_seconds": round(working, 2),
        "busy": round(working / (wall * jobs), 4),
        "overhead_per_cell": round((wall * jobs - working) / cells, 3),
    }


def main() -> None:
    """Measure each executor and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executor", action="append", help="repeatable; local and ray if not given")
    parser.add_argument("--cells", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    rows = [measure("local", 1, arguments.cells)]
    rows += [measure(name, arguments.jobs, arguments.cells) for name in arguments.executor or ["local", "ray"]]
    for row in rows:
        row["efficiency"] = round(rows[0]["wall_seconds"] / row["wall_seconds"] / row["jobs"], 3)
    machine = environment()
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(row[key]) for key in head) + " |" for row in rows]
    about = (
        f"{machine['processor']}, {machine['cores']} cores, {machine['date']}; load before the first cell {load:.2f}."
    )
    write_json(RESULTS / "matrix.json", {"machine": machine, "rows": rows})
    write_text(
        RESULTS / "matrix.md", "\n".join(["# Executors, by `benchmarks/matrix.py`", "", about, "", *lines]) + "\n"
    )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
