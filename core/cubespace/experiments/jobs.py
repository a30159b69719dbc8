"""The jobs of a matrix: each stage that several cells share is done once, then each cell does its own stages.

Identities of stages form a tree: below equal data, equal trainings, and so on. A node with several branches is a
separate job, done in the run folder of the first cell below it; the others take over its result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.executor import Files, Job
from cubespace.experiments.matrix import CHAIN, MatrixCell

LOGS = "logs"  # what the processes of a matrix print, below its folder

Done = Callable[[MatrixCell, str], bool]  # whether a stage of a cell is finished anywhere
Lenders = Callable[[MatrixCell], Sequence[Path]]  # run folders that have finished what a cell needs


@attrs.frozen(kw_only=True)
class PlannedJob:
    """The stages of one run folder up to ``stage``, after another job has done those that are shared."""

    cell: MatrixCell
    stage: str
    after: str | None = None
    lenders: tuple[Path, ...] = ()  # run folders from which it takes over what it shares with them

    @property
    def name(self) -> str:
        """Return a name that is unique within the matrix."""
        run = self.cell.folder.name
        return run if self.stage == CHAIN[-1] else f"{run}.{self.stage}"

    def arguments(self, call: CellCall, diagnose: bool) -> tuple[str, ...]:
        """Return the words after ``cube``; a model that several cells share is diagnosed once, for all of them."""
        has_model = self.stage in ("extract", CHAIN[-1])
        return call.words(self.cell.folder, self.stage, self.lenders, diagnose=diagnose and has_model)


def plan_jobs(cells: Sequence[MatrixCell], done: Done, lenders: Lenders = lambda _: ()) -> list[PlannedJob]:
    """Return the jobs that are left; ``done`` tells whether a stage of a cell is finished anywhere.

    A job takes over what another job of the plan will have done, and what ``lenders`` have done before.
    """
    branches: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in cells:
        for stage, key, below in zip(CHAIN, cell.keys, cell.keys[1:], strict=False):
            branches[stage, key].add(below)
    jobs: dict[tuple[str, str], PlannedJob] = {}
    for cell in cells:
        if done(cell, CHAIN[-1]):
            continue
        before: list[PlannedJob] = []  # the nearest comes first
        for stage, key in zip(CHAIN, cell.keys, strict=True):
            shared = len(branches[stage, key]) > 1
            if not shared and stage != CHAIN[-1]:
                continue
            if (stage, key) not in jobs and not done(cell, stage):
                jobs[stage, key] = PlannedJob(
                    cell=cell,
                    stage=stage,
                    after=before[0].name if before else None,
                    lenders=_distinct(cell, [*(job.cell.folder for job in before), *lenders(cell)]),
                )
            if (stage, key) in jobs:
                before.insert(0, jobs[stage, key])
    return list(jobs.values())


def _distinct(cell: MatrixCell, folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return folders, each once, without that of the cell itself."""
    return tuple(folder for folder in dict.fromkeys(folders) if folder != cell.folder)


def executor_jobs(planned: Sequence[PlannedJob], folder: Path, call: CellCall, diagnose: bool) -> list[Job]:
    """Return jobs as an executor takes them."""
    jobs = []
    for job in planned:
        own = job.cell.folder
        reads = tuple(str(path.relative_to(folder)) for path in (own, *job.lenders))
        files = Files(folder, reads, (str(own.relative_to(folder)),))
        after = () if job.after is None else (job.after,)
        jobs.append(Job(job.name, job.arguments(call, diagnose), folder / LOGS / job.name, after, files))
    return jobs


def levels(jobs: Sequence[PlannedJob]) -> list[list[PlannedJob]]:
    """Return jobs in groups such that each needs only jobs of the groups before."""
    depth: dict[str, int] = {}
    for job in jobs:  # a job comes after the one that it needs
        depth[job.name] = 0 if job.after is None else depth[job.after] + 1
    return [[job for job in jobs if depth[job.name] == level] for level in range(max(depth.values(), default=-1) + 1)]
