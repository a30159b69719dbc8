"""``cube act``: carry plans out in the environment that the pictures come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from cubespace.base.observer import Observer
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.command_group import SPEC
from cubespace.cli.completion import names
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import Device, Instances, Length, execution
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.settings.run_config import DEFAULT_PLANNER, PlanConfig

if TYPE_CHECKING:
    from cubespace.runs.pictures.act import Actor, ActsRecord, Episode
    from cubespace.runs.stages.pipeline import Pipeline

ACTS = "acts"


@attrs.frozen
class Starts:
    """Where to start acting, and for how long."""

    instances: Instances = None
    length: Length = None
    seed: Annotated[int | None, typer.Option(min=0, help="Of starts, goals and labels.  [default: the run's]")] = None
    labels: Annotated[
        int, typer.Option(min=0, help="Random steps with a known action to begin with; the rest is tried.")
    ] = 100
    steps: Annotated[int, typer.Option(min=1, help="Maximum number of actions in one episode.")] = 50

    def settings(self, plan: PlanConfig) -> PlanConfig:
        """Return the settings of a run's problems, with those given here on top."""
        return attrs.evolve(
            plan,
            instances=plan.instances if self.instances is None else self.instances,
            length=plan.length if self.length is None else self.length,
            seed=plan.seed if self.seed is None else self.seed,
        )


@app.command(epilog="Example: `cube act --run runs/gym-… --instances 30 --labels 100`")
@grouped
def act(
    *,
    folder: Annotated[Path, typer.Option("--run", metavar="RUN", help="The run folder whose model plans.")],
    planner: Annotated[
        str,
        typer.Option(metavar=SPEC, autocompletion=names("planner"), help="The planner; see `cube plugins planner`."),
    ] = DEFAULT_PLANNER,
    starts: Starts,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write.  [default: RUN/acts]")
    ] = None,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Plan, act in the environment, look, plan again; the environment itself says whether the goal was reached."""
    loaded = catalogue(no_plugin)
    run = RunFolder.load(folder, loaded)
    from cubespace.runs.pictures.act import ActsRecord
    from cubespace.runs.stages.pipeline import Pipeline

    run = attrs.evolve(run, config=attrs.evolve(run.config, plan=starts.settings(run.config.plan)))
    pipeline = Pipeline(run, loaded, execution(device, 1), Observer())
    actor, episodes = _act(pipeline, planner, starts.labels, starts.steps)
    seed, bound = run.config.plan.seed, actor.binding.bound
    acts = ActsRecord.of(episodes, planner=planner, seed=seed, labels=starts.labels, bound=bound)
    target = output or run.file(ACTS)
    _write(target, acts, episodes)
    if as_json:
        typer.echo(json.dumps({"folder": str(target), **attrs.asdict(acts)}, indent=2))
        return
    typer.echo(f"{acts.reached} of {acts.starts} goals reached, {acts.as_short_as_possible} as soon as possible")
    for record in acts.records:
        if not record.reached:
            typer.echo(f"  {record.problem}: {record.failure} after {record.steps} steps")
    typer.echo(str(target))


def _act(pipeline: Pipeline, planner: str, labels: int, steps: int) -> tuple[Actor, list[Episode]]:
    """Act from every start of the run's problems."""
    import numpy as np

    from cubespace.data.domain import StateSpace
    from cubespace.data.spoiling import clean
    from cubespace.evaluation.binding import Binding
    from cubespace.runs.pictures.act import Actor, environment_of
    from cubespace.runs.pictures.solving import refuse_missing
    from cubespace.search.solver import Limits

    domain = clean(pipeline.domain())
    environment = environment_of(domain)
    assert isinstance(domain, StateSpace)
    solver = pipeline.catalogue.create("planner", planner)
    refuse_missing({planner: solver})
    code, model, config = pipeline.code(), pipeline.strips(), pipeline.run.config.plan
    actor = Actor(
        environment=environment,
        encode=code.encode,
        draw=code.draw,
        model=model,
        solver=solver,
        limits=Limits(seconds=config.time_limit, megabytes=config.memory_limit),
        binding=Binding(model, len(environment.actions)),
        steps=steps,
    )
    actor.label(domain, labels, np.random.default_rng([config.seed, 1]))
    problems = pipeline.problems(domain)
    pipeline.release_data()
    episodes = []
    for problem in problems:
        episodes.append(actor.act(problem))
        reached = sum(not episode.failure for episode in episodes)
        typer.echo(f"act: {reached} of {len(episodes)} goals reached", err=True)
    return actor, episodes


def _write(folder: Path, acts: ActsRecord, episodes: list[Episode]) -> None:
    from cubespace.base.film_strip import film_strip, stacked, write_picture
    from cubespace.base.records import write_record

    for episode in episodes:
        init, goal = episode.problem.init, episode.problem.goal
        strips = {"planned": film_strip(init, goal, episode.planned), "done": film_strip(init, goal, episode.happened)}
        write_picture(folder / f"{episode.problem.name}.png", stacked(strips))
    write_record(folder / "acts.json", acts)
