"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import Device, Folder, execution
from cubespace.cli.progress_bar import Terminal
from cubespace.cli.run import changed, work
from cubespace.settings.stages import DIAGNOSIS


@app.command(epilog="Example: `cube diagnose runs/mnist-…`")
def diagnose(
    folder: Folder,
    states: Annotated[int | None, typer.Option(min=1, help="How many fresh states.  [default: 3000]")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the fresh states.  [default: 0]")] = None,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Compare the moves of the model with the true ones, on fresh states that learning never saw."""
    loaded = catalogue(no_plugin)
    opened = changed(folder, loaded, None, {"diagnose.states": states, "diagnose.seed": seed})
    done = work(opened, loaded, execution(device, 1), "diagnose", Terminal())
    result = done.table(DIAGNOSIS)
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    typer.echo(f"{result['moves']} true moves from {result['states']} fresh states ({result['branching']:.2f} each)")
    typer.echo(f"recall              {result['recall']:.4f}")
    typer.echo(f"  no such effect    {result['no_effect']:.4f}")
    typer.echo(f"  blocked           {result['blocked']:.4f}")
    typer.echo(f"  unstable bits     {result['unstable']:.4f}")
    typer.echo(f"wrong successors    {result['wrong']:.4f} per state")
    if "graph_recall" in result:
        typer.echo(
            f"the network's graph: recall {result['graph_recall']:.4f}, wrong {result['graph_wrong']:.4f} per state"
        )
    typer.echo(f"states that look different and have the same bits: {result['aliases']}")
    for failure in result["failures"]:
        typer.echo(f"{failure['planner']} {failure['problem']}: {failure['what']}; {failure['why']}")
