"""How long the jobs of a matrix took: a line for each in ``logs/jobs.jsonl``, from which time left is estimated."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from cubespace.base.files import Appended
from cubespace.experiments.executor import JobResult
from cubespace.experiments.jobs import LOGS, PlannedJob
from cubespace.experiments.ledger import Ledger
from cubespace.experiments.matrix import CHAIN
from cubespace.experiments.sharing import records

FILE = "jobs.jsonl"


class JobTimes:
    """Writes how long each job took, and how much of it were stages."""

    def __init__(self, folder: Path, jobs: Sequence[PlannedJob], ledger: Ledger) -> None:
        self.folder = folder
        self.jobs = {job.name: job for job in jobs}
        # stages that were done before, by identity: a job takes them over
        self.known = {
            (stage, key)
            for job in jobs
            for stage, key in zip(CHAIN, job.cell.keys, strict=True)
            if ledger.holder(job.cell, stage) is not None
        }

    def add(self, result: JobResult) -> None:
        """Write a line about a job that has ended."""
        job = self.jobs[result.job.name]
        new = {
            (stage, job.cell.config.key(stage)): record.seconds
            for stage, record in records(job.cell.folder, job.cell.config).items()
        }
        stages = sum(seconds for identity, seconds in new.items() if identity not in self.known)
        self.known.update(new)
        line = {
            "job": result.job.name,
            "status": result.status,
            "seconds": round(result.seconds, 2),
            "stage_seconds": round(stages, 2),
            "tries": result.tries,
        }
        (self.folder / LOGS).mkdir(parents=True, exist_ok=True)
        with Appended(self.folder / LOGS / FILE) as file:
            file.add(json.dumps(line))


def start_seconds(folder: Path) -> float:
    """Return the mean seconds that jobs took besides their stages; 0 if none has succeeded yet."""
    try:
        lines = (folder / LOGS / FILE).read_text("utf-8").splitlines()
        table = [json.loads(line) for line in lines]
        spent = [max(0.0, row["seconds"] - row["stage_seconds"]) for row in table if row["status"] == 0]
    except (OSError, ValueError, KeyError, TypeError):  # none yet, or cut off by a kill
        return 0.0
    return fmean(spent) if spent else 0.0
