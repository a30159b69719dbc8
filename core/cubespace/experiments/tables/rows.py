"""The results of many runs: a row for each run and planner, read from the run folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.errors import InputError
from cubespace.base.files import read_json
from cubespace.base.records import read_record
from cubespace.experiments.matrix import CELLS, PLANNER, SEED, cells_of, read_matrix
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.manifest import StageRecord
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.run_config import SHORT_NAMES, flat
from cubespace.settings.stages import DIAGNOSIS, EXTRACTION, LEARNER, MEASURES, RESULTS

FILES = {MEASURES: "train", LEARNER: "train", RESULTS: "evaluate", DIAGNOSIS: "diagnose"}
Table = Mapping[str, Any]


@attrs.frozen(kw_only=True)
class RunFacts:
    """The files of a run, each empty if its stage is not finished with the current settings."""

    run: RunFolder
    values: Mapping[str, str]  # of the axes of its matrix
    settings: Table  # by full name
    measures: Table
    learner: Table
    extraction: ExtractionRecord | None
    results: Table
    diagnosis: Table
    stages: Mapping[str, StageRecord]  # the manifest's record of each finished stage

    def key(self, stage: str) -> str:
        """Return the identity of a stage: equal for runs that share it."""
        return self.run.config.key(stage)

    def value(self, axis: str) -> str:
        """Return the value of an axis: that of the matrix, or of a setting by its short or full name."""
        if axis in self.values:
            return self.values[axis]
        full = SHORT_NAMES.get(axis, (axis,))[0]
        if full not in self.settings:
            raise InputError(f"{self.run.path} has no axis or setting '{axis}'")
        value = self.settings[full]
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@attrs.frozen(kw_only=True)
class Row:
    """A run and one of its planners; the planner's part is empty if the run has not been evaluated."""

    facts: RunFacts
    planner: str
    plans: Table

    def value(self, axis: str) -> str:
        """Return the value of an axis."""
        return self.planner if axis == PLANNER else self.facts.value(axis)


def read_runs(paths: Sequence[Path], catalogue: Catalogue | None = None) -> list[RunFacts]:
    """Read run folders and matrix folders; of a matrix, the cells that its file defines and that were started."""
    loaded = catalogue or load_plugins()
    runs: list[RunFacts] = []
    for path in paths:
        if (path / "matrix.toml").is_file():
            cells = cells_of(read_matrix(path), path, loaded)
            begun = [cell for cell in cells if (cell.folder / "config.toml").is_file()]
            runs += [_facts(RunFolder.load(cell.folder, loaded), cell.values) for cell in begun]
        elif (path / CELLS).is_dir() and not (path / "config.toml").is_file():
            raise InputError(f"{path} has cells but no matrix.toml: name the run folders in {path / CELLS}")
        else:
            runs.append(_facts(RunFolder.load(path, loaded), {}))
    if not any(facts.stages for facts in runs):
        raise InputError("none of these runs has a finished stage: there is nothing to put into a table")
    return runs


def planner_rows(runs: Sequence[RunFacts]) -> list[Row]:
    """Return a row for each run and planner."""
    return [
        Row(facts=facts, planner=planner, plans=plans)
        for facts in runs
        for planner, plans in (facts.results.get("planners") or {"": {}}).items()
    ]


def varying_axes(runs: Sequence[RunFacts]) -> list[str]:
    """Return the axes in which runs differ, apart from seeds and planners: those of a matrix, or else settings."""
    given = list(dict.fromkeys(axis for facts in runs for axis in facts.values))
    if not given:
        given = [key for key in runs[0].settings if len({repr(facts.settings.get(key)) for facts in runs}) > 1]
    short = {full: name for name, fulls in SHORT_NAMES.items() if len(fulls) == 1 for full in fulls}
    axes = [short.get(axis, axis) for axis in given]
    seeds = {SEED, *SHORT_NAMES[SEED]}
    varying = [axis for axis in axes if axis not in (PLANNER, "planners") and axis not in seeds]
    return [axis for axis in varying if len({facts.value(axis) for facts in runs}) > 1] or ["domain"]


def _facts(run: RunFolder, values: Mapping[str, str]) -> RunFacts:
    stages = {name: record for name, record in run.records().items() if run.finished(name)}
    tables = {
        file.removesuffix(".json"): _table(run.file(file)) if stage in stages else {} for file, stage in FILES.items()
    }
    extraction = read_record(ExtractionRecord, run.file(EXTRACTION)) if "extract" in stages else None
    settings = flat(attrs.asdict(run.config))
    return RunFacts(run=run, values=values, settings=settings, stages=stages, extraction=extraction, **tables)


def _table(path: Path) -> Table:
    table = read_json(path)
    if not isinstance(table, dict):
        raise InputError(f"'{path}' is damaged")
    return table
