"""The jobs of a matrix: each stage that several cells share is done once, then each cell does its own stages.

Identities of stages form a tree: below equal data, equal trainings, and so on. A node with several branches is a
separate job, done in the run folder of the first cell below it; the others take over its result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from cubespace.experiments.executor import Cell, Files
from cubespace.experiments.matrix import CHAIN, MatrixCell
from cubespace.settings.recipe import Execution

LOGS = "logs"  # what the processes of a matrix print, below its folder


@attrs.frozen(kw_only=True)
class Job:
    """The stages of one run folder up to ``stage``, after another job has done those that are shared."""

    cell: MatrixCell
    stage: str
    after: str | None = None

    @property
    def name(self) -> str:
        """Return a name that is unique within the matrix."""
        run = self.cell.folder.name
        return run if self.stage == CHAIN[-1] else f"{run}.{self.stage}"

    def arguments(self, execution: Execution, diagnose: bool) -> tuple[str, ...]:
        """Return the words after ``cube``."""
        words = ["cell", str(self.cell.folder), "--until", self.stage, "--reuse", str(self.cell.folder.parent)]
        words += ["--device", execution.device, "--precision", execution.precision]
        if self.stage == CHAIN[-1]:
            words += ["--jobs", str(execution.searches), *["--diagnose"] * diagnose]
        return tuple(words)


def plan_jobs(cells: Sequence[MatrixCell], done: Callable[[MatrixCell, str], bool]) -> list[Job]:
    """Return the jobs that remain; ``done`` says whether a stage of a cell is finished anywhere."""
    branches: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in cells:
        for stage, key, below in zip(CHAIN, cell.keys, cell.keys[1:], strict=False):
            branches[stage, key].add(below)
    jobs: dict[tuple[str, str], Job] = {}
    for cell in cells:
        if done(cell, CHAIN[-1]):
            continue
        after = None
        for stage, key in zip(CHAIN, cell.keys, strict=True):
            shared = len(branches[stage, key]) > 1
            if not shared and stage != CHAIN[-1]:
                continue
            if (stage, key) not in jobs and not done(cell, stage):
                jobs[stage, key] = Job(cell=cell, stage=stage, after=after)
            if (stage, key) in jobs:
                after = jobs[stage, key].name
    return list(jobs.values())


def executor_cells(
    jobs: Sequence[Job],
    folder: Path,
    execution: Execution,
    diagnose: bool,
    holder: Callable[[Job], Path | None] = lambda _: None,
) -> list[Cell]:
    """Return jobs as cells for an executor; ``holder`` gives a run whose finished stages a job may take over."""
    cells = []
    for job in jobs:
        folder_of_job, held = job.cell.folder, holder(job)
        reads = tuple(str(path.relative_to(folder)) for path in (folder_of_job, held) if path is not None)
        files = Files(folder, reads, (str(folder_of_job.relative_to(folder)),))
        after = () if job.after is None else (job.after,)
        cells.append(Cell(job.name, job.arguments(execution, diagnose), folder / LOGS / job.name, after, files))
    return cells


def levels(jobs: Sequence[Job]) -> list[list[Job]]:
    """Return jobs in groups such that each needs only jobs of the groups before."""
    depth: dict[str, int] = {}
    for job in jobs:  # a job comes after the one that it needs
        depth[job.name] = 0 if job.after is None else depth[job.after] + 1
    return [[job for job in jobs if depth[job.name] == level] for level in range(max(depth.values(), default=-1) + 1)]
