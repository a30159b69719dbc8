"""The runs that a table leaves out: their stage is not finished, so nothing of it enters a mean or a count."""

from __future__ import annotations

from collections.abc import Sequence

from cubespace.base.words import listed
from cubespace.experiments.tables.columns import Column
from cubespace.experiments.tables.measures import MEASURES, PLAN_COUNTS
from cubespace.experiments.tables.rows import RunFacts
from cubespace.settings.stages import STAGES


def left_out(runs: Sequence[RunFacts], columns: Sequence[Column]) -> str:
    """Return which runs lack a finished stage that a column shows and that other runs have; "" if there are none."""
    needed = {_stage(column) for column in columns}
    return "; ".join(filter(None, (_without(runs, stage) for stage in STAGES if stage in needed)))


def _stage(column: Column) -> str | None:
    """Return the stage that a column is read from."""
    if column.name in PLAN_COUNTS:
        return "evaluate"
    return MEASURES[column.name].stage if column.name in MEASURES else None


def _without(runs: Sequence[RunFacts], stage: str) -> str:
    names = list(dict.fromkeys(facts.run.path.name for facts in runs if stage not in facts.stages))
    if not names or len(names) == len({facts.run.path.name for facts in runs}):
        return ""
    are = "run is" if len(names) == 1 else "runs are"
    return f"{len(names)} {are} left out, without a finished stage '{stage}': {listed(names, ', ')}"
