"""``cube plan``: from one picture to another, with the model of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.completion import names
from cubespace.cli.options import SPEC, Device, execution
from cubespace.settings.run_config import DEFAULT_PLANNER, MEMORY_LIMIT, TIME_LIMIT

if TYPE_CHECKING:
    from cubespace.base.arrays import Images
    from cubespace.runs.bundle import LearnedModel


@app.command(epilog="Example: `cube plan --run runs/mnist-… start.png end.png --planner fd-lmcut -o plan`")
def plan(
    init: Annotated[Path, typer.Argument(metavar="INIT", help="The picture to start from.")],
    goal: Annotated[Path, typer.Argument(metavar="GOAL", help="The picture to reach.")],
    folder: Annotated[
        Path, typer.Option("--run", metavar="RUN|FILE", help="The run folder, or bundle, whose model plans.")
    ],
    planner: Annotated[
        str,
        typer.Option(metavar=SPEC, autocompletion=names("planner"), help="The planner; see `cube plugins planner`."),
    ] = DEFAULT_PLANNER,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Where the plan goes.  [default: RUN/plans/…]"),
    ] = None,
    resize: Annotated[bool, typer.Option("--resize", help="Scale pictures of another size.")] = False,
    time_limit: Annotated[float, typer.Option(min=0.001, help="Seconds for the search.")] = TIME_LIMIT,
    memory_limit: Annotated[int, typer.Option(min=1, help="Megabytes for the search.")] = MEMORY_LIMIT,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Find a plan between two pictures and show it in pictures."""
    loaded = catalogue(no_plugin)
    solver = loaded.create("planner", planner)
    from cubespace.runs.bundle import open_model
    from cubespace.runs.solving import fit_picture, folder_name, plan_between, refuse_missing, write_solution
    from cubespace.search.solver import Limits

    model = open_model(folder, loaded, execution(device, 1))
    refuse_missing({planner: solver}, model.network)
    first, last = (fit_picture(path, model.network.image_shape, resize=resize) for path in (init, goal))
    _warn(model, {str(init): first, str(goal): last})
    limits = Limits(seconds=time_limit, megabytes=memory_limit)
    problem, solution = plan_between(model.network, model.strips, model.domain, (first, last), solver, limits)
    record = {"init": str(init), "goal": str(goal), "planner": planner, **solution.record()}
    home = Path() if folder.is_file() else folder
    target = output or home / "plans" / f"{init.stem}-{goal.stem}" / folder_name(planner)
    write_solution(target, problem, model.strips, solution, record)
    _tell(target, record, as_json)
    if not solution.found:
        raise typer.Exit(1)


def _warn(model: LearnedModel, pictures: dict[str, Images]) -> None:
    """Warn about pictures that do not look like those that were trained on."""
    from cubespace.runs.solving import check_pictures

    for name, picture in pictures.items():
        for warning in check_pictures(model.network, picture, model.redrawing_error, [name]):
            typer.echo(f"cube: warning: {warning}", err=True)


def _tell(target: Path, record: dict[str, object], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"folder": str(target), **record}, indent=2))
        return
    steps = record["plan"]
    if not isinstance(steps, list):
        typer.echo(f"no plan: {record['outcome']}. {record['detail']}".rstrip(), err=True)
        typer.echo(str(target))
        return
    words = {True: "valid", False: f"not valid ({record['reason']})", None: "validity unknown"}
    typer.echo(f"{len(steps)} steps, {words[record['valid']]}, {record['seconds']} s", err=True)  # type: ignore[index]
    typer.echo(str(target / "strip.png"))
