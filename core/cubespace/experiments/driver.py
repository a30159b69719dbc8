"""Runs a matrix: plans its jobs, hands them to an executor and reports the results.

All state is in the run folders and in the copy of the matrix file: a driver that is killed is simply started again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from cubespace.base.files import sha256, write_text
from cubespace.base.options import parse_spec
from cubespace.experiments.estimate import Estimate
from cubespace.experiments.executor import Executor, JobResult
from cubespace.experiments.jobs import PlannedJob, executor_jobs, plan_jobs
from cubespace.experiments.matrix import CELLS, CHAIN, Matrix, MatrixCell, cells_of
from cubespace.experiments.owned_folder import owned
from cubespace.experiments.sharing import finished_stages, recorded, take_over
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.read_once import ReadOnce
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.recipe import Execution

MATRIX = "matrix.toml"


@attrs.frozen(kw_only=True)
class Outcome:
    """The result of a call: how many cells are done now, how many were before, and why the others are not."""

    cells: int
    done: int
    before: int
    failures: Mapping[str, str]  # by job, in words
    seconds: float


@attrs.define
class MatrixRun:
    """A matrix in its folder."""

    folder: Path
    matrix: Matrix
    cells: Sequence[MatrixCell]
    catalogue: Catalogue = attrs.field(repr=False)
    _known: dict[tuple[str, str], bool] = attrs.field(factory=dict)
    _finished: dict[Path, frozenset[str]] = attrs.field(factory=dict)
    _digests: ReadOnce[str] = attrs.field(factory=lambda: ReadOnce(sha256), repr=False)

    @classmethod
    def of(cls, matrix: Matrix, folder: Path, catalogue: Catalogue | None = None) -> MatrixRun:
        """Return the matrix with its cells; unknown names and options are refused."""
        loaded = catalogue or load_plugins()
        return cls(folder, matrix, cells_of(matrix, folder, loaded), loaded)

    def done(self, cell: MatrixCell, stage: str = CHAIN[-1]) -> bool:
        """Return whether a stage is finished, by this cell or by any other that shares it.

        The last stage is done only if the diagnosis is done too.
        """
        if stage == CHAIN[-1]:
            stages = [stage, *["diagnose"] * self._diagnosed(cell)]
            return self._finished_stages(cell).issuperset(stages)
        key = cell.config.key(stage)
        if (stage, key) not in self._known:
            others = [other for other in self.cells if other.config.key(stage) == key]
            self._known[stage, key] = any(stage in self._finished_stages(other) for other in others)
        return self._known[stage, key]

    def _finished_stages(self, cell: MatrixCell) -> frozenset[str]:
        """Return the finished stages of a cell's run folder; looked at once until :meth:`look_again`."""
        if cell.folder not in self._finished:
            run = RunFolder(cell.folder, cell.config, self.catalogue, self._digests)
            self._finished[cell.folder] = finished_stages(run)
        return self._finished[cell.folder]

    def look_again(self) -> None:
        """Forget what is finished: jobs have worked on the folders since."""
        self._known.clear()
        self._finished.clear()

    def _diagnosed(self, cell: MatrixCell) -> bool:
        """Return whether the model is to be compared with the true states, which its domain must know."""
        from cubespace.data.domain import StateSpace  # needs numpy, for which no command line should wait

        domain = self.catalogue.find("domain", parse_spec(cell.config.domain).name).load()
        return self.matrix.diagnose and issubclass(domain, StateSpace)

    def jobs(self) -> list[PlannedJob]:
        """Return the jobs that are left, shared stages before those that need them."""
        self.look_again()
        return plan_jobs(self.cells, self.done)

    def estimate(self) -> Estimate:
        """Return an estimate of the time that the remaining cells take, from those that are done."""
        return Estimate.of([cell for cell in self.cells if cell.folder.is_dir()])

    def run(
        self,
        executor: Executor,
        *,
        execution: Execution | None = None,
        told: Callable[[JobResult], None] = lambda _: None,
    ) -> Outcome:
        """Run the remaining jobs in random order, so that a part of them is a fair sample; a failure stops no other."""
        begun, failures = time.monotonic(), {}
        with owned(self.folder, "matrix", MATRIX):
            self.look_again()
            before = sum(map(self.done, self.cells))
            self.prepare()
            jobs = self.jobs()
            random.shuffle(jobs)

            def finished(result: JobResult) -> None:
                if not result.succeeded:
                    failures[result.job.name] = result.reason
                told(result)

            how = execution or Execution()
            executor.run(executor_jobs(jobs, self.folder, how, self.matrix.diagnose, self._holder), finished)
        self.look_again()
        done = sum(map(self.done, self.cells))
        seconds = time.monotonic() - begun
        return Outcome(cells=len(self.cells), done=done, before=before, failures=failures, seconds=seconds)

    def reuse(self, folders: Sequence[Path]) -> None:
        """Take over what runs of other matrices, or of other folders, have finished with equal settings."""
        with owned(self.folder, "matrix", MATRIX):
            self.prepare()
            for folder in folders:
                pool = folder / CELLS if (folder / MATRIX).is_file() else folder
                for run in [RunFolder.load(cell.folder, self.catalogue) for cell in self.cells if not self.done(cell)]:
                    list(take_over(run, pool, CHAIN))

    def _holder(self, job: PlannedJob) -> Path | None:
        """Return a run that has done the most of what a job shares with it."""
        for stage in reversed(CHAIN[: CHAIN.index(job.stage)]):
            key = job.cell.config.key(stage)
            for other in self.cells:
                if other.folder == job.cell.folder or other.config.key(stage) != key:
                    continue
                if recorded(other.folder, other.config, stage):
                    return other.folder
        return None

    def prepare(self) -> None:
        """Write a copy of the matrix, and the run folders with their settings."""
        write_text(self.folder / MATRIX, self.matrix.dump())
        for cell in self.cells:
            if not (cell.folder / "config.toml").is_file():
                # a cell whose files are missing fails alone: it must not stop the others
                RunFolder.start(cell.folder, cell.config, self.catalogue, look_for_files=False)
