"""The stages of a run in order. Each reads the run folder and writes to it; a finished one is skipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs
from threadpoolctl import threadpool_limits

from cubespace.base.observer import following
from cubespace.plugins.blame import blame
from cubespace.runs.announcement import announce
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.plan_files import pictures_changed
from cubespace.runs.stages.data import draw_data
from cubespace.runs.stages.diagnose import diagnose_run
from cubespace.runs.stages.evaluate import evaluate_run
from cubespace.runs.stages.extract import extract_model
from cubespace.runs.stages.lift import lift_run
from cubespace.runs.stages.train import train

WORK: Mapping[str, Callable[[RunContents], None]] = MappingProxyType(
    {
        "data": draw_data,
        "train": train,
        "extract": extract_model,
        "lift": lift_run,
        "evaluate": evaluate_run,
        "diagnose": diagnose_run,
    }
)


@attrs.frozen
class Pipeline(RunContents):
    """Does the stages of one run."""

    def until(self, last: str) -> None:
        """Do all stages that lead to ``last``, and itself; every other process is kept from working on the run."""
        with self.run.working():
            self.work_until(last)

    def work_until(self, last: str) -> None:
        """Do the same in a block in which the caller is :meth:`RunFolder.working` already."""
        with following(self.observer, self.run.path):
            self.followed_until(last)

    def followed_until(self, last: str) -> None:
        """Do the same in a block in which the observer is following already."""
        with (
            threadpool_limits(self.execution.threads),  # of numpy too: cells side by side slow each other down
            blame(),
        ):
            self.observer.say(announce(self.run.config, self.catalogue))
            if self.run.is_of_older_version:
                self.observer.say(
                    "this run was made by an older version: its data set is kept, everything learned is learned again"
                )
            for stage in self.run.config.way_to(last):
                if self.run.finished(stage.name) and not (stage.name == "evaluate" and self._evaluates_again()):
                    self.observer.say(f"{stage.name}: done already")
                else:
                    WORK[stage.name](self)
                    self.observer.wrote(stage.name, self.run.stage_files(stage.name))

    def _evaluates_again(self) -> bool:
        """Return whether searches have crashed, or pictures of instances were changed since."""
        results = self.results()
        return bool(results.crashed) or any(pictures_changed(self.run.path, record) for record in results.records)
