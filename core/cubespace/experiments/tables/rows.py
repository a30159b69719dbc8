"""The results of many runs: a row for each run and planner, read from the run folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.errors import InputError
from cubespace.base.leftovers import refuse_links
from cubespace.base.options import suggestion
from cubespace.base.records import read_record
from cubespace.evaluation.diagnosis_record import DiagnosisRecord, read_diagnosis
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.summary import PlannerResults
from cubespace.experiments.cell_folders import CELLS, CellFolders
from cubespace.experiments.matrix import PLANNER, SEED, MatrixCell, cells_of, read_matrix
from cubespace.experiments.sharing import finished_stages
from cubespace.learning.learner_record import LearnerRecord
from cubespace.learning.measures import HeldOutMeasures
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.extraction_file import ExtractionRecord
from cubespace.runs.folder.manifest import StageRecord
from cubespace.runs.folder.results_file import RunResults
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.recipe import AUTO
from cubespace.settings.run_config import SHORT_NAMES, RunConfig, flat, with_settings
from cubespace.settings.stages import DIAGNOSIS, EXTRACTION, LEARNER, MEASURES, RESULTS

MADE_BY = "learner"  # the axis
SEEDS = (*SHORT_NAMES[SEED], "lift.seed", "diagnose.seed")
OF_PROBLEMS = ("domain", "data.spoil.", "plan.length", "plan.instances", "plan.random_goals")  # settings that make them
ProblemIdentity = tuple[str, ...]


@attrs.frozen(kw_only=True)
class RunFacts:
    """The files of a run, each None if its stage is not finished with the current settings."""

    run: RunFolder
    values: Mapping[str, str]  # of the axes of its matrix
    settings: Mapping[str, Any]  # by full name
    measures: HeldOutMeasures | None
    learner: LearnerRecord | None
    extraction: ExtractionRecord | None
    results: RunResults | None
    diagnosis: DiagnosisRecord | None
    stages: Mapping[str, StageRecord]  # the manifest's record of each finished stage

    def key(self, stage: str) -> str:
        """Return the identity of a stage: equal for runs that share it."""
        return self.run.config.key(stage)

    def setting(self, stage: str, planner: str | None = None) -> str:
        """Return the identity of a stage without its seeds: equal for runs that differ in nothing else.

        Of several planners, only the one that is named counts.
        """
        plain = self._seedless
        plan = plain.plan if planner is None else attrs.evolve(plain.plan, planners=(planner,))
        return attrs.evolve(plain, plan=plan).key(stage)

    @cached_property
    def of_problems(self) -> tuple[str, ...]:
        """Return the settings that make the problems of this run, and its seeds."""
        settings = self.settings.items()
        return tuple(str(value) for key, value in settings if key.startswith(OF_PROBLEMS) or key in SEEDS)

    @cached_property
    def _seedless(self) -> RunConfig:
        return with_settings(self.run.config, dict.fromkeys(SEEDS, 0))

    def value(self, axis: str) -> str:
        """Return the value of an axis: that of the matrix, or of a setting by its short or full name.

        A learner is the one that made the model, whichever the settings name.
        """
        if axis == MADE_BY and self.learner is not None:
            return f"{self.learner.title}{' (auto)' if self.run.config.learner.name == AUTO else ''}"
        if axis in self.values:
            return self.values[axis]
        full = SHORT_NAMES.get(axis, (axis,))[0]
        if full not in self.settings:
            known = [PLANNER, *self.values, *SHORT_NAMES, *self.settings]
            raise InputError(f"{self.run.path} has no axis or setting '{axis}'. {suggestion(axis, known)}".rstrip())
        value = self.settings[full]
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@attrs.frozen(kw_only=True)
class Row:
    """A run and one of its planners; without results if the run has not been evaluated."""

    facts: RunFacts
    planner: str
    plans: PlannerResults | None
    common: frozenset[ProblemIdentity] | None = None  # the problems that all compared planners solved; None: any

    @property
    def records(self) -> Sequence[PlanRecord]:
        """Return the record of every instance; none if the run has not been evaluated."""
        return self.plans.records if self.plans else ()

    @property
    def compared(self) -> list[PlanRecord]:
        """Return the records of the solved problems over which means are taken."""
        solved = [record for record in self.records if record.found]
        return [record for record in solved if self.common is None or self.problem(record) in self.common]

    def problem(self, record: PlanRecord) -> ProblemIdentity:
        """Return what tells the problem of a record from others, for models of one seed: whoever solves it."""
        return (*self.facts.of_problems, record.problem)

    def identity(self, stage: str, *, of_planner: bool) -> tuple[str, str]:
        """Return what tells a result from others: rows that share a stage are one result."""
        return self.facts.key(stage), self.planner if of_planner else ""

    def setting(self, stage: str, *, of_planner: bool) -> str:
        """Return what tells the settings behind a result from others, apart from seeds."""
        return self.facts.setting(stage, self.planner if of_planner else None)

    def value(self, axis: str) -> str:
        """Return the value of an axis."""
        return self.planner if axis == PLANNER else self.facts.value(axis)


def read_runs(paths: Sequence[Path], catalogue: Catalogue | None = None) -> list[RunFacts]:
    """Read run folders and matrix folders; of a matrix, the cells that its file defines, begun or not."""
    loaded = catalogue or load_plugins()
    runs: list[RunFacts] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no folder '{path}'")
        if (path / "matrix.toml").is_file():
            cells = cells_of(read_matrix(path), path, loaded)
            runs += [_facts(_run_of(cell, loaded), cell.values) for cell in cells]
        elif (path / CELLS).is_dir() and not (path / "config.toml").is_file():
            raise InputError(f"{path} has cells but no matrix.toml: name the run folders in {path / CELLS}")
        else:
            runs.append(_facts(RunFolder.load(path, loaded), {}))
    if not any(facts.stages for facts in runs):
        raise InputError("none of these runs has a finished stage: there is nothing to put into a table")
    return runs


def former_runs(paths: Sequence[Path]) -> dict[Path, int]:
    """Return how many runs matrices have of axes that they had before, which are not among their cells now."""
    loaded, counts = load_plugins(), dict[Path, int]()
    for path in paths:
        if (path / "matrix.toml").is_file():
            cells = cells_of(read_matrix(path), path, loaded)
            counts[path] = len(list(CellFolders.of(path).others({cell.folder for cell in cells})))
    return {path: count for path, count in counts.items() if count}


def planner_rows(runs: Sequence[RunFacts]) -> list[Row]:
    """Return a row for each run and planner, of runs that are not evaluated yet too."""
    rows: list[Row] = []
    for facts in runs:
        planners = {} if facts.results is None else facts.results.planners
        names = planners or facts.settings["plan.planners"]
        rows += [Row(facts=facts, planner=name, plans=planners.get(name)) for name in names]
    return rows


def on_common_problems(rows: Sequence[Row]) -> list[Row]:
    """Return rows whose means are over the problems that every one of them solved, of those that were given them."""
    failed, solved = set[ProblemIdentity](), set[ProblemIdentity]()
    for row in rows:
        for record in row.records:
            (solved if record.found else failed).add(row.problem(record))
    common = frozenset(solved - failed)
    return [attrs.evolve(row, common=common) for row in rows]


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


def _run_of(cell: MatrixCell, catalogue: Catalogue) -> RunFolder:
    """Return the run of a cell with the settings that the matrix gives it, which those in its folder should be."""
    if cell.folder.is_dir():
        refuse_links(cell.folder)
    return RunFolder(cell.folder, cell.config, catalogue)


def _facts(run: RunFolder, values: Mapping[str, str]) -> RunFacts:
    finished = finished_stages(run)
    stages = {name: record for name, record in run.records().items() if name in finished}
    return RunFacts(
        run=run,
        values=values,
        settings=flat(attrs.asdict(run.config)),
        stages=stages,
        measures=read_record(HeldOutMeasures, run.file(MEASURES)) if "train" in stages else None,
        learner=read_record(LearnerRecord, run.file(LEARNER)) if "train" in stages else None,
        extraction=read_record(ExtractionRecord, run.file(EXTRACTION)) if "extract" in stages else None,
        results=read_record(RunResults, run.file(RESULTS)) if "evaluate" in stages else None,
        diagnosis=read_diagnosis(run.file(DIAGNOSIS)) if "diagnose" in stages else None,
    )
