"""The Python interface: learn, look at what was learned, plan between pictures. ``import cubespace`` gives all of it.

run = cubespace.run(domain="lightsout")
plan = run.plan("start.png", "end.png")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
from PIL import Image

from cubespace.base.arrays import Images
from cubespace.base.errors import UsageError
from cubespace.base.observer import Observer
from cubespace.base.records import as_table
from cubespace.data.domain import Domain
from cubespace.data.transitions import Transitions
from cubespace.experiments.sweep import Sweep, matrix
from cubespace.experiments.tables.results import Results
from cubespace.experiments.tables.rows import read_runs
from cubespace.experiments.tables.table import DEFAULT_COLUMNS, Problems, Table, make_table
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.runs.folder.run_folder import RunFolder, default_folder
from cubespace.runs.pictures.plan import PicturePlan, Planning
from cubespace.runs.pictures.solving import Given, plan_strip, refuse_missing
from cubespace.runs.stages.lift import LiftedRun, read_lifted
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.search.solver import DEFAULT_LIMITS, Limits
from cubespace.settings.check import resolve_components
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import DEFAULT_PLANNER, SHORT_NAMES, RunConfig, flat, load_config
from cubespace.symbols.strips import StripsModel

__all__ = ["LiftedRun", "Plan", "Run", "Strips", "Sweep", "matrix", "run", "table", "train"]

Config = RunConfig | Mapping[str, object] | str | Path | None


def run(
    config: Config = None,
    *,
    preset: str | None = None,
    folder: Path | str | None = None,
    observer: Observer | None = None,
    execution: Execution | None = None,
    **settings: object,
) -> Run:
    """Learn from a domain's pictures and plan between two of them, as ``cube run`` does; what is done is kept.

    ``config`` is a configuration, a table of settings such as ``{"train.epochs": 50}``, or a TOML file; a
    ``preset``, if named, goes below it. Keyword settings go on top: those that the command line has an option for by
    its name, any other one with two underscores for the dot, as in ``run(domain="mnist", apply="btl",
    train__epochs=50)``.
    """
    return _work("evaluate", config, preset, settings, folder, observer, execution)


def train(
    config: Config = None,
    *,
    preset: str | None = None,
    folder: Path | str | None = None,
    observer: Observer | None = None,
    execution: Execution | None = None,
    **settings: object,
) -> Run:
    """Make the data, learn and extract the STRIPS model, but solve nothing yet. Arguments as for :func:`run`."""
    return _work("extract", config, preset, settings, folder, observer, execution)


def table(
    *runs: Path | str,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    values: Sequence[str] = DEFAULT_COLUMNS,
    problems: Problems = "common",
) -> Table:
    """Return what run folders, or the cells of a matrix, came to, as ``cube tables`` does.

    ``rows`` and ``columns`` are axes; ``values`` are measures such as ``"plans"`` or ``"recall:min"``. Means over
    ``problems`` are over those that all planners solved, or over those that each ``"solved"``. The table has
    ``records()`` and ``to_frame()``.
    """
    return make_table(read_runs([Path(path) for path in runs]), rows, columns, values, problems)


class Strips(StripsModel):
    """A STRIPS model that shows itself in a notebook."""

    def _repr_html_(self) -> str:
        from cubespace.report.notebook import strips_html

        return strips_html(self)


class Plan:
    """What came of planning from one picture to another."""

    def __init__(self, result: PicturePlan) -> None:
        self.result = result

    @property
    def found(self) -> bool:
        """Return whether there is a plan."""
        return self.result.solution is not None and self.result.solution.found

    @property
    def ending(self) -> str:
        """Return what the plan is worth: valid, validity unknown, not valid, no plan, or goal cannot be reached."""
        return str(self.result.ending)

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions, in order; none if there is no plan."""
        return self.result.actions

    @property
    def unseen_steps(self) -> tuple[int, ...]:
        """Return the steps, counted from 1, that no training pair shows: look at these first."""
        return self.result.memorised.unseen_steps or ()

    @property
    def frames(self) -> Images | None:
        """Return the pictures of the plan, from the first state to the last."""
        return self.result.solution.frames if self.result.solution else None

    @property
    def record(self) -> Mapping[str, Any]:
        """Return outcome, verdict and statistics: what ``cube plan --json`` prints."""
        return as_table(self.result.record())

    def strip(self) -> Image.Image:
        """Return the plan as a film strip between the two given pictures."""
        record = self.result.record()
        if self.frames is None:
            raise UsageError(f"there is no plan to show: {record.outcome}")
        return plan_strip(self.result.problem, self.frames, record)

    def save(self, folder: Path | str) -> Path:
        """Write plan, film strip, animation and record into a folder, and return it."""
        self.result.save(Path(folder), self.result.record())
        return Path(folder)

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.actions)

    def __repr__(self) -> str:
        """Return outcome and length."""
        return f"<Plan by {self.result.planner}: {self.result.record().outcome}, {len(self)} steps, {self.ending}>"

    def _repr_html_(self) -> str:
        from cubespace.report.notebook import plan_html

        problem = self.result.problem
        return plan_html(problem.init[0], problem.goal[0], self.frames, self.result.record())


