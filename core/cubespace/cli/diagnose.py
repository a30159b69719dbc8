"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.settings import Device, Folder, execution
from cubespace.errors import UsageError
from cubespace.runs import Run


@app.command(epilog="Example: `cube diagnose runs/mnist-…`")
def diagnose(
    folder: Folder,
    states: Annotated[int, typer.Option(min=1, help="How many fresh states to look at.")] = 3000,
    seed: Annotated[int, typer.Option(min=0, help="Of the fresh states.")] = 0,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Compare the moves of the model with the true ones, on fresh states of the simulator."""
    import attrs

    from cubespace.diagnosis import diagnose as compare
    from cubespace.domains import Simulator
    from cubespace.files import write_json
    from cubespace.pipeline import Pipeline
    from cubespace.reporting import Silent

    pipeline = Pipeline(Run.load(folder), catalogue(no_plugin), execution(device, 1), Silent())
    pipeline.require("extract")
    domain = pipeline.domain()
    if not isinstance(domain, Simulator):
        raise UsageError(f"domain '{pipeline.run.config.domain}' has no simulator to compare with")
    result = attrs.asdict(compare(domain, pipeline.network(), pipeline.strips(), states, seed))
    write_json(pipeline.run.file("diagnosis.json"), {"seed": seed, **result})
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
