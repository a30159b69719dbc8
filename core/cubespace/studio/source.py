"""What a studio is opened on: a run folder, or a bundle; its model, its pictures and the plans it has already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np

from cubespace.base.arrays import Images
from cubespace.base.observer import Observer
from cubespace.evaluation.doubts import Doubt
from cubespace.evaluation.memorisation import Memorised
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.problems import Problem
from cubespace.plugins.catalogue import Catalogue
from cubespace.report.run_files import facts_of
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.plan_files import (
    GOAL_PICTURE,
    INIT_PICTURE,
    PROBLEMS,
    pictures_changed,
    plan_folder,
    problem_folder,
)
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.folder.trace_file import TRACE, load_trace
from cubespace.runs.pictures.opening import open_planning
from cubespace.runs.pictures.plan import PicturePlan, Planning
from cubespace.runs.pictures.solving import Solution
from cubespace.runs.stages.planned import planned_run
from cubespace.search.solver import Limits, Outcome
from cubespace.settings.recipe import Execution
from cubespace.symbols.strips import StripsModel

MAX_PICTURES = 24  # of the test split, to choose from
MAX_PLANS = 60  # of the run, on one page, to keep it small


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
        run = RunContents(RunFolder.load(path, catalogue), catalogue, execution, Observer())
        planning = Planning.of(run)
        source = Source(
            title=facts_of(run.run).name,
            planning=planning,
            pictures=run.transitions().test.before[:MAX_PICTURES],
            solved=tuple(_solved(run, planning)),
            planners=run.run.config.plan.planners,
        )
    return source


def _solved(run: RunContents, planning: Planning) -> list[PicturePlan]:
    """Return the plans of the instances of a run, as far as they are done; of each planner as many."""
    if not run.run.finished("evaluate"):
        return []
    results = run.results()
    model = planned_run(run).strips
    each = max(1, MAX_PLANS // max(1, len(results.planners)))
    records = [record for row in results.planners.values() for record in row.records[:each]]
    plans = (_read(run.run.path, planning, model, results.limits, record) for record in records)
    return [plan for plan in plans if plan is not None]


def _read(run: Path, planning: Planning, model: StripsModel, limits: Limits, record: PlanRecord) -> PicturePlan | None:
    """Return the plan of an instance, from its record and files; None if the files are not those of the record."""
    if record.problem not in {folder.name for folder in (run / PROBLEMS).iterdir()}:  # never a path out of the run
        return None
    trace = load_trace(plan_folder(run, record.problem, record.planner) / TRACE, record.trace)
    if record.found != (trace is not None) or record.outcome not in list(Outcome) or pictures_changed(run, record):
        return None
    folder = problem_folder(run, record.problem)
    return PicturePlan(
        problem=Problem(
            name=record.problem,
            init=planning.picture(folder / INIT_PICTURE),
            goal=planning.picture(folder / GOAL_PICTURE),
        ),
        model=model,
        planner=record.planner,
        limits=limits,
        solution=Solution.restored(record, trace, None if trace is None else planning.code.draw(trace)),
        reach=None,
        memorised=Memorised(
            known_states=record.known_states,
            known_transitions=record.known_transitions,
            unseen_steps=record.unseen_steps,
        ),
        doubt=None if record.lacking is None else Doubt(lacking=record.lacking, doubtful_steps=record.doubtful_steps),
    )


def instances(solved: Sequence[PicturePlan]) -> list[Problem]:
    """Return the problems that were solved, each once."""
    return list({made.problem.name: made.problem for made in solved}.values())
