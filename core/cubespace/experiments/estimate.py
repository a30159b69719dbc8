"""How long the rest of a matrix may take, estimated from the cells that are done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

import attrs

from cubespace.experiments.jobs import PlannedJob
from cubespace.experiments.matrix import CHAIN, MatrixCell
from cubespace.experiments.sharing import records

DIAGNOSE = "diagnose"


@attrs.frozen
class Estimate:
    """Mean seconds of each stage over the runs that did it: by domain, and overall."""

    by_domain: dict[tuple[str, str], float]
    overall: dict[str, float]
    start: float = 0.0  # seconds of a job besides its stages: the start of its process, above all

    @classmethod
    def of(cls, cells: Iterable[MatrixCell], start: float = 0.0) -> Estimate:
        """Collect the times of finished stages; a stage that several runs share counts once."""
        seconds: dict[tuple[str, str], tuple[str, float]] = {}
        for cell in cells:
            for stage, record in records(cell.folder, cell.config).items():
                identity = stage, cell.config.key(stage)
                longest = max(record.seconds, seconds.get(identity, ("", 0.0))[1])  # a part may have been known before
                seconds[identity] = (cell.config.domain, longest)
        by_domain: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        overall: defaultdict[str, list[float]] = defaultdict(list)
        for (stage, _), (domain, value) in seconds.items():
            by_domain[stage, domain].append(value)
            overall[stage].append(value)
        means = {key: fmean(values) for key, values in by_domain.items()}
        return cls(means, {stage: fmean(values) for stage, values in overall.items()}, start)

    def stage(self, cell: MatrixCell, stage: str) -> float | None:
        """Return the seconds of a stage of a cell; None if no such stage was done."""
        return self.by_domain.get((stage, cell.config.domain), self.overall.get(stage))

    def total(self, jobs: Sequence[PlannedJob]) -> float | None:
        """Return the seconds of work that jobs have, one after the other; None if a stage was never done."""
        total, counted = self.start * len(jobs), set[tuple[str, str]]()
        for job in jobs:
            for stage, key in zip(CHAIN, job.cell.keys, strict=True):
                value = self.stage(job.cell, stage)
                if (stage, key) not in counted:
                    if value is None:
                        return None
                    total += value
                    counted.add((stage, key))
                if stage == job.stage:
                    break
            diagnosis = DIAGNOSE, job.cell.config.key(DIAGNOSE)
            if job.stage in ("extract", CHAIN[-1]) and diagnosis not in counted:
                total += self.stage(job.cell, DIAGNOSE) or 0.0  # if no cell has one, none is wanted
                counted.add(diagnosis)
        return total
