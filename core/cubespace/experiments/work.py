"""The work of one cell: stages are taken over from another run where possible, and done otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from cubespace.base.observer import Observer, following
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
        with following(self.observer, self.run.path):
            self._take_over(last, diagnose=diagnose)
            pipeline = Pipeline(self.run, self.catalogue, self.execution, self.observer)
            if not self.run.finished(last):
                with self.run.working():
                    pipeline.followed_until(last)
            if diagnose and isinstance(pipeline.domain(), StateSpace) and not self.run.finished("diagnose"):
                with self.run.working():
                    pipeline.followed_until("diagnose")

    def _take_over(self, last: str, *, diagnose: bool) -> None:
        """Take over what lenders have finished; a diagnosis belongs to the model, whichever planner uses it."""
        lenders = Lenders.of(self.lenders, self.catalogue)
        taken = list(take_over(self.run, lenders, [stage.name for stage in way_to(last)]))
        if diagnose and self.run.finished("extract") and not self.run.done_from_same_model("diagnose"):
            taken += take_over(self.run, lenders, ["diagnose"])
        for stage, other in taken:
            self.observer.say(f"{stage}: taken over from {other.path.name}")
            self.observer.wrote(stage, self.run.stage_files(stage))
