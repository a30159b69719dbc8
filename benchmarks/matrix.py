"""What a matrix costs besides its cells: the driver alone, and how well executors fill the cores.

    python benchmarks/matrix.py --cells 100 --cells 300 --cells 1000      # the driver; these numbers if none is given
    python benchmarks/matrix.py --working 12 [--jobs 2] [--executor local --executor ray]

**Driver**: cells that do nothing; an executor records their stages as done and returns. *Before the first cell* is the
processor time, and the time by the clock, from the matrix file to the first job, *whole* the processor time of the call
without the executor's own, *again* that of the same command when all is done. The *exponent* is the slope of the whole
against the number of cells, both logarithmic: 1 is linear. Two kinds of matrices: the cells share nothing (seeds), or
two planners times instances share data, training and model. Imports are not counted. Each is measured three times, and
the one with the least processor time is shown: what else the machine does can only add to it.

**Executors**: cells that train and plan. *Efficiency* is the speed-up over the same cells one after another by the
local executor, over the number of jobs: 1 is ideal, and only idle cores can show it. *Busy* is the fraction of the time
in which the places for cells were taken: seconds of all cells, over seconds of the whole times the number of places.
*Overhead* is the rest, in seconds per cell; both count the start of the executor, and neither depends on what else the
machine does.

Writes results/matrix.json and matrix.md; the half that was not measured stays as it is there.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from cubespace.base.files import read_json, write_json, write_text
from cubespace.base.options import NoOptions
from cubespace.experiments.driver import MatrixRun
from cubespace.experiments.executor import Executor, Finished, Job, JobResult, in_order
from cubespace.experiments.matrix import Matrix
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment
from cubespace.runs.folder.manifest import MANIFEST, StageRecord, write_manifest
from cubespace.settings.run_config import load_stored
from cubespace.settings.stages import STAGES

RESULTS = Path("results")
CELLS = (100, 300, 1000)
REPEATS = 3  # of each measurement of the driver
KINDS: Mapping[str, Mapping[str, int]] = {  # of matrices without work: how many cells of each axis make one model
    "nothing shared": {"seed": 1},
    "one model": {"plan.seed": 2},
}
IDLE = {"domain": "hanoi:disks=3", "data.transitions": 200}
WORKING = {
    "domain": "lightsout:size=3",
    "data.transitions": 1500,
    "instances": 10,
    "length": 4,
    "diagnose.states": 500,
}


class Idle(Executor):
    """Records the stages of every job as done, without doing them, and its own processor time."""

    def __init__(self) -> None:
        super().__init__(NoOptions())
        self.first, self.first_by_clock, self.own = 0.0, 0.0, 0.0

    def run(self, jobs: Sequence[Job], finished: Finished) -> None:
        """Record, and return each job as succeeded."""
        self.first, self.first_by_clock = time.process_time(), time.perf_counter()
        for job in in_order(jobs):
            begun = time.process_time()
            _record(Path(job.arguments[1]), job.arguments[job.arguments.index("--until") + 1])
            self.own += time.process_time() - begun
            finished(JobResult(job=job, status=0))


def _record(folder: Path, last: str) -> None:
    """Write into the manifest of a run that its stages up to ``last`` are done, and left no files."""
    config = load_stored(folder / "config.toml")
    nothing: dict[str, Any] = {"components": {}, "inputs": {}, "sources": {}, "files": {}, "date": ""}
    names = [*(stage.name for stage in config.way_to(last)), *["diagnose"] * (last == "evaluate")]
    records = {
        name: StageRecord(key=config.own_key(name), seconds=0.0, cpu_seconds=0.0, **nothing)
        for name in STAGES
        if name in names
    }
    write_manifest(folder / MANIFEST, records)


def measure_driver(kind: str, cells: int) -> dict[str, Any]:
    """Return what the driver needs for a matrix whose cells do nothing, and when all is done already."""
    ((axis, shared),) = KINDS[kind].items()
    axes: dict[str, Any] = {axis: f"0-{cells // shared - 1}"}
    if shared > 1:
        axes["planner"] = ["fd-lmcut", "fd-ff"][:shared]
    with tempfile.TemporaryDirectory() as name:
        matrix, folder, catalogue = Matrix(settings=dict(IDLE), axes=axes), Path(name) / "matrix", load_plugins()
        by, clock, begun = Idle(), time.perf_counter(), time.process_time()
        outcome = MatrixRun.of(matrix, folder, catalogue).run(by)
        whole = time.process_time() - begun - by.own
        if outcome.done < outcome.cells:
            raise SystemExit(f"{outcome.cells - outcome.done} of {outcome.cells} cells are not done")
        again = time.process_time()
        MatrixRun.of(matrix, folder, catalogue).run(Idle())
        again = time.process_time() - again
    return {
        "matrix": kind,
        "cells": outcome.cells,
        "before_first_cell_cpu_s": round(by.first - begun, 2),
        "before_first_cell_clock_s": round(by.first_by_clock - clock, 2),
        "whole_cpu_s": round(whole, 2),
        "whole_ms_per_cell": round(1000 * whole / outcome.cells, 1),
        "again_cpu_s": round(again, 2),
    }


def driver_rows(cells: Sequence[int]) -> list[dict[str, Any]]:
    """Measure each kind of matrix at each size; the last row of a kind has the exponent."""
    measure_driver("one model", 2)  # imports
    rows = []
    for kind in KINDS:
        of_kind = [_least(kind, number) for number in sorted(cells)]
        exponent = _slope([row["cells"] for row in of_kind], [row["whole_cpu_s"] for row in of_kind])
        rows += [{**row, "exponent": exponent if row is of_kind[-1] else None} for row in of_kind]
    return rows


def _least(kind: str, cells: int) -> dict[str, Any]:
    """Return the measurement with the least processor time: other programs can only add to it."""
    return min((measure_driver(kind, cells) for _ in range(REPEATS)), key=itemgetter("whole_cpu_s"))


def _slope(cells: Sequence[int], seconds: Sequence[float]) -> float | None:
    if len(cells) < 2:
        return None
    return round(float(np.polyfit(np.log(cells), np.log(seconds), 1)[0]), 2)


def measure_executor(executor: str, jobs: int, cells: int) -> dict[str, Any]:
    """Run a matrix of cells that share nothing, and return how well the places were used."""
    by = load_plugins().create("executor", f"{executor}:jobs={jobs}")
    results: list[JobResult] = []
    with tempfile.TemporaryDirectory() as name:
        matrix = Matrix(settings=dict(WORKING), axes={"seed": f"0-{cells - 1}"})
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


def executor_rows(executors: Sequence[str], jobs: int, cells: int) -> list[dict[str, Any]]:
    """Measure each executor, and the local one with one job to compare them with."""
    rows = [measure_executor("local", 1, cells)]
    rows += [measure_executor(name, jobs, cells) for name in executors]
    return [
        {**row, "efficiency": round(rows[0]["wall_seconds"] / row["wall_seconds"] / row["jobs"], 3)} for row in rows
    ]


@attrs.frozen
class Part:
    """One half of the page."""

    title: str
    machine: Mapping[str, Any]
    load: float | None
    rows: Sequence[Mapping[str, Any]]

    def lines(self) -> list[str]:
        """Return it in Markdown."""
        machine, head = self.machine, list(self.rows[0])
        load = "" if self.load is None else f"; load before the first cell {self.load:.2f}"
        about = f"{machine['processor']}, {machine['cores']} cores, {machine['date']}, version {machine['cubespace']}"
        texts = [["" if row[key] is None else str(row[key]) for key in head] for row in self.rows]
        table = [head, ["---"] * len(head), *texts]
        return [f"## {self.title}", "", f"{about}{load}.", "", *("| " + " | ".join(line) + " |" for line in table), ""]


def main() -> None:
    """Measure what was asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, action="append", help="of a matrix without work; repeatable")
    parser.add_argument("--working", type=int, help="measure executors, with this many cells")
    parser.add_argument("--executor", action="append", help="repeatable; local and ray if not given")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    file, load, machine = RESULTS / "matrix.json", os.getloadavg()[0], environment()
    known = read_json(file) if file.is_file() else {}
    parts: dict[str, Any] = known if isinstance(known, dict) else {}
    if arguments.working:
        rows = executor_rows(arguments.executor or ["local", "ray"], arguments.jobs, arguments.working)
        parts["executors"] = attrs.asdict(Part("Executors", machine, load, rows))
    else:
        rows = driver_rows(arguments.cells or CELLS)
        parts["driver"] = attrs.asdict(Part("Driver, cells that do nothing", machine, load, rows))
    lines = ["# What a matrix costs besides its cells, by `benchmarks/matrix.py`", ""]
    for name in ("driver", "executors"):
        lines += Part(**parts[name]).lines() if name in parts else []
    write_json(file, parts)
    write_text(RESULTS / "matrix.md", "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
