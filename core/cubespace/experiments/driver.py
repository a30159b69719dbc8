"""Runs a matrix: plans its jobs, hands them to an executor and reports the results.

All state is in the run folders and in the copy of the matrix file: a driver that is killed is simply started again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import attrs

from cubespace.base.errors import CubeError
from cubespace.base.files import write_text
from cubespace.base.leftovers import refuse_links
from cubespace.base.options import parse_spec
from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.cell_folders import CELLS
from cubespace.experiments.estimate import Estimate
from cubespace.experiments.executor import Executor, JobResult
from cubespace.experiments.job_times import JobTimes, start_seconds
from cubespace.experiments.jobs import PlannedJob, executor_jobs, plan_jobs
from cubespace.experiments.ledger import Ledger
from cubespace.experiments.matrix import CHAIN, Matrix, MatrixCell, cells_of
from cubespace.experiments.owned_folder import owned
from cubespace.experiments.sharing import Lenders, take_over
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.manifest import MANIFEST
from cubespace.runs.folder.run_folder import CONFIG, RunFolder
from cubespace.settings.run_config import dump_toml, load_stored

MATRIX = "matrix.toml"
WRITERS = 16  # run folders that are written side by side: each waits for the disk, not for a core


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
    ledger: Ledger = attrs.field(init=False, repr=False)

    @ledger.default
    def _empty_ledger(self) -> Ledger:
        return Ledger(self.folder, self.cells, self.catalogue)

    @classmethod
    def of(cls, matrix: Matrix, folder: Path, catalogue: Catalogue | None = None) -> MatrixRun:
        """Return the matrix with its cells; unknown names and options are refused."""
        loaded = catalogue or load_plugins()
        return cls(folder, matrix, cells_of(matrix, folder, loaded), loaded)

    def done(self, cell: MatrixCell, stage: str = CHAIN[-1]) -> bool:
        """Return whether a stage is finished, by this cell or by any other that shares it.

        The last stage is done only if the diagnosis is done too.
        """
        if stage != CHAIN[-1]:
            return self.ledger.holder(cell, stage) is not None
        stages = [stage, *["diagnose"] * self._diagnosed(cell)]
        return all(self.ledger.finished(cell, each) for each in stages)

    def _diagnosed(self, cell: MatrixCell) -> bool:
        """Return whether the model is to be compared with the true states, which its domain must know."""
        from cubespace.data.domain import StateSpace  # needs numpy, for which no command line should wait

        domain = self.catalogue.find("domain", parse_spec(cell.config.domain).name).load()
        return self.matrix.diagnose and issubclass(domain, StateSpace)

    def jobs(self) -> list[PlannedJob]:
        """Return the jobs that are left, shared stages before those that need them."""
        self.ledger.forget()
        return plan_jobs(self.cells, self.done, self.ledger.lenders)

    def estimate(self) -> Estimate:
        """Return an estimate of the time that the remaining cells take, from those that are done."""
        begun = [cell for cell in (*self.cells, *self.ledger.formerly) if cell.folder.is_dir()]
        return Estimate.of(begun, start_seconds(self.folder))

    def run(
        self,
        executor: Executor,
        *,
        call: CellCall | None = None,
        told: Callable[[JobResult], None] = lambda _: None,
    ) -> Outcome:
        """Run the remaining jobs in random order, so that a part of them is a fair sample; a failure stops no other."""
        begun, failures, succeeded = time.monotonic(), dict[str, str](), set[str]()
        with owned(self.folder, "matrix", MATRIX):
            self.prepare()
            jobs = self.jobs()
            before = sum(map(self.done, self.cells))
            random.shuffle(jobs)

            times = JobTimes(self.folder, jobs, self.ledger)

            def finished(result: JobResult) -> None:
                times.add(result)
                if result.succeeded:
                    succeeded.add(result.job.name)
                else:
                    failures[result.job.name] = result.reason
                told(result)

            executor.run(executor_jobs(jobs, self.folder, call or CellCall(), self.matrix.diagnose), finished)
        self.ledger.forget()
        failures |= {
            job.name: f"it ended well, but {job.cell.folder} has no finished stage '{job.stage}' with these settings: "
            "if its files were changed, remove the folder"
            for job in jobs
            if job.name in succeeded and not self.done(job.cell, job.stage)
        }
        done = sum(map(self.done, self.cells))
        seconds = time.monotonic() - begun
        return Outcome(cells=len(self.cells), done=done, before=before, failures=failures, seconds=seconds)

    def reuse(self, folders: Sequence[Path]) -> None:
        """Take over what runs of other matrices, or of other folders, have finished with equal settings."""
        with owned(self.folder, "matrix", MATRIX):
            self.prepare()
            self.ledger.forget()
            pools = (folder / CELLS if (folder / MATRIX).is_file() else folder for folder in folders)
            lenders = Lenders.of(pools, self.catalogue)
            for cell in self.cells:
                if not self.done(cell):
                    list(take_over(RunFolder.load(cell.folder, self.catalogue), lenders, CHAIN))

    def prepare(self) -> None:
        """Write a copy of the matrix, and the run folders with their settings."""
        write_text(self.folder / MATRIX, self.matrix.dump())
        lacking = {cell.folder: cell for cell in self.cells if not self._has_settings(cell)}
        with ThreadPoolExecutor(WRITERS) as writers:
            list(writers.map(self._start, lacking.values()))

    def _has_settings(self, cell: MatrixCell) -> bool:
        """Return whether the folder of a cell has its settings; of one that is done, it is enough that it has any.

        Those of the diagnosis may have changed since, which are no part of what tells cells from each other.
        """
        try:
            same = (cell.folder / CONFIG).read_text("utf-8") == dump_toml(cell.config)
        except (OSError, UnicodeDecodeError):
            return False
        return same or (self.done(cell) and _is_readable(cell.folder / CONFIG))

    def _start(self, cell: MatrixCell) -> None:
        """Write the settings of a cell into its folder; one that was damaged later fails alone, and stops no other."""
        if not (cell.folder / MANIFEST).is_file():
            RunFolder.start(cell.folder, cell.config, self.catalogue, look_for_files=False)
            return
        with suppress(CubeError):
            refuse_links(cell.folder)
            if not _is_readable(cell.folder / CONFIG):  # what was done with these settings is in the manifest
                write_text(cell.folder / CONFIG, dump_toml(cell.config))
            RunFolder.start(cell.folder, cell.config, self.catalogue, look_for_files=False)


def _is_readable(config: Path) -> bool:
    """Return whether there are settings in a file."""
    try:
        load_stored(config)
    except CubeError:
        return False
    return True