@attrs.frozen(eq=False, repr=False)
class Run:
    """A run folder and all that came of it."""

    folder: RunFolder
    catalogue: Catalogue = attrs.field(factory=load_plugins)

    @classmethod
    def load(cls, path: Path | str) -> Run:
        """Open an existing run folder."""
        return cls(RunFolder.load(path))

    @property
    def path(self) -> Path:
        """Return where the run is."""
        return self.folder.path

    @property
    def config(self) -> RunConfig:
        """Return its settings."""
        return self.folder.config

    @property
    def results(self) -> Results:
        """Return the table of plans found, valid and optimal, by planner, with a record for every instance."""
        return Results(self._pipeline.results())

    @property
    def data(self) -> Transitions:
        """Return the pictures that were learned from, and those held out."""
        return self._pipeline.transitions()

    @cached_property
    def domain(self) -> Domain:
        """Return the source of the pictures."""
        return self._pipeline.domain()

    @cached_property
    def code(self) -> Code:
        """Return what was learned: pictures to bits and back and, if they were learned too, actions."""
        return self._pipeline.code()

    @cached_property
    def strips(self) -> Strips:
        """Return the learned model."""
        return Strips(**attrs.asdict(self._pipeline.strips(), recurse=False))

    def plan(
        self,
        init: Given,
        goal: Given,
        planner: str = DEFAULT_PLANNER,
        *,
        time_limit: float = DEFAULT_LIMITS.seconds,
        memory_limit: int = DEFAULT_LIMITS.megabytes,
        resize: bool = False,
        anyway: bool = False,
        observer: Observer | None = None,
    ) -> Plan:
        """Find a plan from one picture to another; pictures are files or arrays of bytes.

        ``anyway`` searches even if the simulator proves that the goal cannot be reached.
        """
        solver = self.catalogue.create("planner", planner)
        refuse_missing({planner: solver})
        limits = Limits(seconds=time_limit, megabytes=memory_limit)
        result = self._planning.plan(
            init, goal, planner, solver, limits, resize=resize, anyway=anyway, observer=observer
        )
        return Plan(result)

    def lift(self, observer: Observer | None = None) -> LiftedRun:
        """Find objects, places and schemas in the training pairs, as ``cube lift`` does; what is done is kept."""
        pipeline = attrs.evolve(self._pipeline, observer=observer or Observer())
        pipeline.until("lift")
        return read_lifted(pipeline)

    def picture(self, given: Given, resize: bool = False) -> Images:
        """Return a picture as a batch of one, in the size and colours trained on; scaled if training pictures were."""
        return self._planning.picture(given, resize)

    def report(self, output: Path | str | None = None) -> Path:
        """Write the report, by default into the run folder, and return where it is."""
        from cubespace.report import write_report

        return write_report([self.path], self.catalogue, output)

    @cached_property
    def _planning(self) -> Planning:
        return Planning.of(self._pipeline)

    def __repr__(self) -> str:
        """Return the domain, who learned and how, and the folder."""
        made_by = self._pipeline.learner().summary if self.folder.finished("train") else "nothing learned yet"
        return f"<Run of {self.config.domain} in {self.path}: {made_by}>"

    def _repr_html_(self) -> str:
        from cubespace.report.notebook import run_html

        return run_html(self)

    @property
    def _pipeline(self) -> Pipeline:
        return Pipeline(self.folder, self.catalogue, Execution(), Observer())


def configure(config: Config, settings: Mapping[str, object], preset: str | None = None) -> RunConfig:
    """Return the configuration that the arguments of :func:`run` amount to."""
    table: dict[str, object] = {}
    if isinstance(config, RunConfig):
        if preset is not None:
            raise UsageError(f"preset '{preset}' has no say under a whole RunConfig: give a table or a file instead")
        table = flat(attrs.asdict(config))
    elif isinstance(config, Mapping):
        table = flat(config)
    for name, value in settings.items():
        for key in SHORT_NAMES.get(name, (name.replace("__", "."),)):
            table[key] = value
    return load_config(Path(config) if isinstance(config, str | Path) else None, table, preset)


def _work(
    last: str,
    config: Config,
    preset: str | None,
    settings: Mapping[str, object],
    folder: Path | str | None,
    observer: Observer | None,
    execution: Execution | None,
) -> Run:
    """Do the stages up to ``last``."""
    loaded = load_plugins()
    wanted = resolve_components(loaded, configure(config, settings, preset))
    opened = RunFolder.prepare(Path(folder) if folder else default_folder(wanted), wanted, loaded)
    Pipeline(opened, loaded, execution or Execution(), observer or Observer()).until(last)
    return Run(opened, loaded)
