"""``cube plan``: from one picture to another, with the model of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.completion import names
from cubespace.cli.settings import SPEC, Device, execution
from cubespace.errors import InputError
from cubespace.runs import Run

if TYPE_CHECKING:
    from cubespace.domains import Images


@app.command(epilog="Example: `cube plan --run runs/mnist-… start.png end.png --planner fd-lmcut -o plan`")
def plan(
    init: Annotated[Path, typer.Argument(metavar="INIT", help="The picture to start from.")],
    goal: Annotated[Path, typer.Argument(metavar="GOAL", help="The picture to reach.")],
    folder: Annotated[Path, typer.Option("--run", metavar="RUN", help="The run folder whose model plans.")],
    planner: Annotated[
        str, typer.Option(metavar=SPEC, autocompletion=names("planner"), help="Who plans; see `cube plugins planner`.")
    ] = "fd-lmcut",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Where the plan goes.  [default: RUN/plans/…]"),
    ] = None,
    resize: Annotated[bool, typer.Option("--resize", help="Scale pictures of another size.")] = False,
    time_limit: Annotated[float, typer.Option(min=0.001, help="Seconds for the search.")] = 900.0,
    memory_limit: Annotated[int, typer.Option(min=1, help="Megabytes for the search.")] = 2048,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Find a plan between two pictures and show it in pictures."""
    loaded = catalogue(no_plugin)
    run = Run.load(folder)
    backend = loaded.create("planner", planner)
    from cubespace.evaluation import folder_name, write_solution
    from cubespace.pipeline import EXTRACTION, Pipeline
    from cubespace.planners import Limits
    from cubespace.planning import check_pictures, make_task, own_problem, refuse_missing, solve_problem
    from cubespace.reporting import Silent

    refuse_missing({planner: backend})
    pipeline = Pipeline(run, loaded, execution(device, 1), Silent())
    pipeline.require("extract")
    network = pipeline.network()
    pictures = [_read(path, network.image_shape, resize) for path in (init, goal)]
    usual = json.loads(run.file(EXTRACTION).read_text("utf-8"))["redrawing_error"]
    for path, picture in zip((init, goal), pictures, strict=True):
        for warning in check_pictures(network, picture, usual, [str(path)]):
            typer.echo(f"cube: warning: {warning}", err=True)
    domain = pipeline.domain()
    problem = own_problem(domain, *pictures)
    task = make_task(network, pipeline.strips(), problem)
    limits = Limits(seconds=time_limit, megabytes=memory_limit)
    solution = solve_problem(network, task, problem, backend, limits, domain)
    target = output or run.file("plans") / f"{init.stem}-{goal.stem}" / folder_name(planner)
    record = {"init": str(init), "goal": str(goal), "planner": planner, **solution.record()}
    write_solution(target, problem, task, solution, record)
    _tell(target, record, as_json)
    if not solution.found:
        raise typer.Exit(1)


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


def _read(path: Path, shape: tuple[int, ...], resize: bool) -> Images:
    """Read a picture as a batch of one, in the size and colours that the network was trained on."""
    from cubespace.pictures import read_picture

    size = (shape[0], shape[1])
    picture = read_picture(path, "grey" if len(shape) == 2 else "rgb", size if resize else None)
    if picture.shape[:2] != size:
        given, wanted = (f"{width}x{height}" for height, width in (picture.shape[:2], size))
        raise InputError(f"picture '{path}' is {given}, the model was trained on {wanted}: scale it, or add --resize")
    return picture[None]
