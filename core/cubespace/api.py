"""The Python interface: learn, look at what was learned, plan between pictures. ``import cubespace`` gives all of it.

run = cubespace.run(domain="lightsout")
plan = run.plan("start.png", "end.png")
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace import evaluation, planning, runs
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.components import check_components
from cubespace.config import RunConfig, flat, load_config
from cubespace.domains import Domain, Images
from cubespace.errors import InputError, UsageError
from cubespace.filmstrip import film_strip
from cubespace.pictures import read_picture
from cubespace.pipeline import Pipeline
from cubespace.planners import Limits
from cubespace.plugins import Catalogue, load_plugins
from cubespace.recipe import Execution
from cubespace.reporting import Reporter, Silent
from cubespace.strips import StripsModel, Task
from cubespace.transitions import Transitions

__all__ = ["Plan", "Run", "Strips", "run", "train"]

Config = RunConfig | Mapping[str, object] | str | Path | None
Given = str | Path | NDArray[np.uint8]  # a picture: its file, or its pixels


def run(
    config: Config = None,
    *,
    preset: str | None = None,
    folder: Path | str | None = None,
    reporter: Reporter | None = None,
    execution: Execution | None = None,
    **settings: object,
) -> Run:
    """Learn from a domain's pictures and plan between two of them, as ``cube run`` does; what is done is kept.

    ``config`` is a configuration, a table of settings such as ``{"train.epochs": 50}``, or a TOML file; a
    ``preset``, if named, goes below it. Keyword settings go on top: those that the command line has an option for by
    its name, any other one with two underscores for the dot, as in ``run(domain="mnist", apply="btl",
    train__epochs=50)``.
    """
    return _work("plan", config, preset, settings, folder, reporter, execution)


def train(
    config: Config = None,
    *,
    preset: str | None = None,
    folder: Path | str | None = None,
    reporter: Reporter | None = None,
    execution: Execution | None = None,
    **settings: object,
) -> Run:
    """Make the data, learn and extract the STRIPS model, but solve nothing yet. Arguments as for :func:`run`."""
    return _work("extract", config, preset, settings, folder, reporter, execution)


class Strips(StripsModel):
    """A STRIPS model that shows itself in a notebook."""

    def _repr_html_(self) -> str:
        from cubespace.report.notebook import strips_html

        return strips_html(self)


class Plan:
    """What came of planning from one picture to another."""

    def __init__(self, problem: planning.Problem, task: Task, solution: planning.Solution, planner: str) -> None:
        self.problem, self.task, self.solution, self.planner = problem, task, solution, planner

    @property
    def found(self) -> bool:
        """Return whether there is a plan."""
        return self.solution.found

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the names of the actions, in order; none if there is no plan."""
        return tuple(self.task.model.names[row] for row in self.solution.search.plan or ())

    @property
    def frames(self) -> Images | None:
        """Return the pictures of the plan, from the first state to the last."""
        return self.solution.frames

    @property
    def record(self) -> dict[str, Any]:
        """Return outcome, verdict and statistics: what ``cube plan --json`` prints."""
        return {"planner": self.planner, **self.solution.record()}

    def strip(self) -> Image.Image:
        """Return the plan as a film strip between the two given pictures."""
        if self.frames is None:
            raise UsageError(f"there is no plan to show: {self.solution.search.outcome}")
        wrong = self.solution.verdict.step if self.solution.verdict else None
        return film_strip(self.problem.init, self.problem.goal, self.frames, wrong)

    def save(self, folder: Path | str) -> Path:
        """Write plan, film strip, animation and record into a folder, and return it."""
        evaluation.write_solution(Path(folder), self.problem, self.task, self.solution, self.record)
        return Path(folder)

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.actions)

    def __repr__(self) -> str:
        """Return outcome and length."""
        return f"<Plan by {self.planner}: {self.solution.search.outcome}, {len(self)} steps>"

    def _repr_html_(self) -> str:
        from cubespace.report.notebook import plan_html

        return plan_html(self.problem.init[0], self.problem.goal[0], self.frames, self.record)


