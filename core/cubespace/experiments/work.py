"""The work of one cell: stages are taken over from another run where possible, and done otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from cubespace.base.observer import Observer
from cubespace.data.domain import StateSpace
from cubespace.experiments.sharing import Lenders, take_over
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.settings.recipe import Execution
from cubespace.settings.stages import way_to


@attrs.frozen
class Work:
    """Does the remaining stages of a run."""

    run: RunFolder
    catalogue: Catalogue
    execution: Execution
    observer: Observer
    lenders: Sequence[Path] = ()  # run folders, or folders of them, whose finished stages may be taken over

    def until(self, last: str, *, diagnose: bool = False) -> None:
        """Do all stages that lead to ``last`` and, if the domain knows its states, compare the model with them."""
        lenders = Lenders.of(self.lenders, self.catalogue)
        for stage, other in take_over(self.run, lenders, [stage.name for stage in way_to(last)]):
            self.observer.say(f"{stage}: taken over from {other.path.name}")
        pipeline = Pipeline(self.run, self.catalogue, self.execution, self.observer)
        if not self.run.finished(last):
            pipeline.until(last)
        if diagnose and isinstance(pipeline.domain(), StateSpace) and not self.run.finished("diagnose"):
            pipeline.until("diagnose")
