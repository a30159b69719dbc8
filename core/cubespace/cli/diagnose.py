"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from cubespace.base.numbers import fixed, percent
from cubespace.base.observer import Observer
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import Device, Folder, execution
from cubespace.runs.folder import RunFolder


@app.command(epilog="Example: `cube diagnose runs/mnist-…`")
def diagnose(
    folder: Folder,
    states: Annotated[
        int, typer.Option(min=1, help="How many fresh states to look at, if there is a simulator.")
    ] = 3000,
    seed: Annotated[int, typer.Option(min=0, help="Of the fresh states.")] = 0,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Compare the moves of the model with the true ones: of fresh random states or, without a simulator, held out."""
    run = RunFolder.load(folder)
    from cubespace.runs.diagnosing import diagnose_run
    from cubespace.runs.stages import Pipeline

    result = diagnose_run(Pipeline(run, catalogue(no_plugin), execution(device, 1), Observer()), states, seed)
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    for line in lines(result):
        typer.echo(line)


def lines(result: dict[str, Any]) -> list[str]:
    """Return the diagnosis in words."""
    fresh = "states" in result
    if fresh:
        first = f"{result['moves']} true moves from {result['states']} fresh states ({result['branching']:.2f} each)"
    else:
        first = (
            f"{result['moves']} pairs held out (no simulator), {percent(result['known'])} of them known from training"
        )
    told = [
        first,
        f"recall              {fixed(result['recall'])}",
        f"  no such effect    {fixed(result['no_effect'])}",
        f"  blocked           {fixed(result['blocked'])}",
        f"  unstable bits     {fixed(result['unstable'])}",
    ]
    if fresh:
        told.append(f"wrong successors    {fixed(result['wrong'])} per state")
        told.append(f"states that look different and have the same bits: {result['aliases']}")
    else:
        told.append(f"recall of new ones  {fixed(result['new_recall'])}")
        told.append(f"pictures that look unlike others with the same bits: {result['ambiguous']}")
    told += [f"{each['planner']} {each['problem']}: {each['what']}; {each['why']}" for each in result["failures"]]
    return told
