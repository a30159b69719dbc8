"""The jobs of a matrix as a script for SLURM: an array for each level, which waits for the previous level."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.executor import ONE_THREAD
from cubespace.experiments.jobs import LOGS, PlannedJob, levels


def job_lines(jobs: Sequence[PlannedJob], folder: Path, call: CellCall, diagnose: bool) -> list[str]:
    """Return a shell script: it submits an array of jobs per level, of one core each."""
    threads = " ".join(f"{name}={value}" for name, value in ONE_THREAD.items())
    lines = [
        "#!/bin/sh",
        "# Start it with sh where cube matrix was called, on a machine with sbatch. A level is an array of jobs, which",
        "# waits until the level before has ended. If jobs fail, cube matrix --print-jobs again prints what is left.",
        "set -e",
        f"mkdir -p {shlex.quote(str(folder / LOGS))}",
    ]
    for number, level in enumerate(levels(jobs)):
        wait = f" --dependency=afterany:$level{number - 1}" if number else ""
        log = shlex.quote(str(folder / LOGS / f"level{number}-%a.txt"))
        array = f"--array=0-{len(level) - 1} --cpus-per-task={call.execution.searches}"
        lines += [
            f"level{number}=$(sbatch --parsable{wait} {array} --output={log} <<'EOF'",
            "#!/bin/sh",
            f"export {threads}",
            "case $SLURM_ARRAY_TASK_ID in",
        ]
        lines += [
            f"{position}) exec cube {shlex.join(job.arguments(call, diagnose))} ;;"
            for position, job in enumerate(level)
        ]
        lines += ["esac", "EOF", ")"]
    return lines