@attrs.frozen(eq=False)
class Run:
    """A run folder and all that came of it."""

    folder: runs.Run
    catalogue: Catalogue = attrs.field(factory=load_plugins, repr=False)

    @classmethod
    def load(cls, path: Path | str) -> Run:
        """Open an existing run folder."""
        return cls(runs.Run.load(path))

    @property
    def path(self) -> Path:
        """Return where the run is."""
        return self.folder.path

    @property
    def config(self) -> RunConfig:
        """Return its settings."""
        return self.folder.config

    @property
    def results(self) -> dict[str, Any]:
        """Return the table of plans found, valid and optimal, by planner, with a record for every instance."""
        self._pipeline.require("plan")
        return self._pipeline.results()

    @property
    def data(self) -> Transitions:
        """Return the pictures that were learned from, and those held out."""
        return self._pipeline.transitions()

    @cached_property
    def domain(self) -> Domain:
        """Return the source of the pictures."""
        return self._pipeline.domain()

    @cached_property
    def network(self) -> SpaceAutoEncoder:
        """Return the trained network; :mod:`cubespace.inference` has what can be done with it."""
        self._pipeline.require("train")
        return self._pipeline.network()

    @cached_property
    def strips(self) -> Strips:
        """Return the learned model."""
        self._pipeline.require("extract")
        return Strips(**attrs.asdict(self._pipeline.strips(), recurse=False))

    def plan(
        self,
        init: Given,
        goal: Given,
        planner: str = "fd-lmcut",
        *,
        time_limit: float = 900.0,
        memory_limit: int = 2048,
        resize: bool = False,
    ) -> Plan:
        """Find a plan from one picture to another; pictures are files or arrays of bytes."""
        backend = self.catalogue.create("planner", planner)
        planning.refuse_missing({planner: backend})
        pictures = [self.picture(given, resize) for given in (init, goal)]
        problem = planning.own_problem(self.domain, *pictures)
        task = planning.make_task(self.network, self.strips, problem)
        limits = Limits(seconds=time_limit, megabytes=memory_limit)
        solution = planning.solve_problem(self.network, task, problem, backend, limits, self.domain)
        return Plan(problem, task, solution, planner)

    def picture(self, given: Given, resize: bool = False) -> Images:
        """Return a picture as a batch of one, in the size and colours that the network was trained on."""
        shape = self.network.image_shape
        if isinstance(given, str | Path):
            size = (shape[0], shape[1]) if resize else None
            pixels = np.array(read_picture(Path(given), "grey" if len(shape) == 2 else "rgb", size))
        else:
            pixels = np.ascontiguousarray(given)
        if pixels.shape != shape or pixels.dtype != np.uint8:
            found, wanted = ("x".join(map(str, each)) for each in (pixels.shape, shape))
            raise InputError(f"a picture is {found} of {pixels.dtype}, the model was trained on {wanted} of uint8")
        return pixels[None]

    def report(self, output: Path | str | None = None) -> Path:
        """Write the report, by default into the run folder, and return where it is."""
        from cubespace.report import write_report

        return write_report([self.path], output, self.catalogue)

    def _repr_html_(self) -> str:
        from cubespace.report.notebook import run_html

        return run_html(self)

    @property
    def _pipeline(self) -> Pipeline:
        return Pipeline(self.folder, self.catalogue, Execution(), Silent())


# what the command line calls by a short name
SHORT = {
    "apply": ("model.apply",),
    "precondition": ("extract.precondition",),
    "planners": ("plan.planners",),
    "instances": ("plan.instances",),
    "length": ("plan.length",),
    "time_limit": ("plan.time_limit",),
    "memory_limit": ("plan.memory_limit",),
    "seed": ("data.seed", "train.seed", "extract.seed", "plan.seed"),
}


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
        for key in SHORT.get(name, (name.replace("__", "."),)):
            table[key] = value
    return load_config(Path(config) if isinstance(config, str | Path) else None, table, preset)


def _work(
    last: str,
    config: Config,
    preset: str | None,
    settings: Mapping[str, object],
    folder: Path | str | None,
    reporter: Reporter | None,
    execution: Execution | None,
) -> Run:
    """Do the stages up to ``last``."""
    wanted, loaded = configure(config, settings, preset), load_plugins()
    check_components(loaded, wanted)
    opened = runs.Run.start(Path(folder) if folder else runs.default_folder(wanted), wanted)
    Pipeline(opened, loaded, execution or Execution(), reporter or Silent()).until(last)
    return Run(opened, loaded)
