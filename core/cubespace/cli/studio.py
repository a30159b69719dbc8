"""``cube studio``: a page on this machine to plan between two pictures and to look at every step."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cubespace.base.errors import CubeError, InputError, UsageError
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import Device, execution, or_newest
from cubespace.cli.plan import Megabytes, Seconds, summary
from cubespace.cli.progress_bar import Terminal
from cubespace.cli.signals import Stopped
from cubespace.settings.run_config import DEFAULT_PLANNER, MEMORY_LIMIT, TIME_LIMIT

if TYPE_CHECKING:
    from cubespace.plugins.catalogue import Catalogue
    from cubespace.search.solver import Solver
    from cubespace.studio.server import Server
    from cubespace.studio.source import Source

MAX_PORT = 65535
CTRL_C = 130  # the exit code of a command that Ctrl-C has ended; the studio has no other way to end

RunOrBundle = Annotated[
    Path | None,
    typer.Argument(
        metavar="RUN|FILE",
        help="The run folder, or bundle, whose model plans.  [default: the newest run in runs/]",
    ),
]
Export = Annotated[
    Path | None,
    typer.Option(
        "--export", metavar="FILE", help="Write the page with the plans of the run as one HTML file, and serve nothing."
    ),
]
Port = Annotated[int, typer.Option(min=0, max=MAX_PORT, help="The port on this machine; 0 takes any free one.")]
Show = Annotated[bool, typer.Option("--open", help="Show the page in the web browser.")]


@app.command(epilog="Examples: `cube studio --open`, `cube studio my.cube --export talk.html`")
def studio(
    chosen: RunOrBundle = None,
    export: Export = None,
    port: Port = 0,
    show: Show = False,
    time_limit: Seconds = TIME_LIMIT,
    memory_limit: Megabytes = MEMORY_LIMIT,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Serve a page, to this machine only, that plans between two pictures and shows every step; Ctrl-C ends it."""
    loaded, folder = catalogue(no_plugin), or_newest(chosen)
    from cubespace.studio.source import open_source

    source = open_source(folder, loaded, execution(device, 1))
    if export is not None:
        _export(source, folder, export, show=show, as_json=as_json)
        return
    from cubespace.search.solver import Limits
    from cubespace.studio.server import Server
    from cubespace.studio.studio import Studio

    limits = Limits(seconds=time_limit, megabytes=memory_limit)
    made = Studio(source, _planners(source, loaded), limits, summary, Terminal())
    try:
        server = Server(made, port)
    except OSError as error:
        raise UsageError(f"port {port} cannot be used ({error.strerror}): choose another one with --port") from error
    _serve(server, folder, show=show, as_json=as_json)


def _serve(server: Server, folder: Path, *, show: bool, as_json: bool) -> None:
    """Serve until the user ends it."""
    from cubespace.studio.door import private_door

    about = {"address": server.address, "run": str(folder), "planners": list(server.studio.planners)}
    try:
        typer.echo(json.dumps(about) if as_json else server.address)  # in one line: nothing follows for a long time
        typer.echo("the studio is open, for this machine only; Ctrl-C ends it", err=True)
        with private_door(server.address) if show else nullcontext(None) as door:
            if door is not None:
                typer.launch(door)
            server.serve_forever()
    except Stopped as stop:
        if stop.exit_code != CTRL_C:
            raise
        typer.echo("the studio is closed", err=True)
    finally:
        server.close()


def _export(source: Source, folder: Path, target: Path, *, show: bool, as_json: bool) -> None:
    """Write the page as one file."""
    from cubespace.base.files import write_text
    from cubespace.studio.page import static_page

    if not source.solved:
        way = "a bundle has none" if folder.is_file() else f"cube evaluate {folder} finds some"
        raise InputError(f"there is no plan to export: {way}")
    write_text(target, static_page(source, summary).text)
    if show:
        typer.launch(target.resolve().as_uri())
    about = {"page": str(target), "run": str(folder), "plans": len(source.solved)}
    typer.echo(json.dumps(about, indent=2) if as_json else str(target))


def _planners(source: Source, loaded: Catalogue) -> dict[str, Solver]:
    """Return the planners that can run here, those of the run first."""
    from cubespace.runs.pictures.solving import refuse_missing

    usable: dict[str, Solver] = {}
    for name in dict.fromkeys([*source.planners, DEFAULT_PLANNER, *loaded.names("planner")]):
        try:
            solver = loaded.create("planner", name)
            refuse_missing({name: solver}, source.planning.code)
        except CubeError:  # not installed, or not for this network
            continue
        usable[name] = solver
    if not usable:
        raise UsageError("no planner can run here: see `cube plugins planner`")
    return usable
