"""The work of one cell: stages are taken over where another run has done them, and done where none has."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.base.files import read_json, sha256
from cubespace.base.observer import Observer
from cubespace.data.domain import StateSpace
from cubespace.experiments.sharing import take_over
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.diagnosing import DIAGNOSIS, diagnose_run
from cubespace.runs.folder import RunFolder
from cubespace.runs.stages import STRIPS, Pipeline
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import STAGES


@attrs.frozen
class Work:
    """Does what is left of a run."""

    run: RunFolder
    catalogue: Catalogue
    execution: Execution
    observer: Observer
    pool: Path | None = None  # holds run folders whose finished stages may be taken over

    def until(self, last: str, diagnosis: tuple[int, int] | None = None) -> None:
        """Do all stages up to ``last`` and compare the model with the truth, on so many states of such a seed."""
        if self.pool is not None:
            for stage, other in take_over(self.run, self.pool, STAGES[: STAGES.index(last) + 1]):
                self.observer.say(f"{stage}: taken over from {other.path.name}")
        pipeline = Pipeline(self.run, self.catalogue, self.execution, self.observer)
        pipeline.until(last)
        if diagnosis is not None and isinstance(pipeline.domain(), StateSpace) and not diagnosed(self.run, diagnosis):
            self.observer.say(f"diagnose: {diagnosis[0]} fresh states of seed {diagnosis[1]}")
            diagnose_run(pipeline, *diagnosis)


def diagnosed(run: RunFolder, diagnosis: tuple[int, int]) -> bool:
    """Return whether a run has the diagnosis of its present model, on such states."""
    if not run.file(DIAGNOSIS).is_file():
        return False
    found = read_json(run.file(DIAGNOSIS))
    wanted = {"states": diagnosis[0], "seed": diagnosis[1], "model": sha256(run.file(STRIPS))}
    return isinstance(found, dict) and wanted.items() <= found.items()
