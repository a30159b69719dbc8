"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from cubespace.base.numbers import fixed, percent
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
    """Compare the model's moves with the true ones: for fresh states or, without a simulator, held-out pairs."""
    loaded = catalogue(no_plugin)
    opened = changed(folder, loaded, None, {"diagnose.states": states, "diagnose.seed": seed})
    done = work(opened, loaded, execution(device, 1), "diagnose", Terminal())
    result = done.table(DIAGNOSIS)
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
    sentences = [
        first,
        f"recall              {fixed(result['recall'])}",
        f"  no such effect    {fixed(result['no_effect'])}",
        f"  blocked           {fixed(result['blocked'])}",
        f"  unstable bits     {fixed(result['unstable'])}",
    ]
    if fresh:
        sentences.append(f"wrong successors    {fixed(result['wrong'])} per state")
        if "graph_recall" in result:
            edges = fixed(result["graph_recall"]), fixed(result["graph_wrong"])
            sentences.append(f"the network's graph: recall {edges[0]}, wrong {edges[1]} per state")
        sentences.append(f"states that look different and have the same bits: {result['aliases']}")
    else:
        sentences.append(f"recall of new ones  {fixed(result['new_recall'])}")
        sentences.append(f"pictures that look unlike others with the same bits: {result['ambiguous']}")
    sentences += [f"{each['planner']} {each['problem']}: {each['what']}; {each['why']}" for each in result["failures"]]
    return sentences
