"""What a studio is opened on: a run folder, or a bundle; its model, its pictures and the plans it has already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from cubespace.base.arrays import Images
from cubespace.base.files import well_formed
from cubespace.base.observer import Observer
from cubespace.evaluation.judge import Verdict
from cubespace.evaluation.problems import Problem
from cubespace.plugins.catalogue import Catalogue
from cubespace.report.run_files import facts_of
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.folder.trace_file import TRACE, load_trace
from cubespace.runs.pictures.bundle import open_planning
from cubespace.runs.pictures.plan import PicturePlan, Planning
from cubespace.runs.pictures.solving import Solution, folder_name
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.runs.stages.planned import planned_run
from cubespace.search.solver import Limits, Outcome, SearchResult, Statistics
from cubespace.settings.recipe import Execution
from cubespace.symbols.strips import StripsModel

MAX_PICTURES = 24  # of the test split, to choose from
MAX_PLANS = 60  # of the run, on one page, to keep it small
STATISTICS = tuple(field.name for field in attrs.fields(Statistics))


@attrs.frozen(eq=False, kw_only=True)
class Source:
    """A model that plans, and pictures to plan between."""

    title: str
    planning: Planning
    pictures: Images  # of the test split; none in a bundle
    solved: tuple[PicturePlan, ...] = ()  # by the run, planner after planner
    planners: tuple[str, ...] = ()  # of the run


def open_source(path: Path, catalogue: Catalogue, execution: Execution) -> Source:
    """Open a run folder, or a bundle."""
    if path.is_file():
        planning = open_planning(path, catalogue, execution)
        none = np.zeros((0, *planning.code.image_shape), dtype=np.uint8)
        source = Source(title=path.stem, planning=planning, pictures=none)
    else:
        run = RunFolder.load(path, catalogue)
        pipeline = Pipeline(run, catalogue, execution, Observer())
        planning = Planning.of(pipeline)
        source = Source(
            title=facts_of(run).name,
            planning=planning,
            pictures=pipeline.transitions().test.before[:MAX_PICTURES],
            solved=tuple(_solved(pipeline, planning)),
            planners=run.config.plan.planners,
        )
    return source


def _solved(pipeline: Pipeline, planning: Planning) -> list[PicturePlan]:
    """Return what came of the instances of a run, as far as they are done; of each planner as many."""
    if not pipeline.run.finished("evaluate"):
        return []
    results = pipeline.results()
    with well_formed(pipeline.run.path):
        model, limits = planned_run(pipeline).strips, Limits(**results["limits"])
        rows: Mapping[str, Any] = results["planners"]
        each = max(1, MAX_PLANS // max(1, len(rows)))
        records = [record for row in rows.values() for record in row["records"][:each]]
        return [made for record in records if (made := _read(pipeline.run, planning, model, limits, record))]


def _read(
    run: RunFolder, planning: Planning, model: StripsModel, limits: Limits, record: Mapping[str, Any]
) -> PicturePlan | None:
    """Return what came of an instance, from its record and files; None if the files are not those of the record."""
    problems = run.file("problems")
    if record["problem"] not in {folder.name for folder in problems.iterdir()}:  # never a path out of the run
        return None
    folder = problems / record["problem"]
    plan = None if record["plan"] is None else tuple(record["plan"])
    trace = load_trace(folder / folder_name(record["planner"]) / TRACE, record["trace"])
    if (plan is None) != (trace is None):
        return None
    search = SearchResult(
        outcome=Outcome(record["outcome"]),
        plan=plan,
        trace=trace,
        statistics=Statistics(**{name: record.get(name) for name in STATISTICS}),
        wall_seconds=record["seconds"],
        latent=record.get("latent", False),
        detail=record["detail"],
    )
    init, goal = (planning.picture(folder / f"{name}.png") for name in ("init", "goal"))
    return PicturePlan(
        problem=Problem(name=record["problem"], init=init, goal=goal),
        model=model,
        planner=record["planner"],
        limits=limits,
        solution=_solution(planning, search, record),
        reach=None,
        known={name: record.get(name) for name in planning.memory.count(None)},
    )


def _solution(planning: Planning, search: SearchResult, record: Mapping[str, Any]) -> Solution:
    """Return a search with the frames of its plan, drawn again, and the verdict on record."""
    if search.trace is None:
        return Solution(search=search)
    verdict = Verdict(
        valid=record["valid"],
        optimal=record["optimal"],
        reason=record["reason"],
        step=record["wrong_step"],
        fault=record.get("fault", ""),
    )
    return Solution(search=search, frames=planning.code.draw(search.trace), verdict=verdict)


def instances(solved: Sequence[PicturePlan]) -> list[Problem]:
    """Return the problems that were solved, each once."""
    return list({made.problem.name: made.problem for made in solved}.values())
