"""Runs a matrix: plans its jobs, hands them to an executor and tells what came of them.

All state is in the run folders and in the copy of the matrix file: a driver that is killed is simply started again.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import filelock

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import write_text
from cubespace.experiments.estimate import Estimate
from cubespace.experiments.executor import CellResult, Executor
from cubespace.experiments.jobs import Job, executor_cells, plan_jobs
from cubespace.experiments.matrix import Matrix, MatrixCell, cells_of
from cubespace.experiments.sharing import record
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder import RunFolder
from cubespace.settings.check import check_components
from cubespace.settings.run_config import STAGES

MATRIX = "matrix.toml"


@attrs.frozen(kw_only=True)
class Outcome:
    """What came of a call: how many cells are done now, how many were before, and why the others are not."""

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
    _known: dict[tuple[str, str], bool] = attrs.field(factory=dict)

    @classmethod
    def of(cls, matrix: Matrix, folder: Path) -> MatrixRun:
        """Return the matrix with its cells."""
        return cls(folder, matrix, cells_of(matrix, folder))

    def check(self, catalogue: Catalogue) -> None:
        """Refuse names and options of components that no plugin has, before any work is done."""
        for config in {repr(cell.config): cell.config for cell in self.cells}.values():
            check_components(catalogue, config)

    def done(self, cell: MatrixCell, stage: str = STAGES[-1]) -> bool:
        """Return whether a stage is recorded as finished, by this cell or by any other that shares it."""
        key = cell.config.key(stage)
        if stage == STAGES[-1]:
            return _recorded(cell.folder, stage, key)
        if (stage, key) not in self._known:
            holders = (other.folder for other in self.cells if other.config.key(stage) == key)
            self._known[stage, key] = any(_recorded(folder, stage, key) for folder in holders)
        return self._known[stage, key]

    def jobs(self) -> list[Job]:
        """Return the jobs that are left, shared stages before those that need them."""
        self._known.clear()
        return plan_jobs(self.cells, self.done)

    def estimate(self) -> Estimate:
        """Return how long the cells that are left may take, by those that are done."""
        return Estimate.of([cell for cell in self.cells if cell.folder.is_dir()])

    def run(
        self, executor: Executor, *, searches: int = 1, told: Callable[[CellResult], None] = lambda _: None
    ) -> Outcome:
        """Do what is left, in random order, so that a part of the matrix is a fair sample; a failure stops no other."""
        begun, failures = time.monotonic(), {}
        with self._locked():
            before = sum(map(self.done, self.cells))
            self.prepare()
            jobs = self.jobs()
            random.shuffle(jobs)

            def finished(result: CellResult) -> None:
                if not result.succeeded:
                    failures[result.cell.name] = result.reason
                told(result)

            executor.run(executor_cells(jobs, self.folder, self.matrix.diagnose, searches), finished)
        done = sum(map(self.done, self.cells))
        seconds = time.monotonic() - begun
        return Outcome(cells=len(self.cells), done=done, before=before, failures=failures, seconds=seconds)

    def prepare(self) -> None:
        """Write the copy of the matrix, and the run folders with their settings."""
        write_text(self.folder / MATRIX, self.matrix.dump())
        for cell in self.cells:
            if not (cell.folder / "config.toml").is_file():
                RunFolder.start(cell.folder, cell.config)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep another driver from working on this matrix."""
        if self.folder.exists() and any(self.folder.iterdir()) and not (self.folder / MATRIX).is_file():
            raise InputError(f"{self.folder} is not empty and not a matrix: choose another folder with -o")
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(self.folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise UsageError(f"another process works on the matrix {self.folder}: wait for it") from None
        with lock:
            yield


def _recorded(folder: Path, stage: str, key: str) -> bool:
    found = record(folder, stage)
    return found is not None and found.get("key") == key
