"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cubespace.base.observer import Observer
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import Device, Folder, execution
from cubespace.runs.folder import RunFolder


@app.command(epilog="Example: `cube diagnose runs/mnist-…`")
def diagnose(
    folder: Folder,
    states: Annotated[int, typer.Option(min=1, help="How many fresh states to look at.")] = 3000,
    seed: Annotated[int, typer.Option(min=0, help="Of the fresh states.")] = 0,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Compare the moves of the model with the true ones, on fresh states that learning never saw."""
    run = RunFolder.load(folder)
    from cubespace.runs.diagnosing import diagnose_run
    from cubespace.runs.stages import Pipeline

    result = diagnose_run(Pipeline(run, catalogue(no_plugin), execution(device, 1), Observer()), states, seed)
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    typer.echo(f"{result['moves']} true moves from {result['states']} fresh states ({result['branching']:.2f} each)")
    typer.echo(f"recall              {result['recall']:.4f}")
    typer.echo(f"  no such effect    {result['no_effect']:.4f}")
    typer.echo(f"  blocked           {result['blocked']:.4f}")
    typer.echo(f"  unstable bits     {result['unstable']:.4f}")
    typer.echo(f"wrong successors    {result['wrong']:.4f} per state")
    typer.echo(f"states that look different and have the same bits: {result['aliases']}")
    for failure in result["failures"]:
        typer.echo(f"{failure['planner']} {failure['problem']}: {failure['what']}; {failure['why']}")
