"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.settings import Device, Folder, execution
from cubespace.errors import UsageError
from cubespace.runs import Run

if TYPE_CHECKING:
    from cubespace.autoencoder import SpaceAutoEncoder
    from cubespace.domains import Simulator
    from cubespace.pipeline import Pipeline
    from cubespace.strips import StripsModel


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
    run = Run.load(folder)
    import attrs

    from cubespace.diagnosis import diagnose as compare
    from cubespace.domains import Simulator
    from cubespace.files import write_json
    from cubespace.pipeline import Pipeline
    from cubespace.reporting import Silent

    pipeline = Pipeline(run, catalogue(no_plugin), execution(device, 1), Silent())
    pipeline.require("extract")
    domain = pipeline.domain()
    if not isinstance(domain, Simulator):
        raise UsageError(f"domain '{pipeline.run.config.domain}' has no simulator to compare with")
    network, model = pipeline.network(), pipeline.strips()
    result = attrs.asdict(compare(domain, network, model, states, seed))
    result["failures"] = failures(pipeline, domain, network, model)
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
    for failure in result["failures"]:
        typer.echo(f"{failure['planner']} {failure['problem']}: {failure['what']}; {failure['why']}")


def failures(
    pipeline: Pipeline, domain: Simulator, network: SpaceAutoEncoder, model: StripsModel
) -> list[dict[str, str]]:
    """Return, for each planned instance that is not optimal, what went wrong and why the model has no shortest way."""
    from cubespace.diagnosis import explain
    from cubespace.planning import make_problems

    if not pipeline.run.finished("plan"):
        return []
    problems = {p.name: p for p in make_problems(domain, pipeline.transitions().test, pipeline.run.config.plan)}
    rows = pipeline.results()["planners"].values()
    told: dict[str, str] = {}
    found = []
    for record in (record for row in rows for record in row["records"] if not record["optimal"]):
        problem = problems[record["problem"]]
        if problem.name not in told and problem.states is not None and problem.distance is not None:
            told[problem.name] = explain(domain, network, model, *problem.states, problem.distance)
        what = record["reason"] or (f"{len(record['plan'])} steps" if record["plan"] is not None else record["outcome"])
        if record["wrong_step"] is not None:
            what += f" at step {record['wrong_step']}"
        found.append({"planner": record["planner"], "problem": problem.name, "what": what, "why": told[problem.name]})
    return found
