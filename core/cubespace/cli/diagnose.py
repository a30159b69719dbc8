"""``cube diagnose``: how good the learned transition graph is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from cubespace.base.numbers import fixed, percent
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import Device, OrNewest, execution, or_newest
from cubespace.cli.progress_bar import Terminal
from cubespace.cli.run import changed, work

if TYPE_CHECKING:
    from cubespace.evaluation.diagnosis_record import DiagnosisRecord
    from cubespace.evaluation.precision_record import Precision


@app.command(epilog="Examples: `cube diagnose`, `cube diagnose runs/mnist-…`")
def diagnose(
    folder: OrNewest = None,
    states: Annotated[int | None, typer.Option(min=1, help="How many fresh states.  [default: 3000]")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the fresh states.  [default: 0]")] = None,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Compare the model's moves with the true ones: for fresh states or, without a simulator, held-out pairs."""
    loaded = catalogue(no_plugin)
    opened = changed(or_newest(folder), loaded, None, {"diagnose.states": states, "diagnose.seed": seed})
    done = work(opened, loaded, execution(device, 1), "diagnose", Terminal())
    result = done.diagnosis()
    if as_json:
        typer.echo(json.dumps(result.table(), indent=2))
        return
    for line in lines(result):
        typer.echo(line)


def lines(result: DiagnosisRecord) -> list[str]:
    """Return the diagnosis in words."""
    moves, fresh, held_out = result.moves, result.fresh, result.held_out
    sentences = []
    if fresh is not None:
        sentences.append(f"{fresh.moves} true moves from {fresh.states} fresh states ({fresh.branching:.2f} each)")
    if held_out is not None:
        known = percent(held_out.known)
        sentences.append(f"{held_out.moves} pairs held out (no simulator), {known} of them known from training")
    sentences += [
        f"recall              {fixed(moves.recall)}",
        f"  no such effect    {fixed(moves.no_effect)}",
        f"  blocked           {fixed(moves.blocked)}",
        f"  unstable bits     {fixed(moves.unstable)}",
    ]
    if fresh is not None:
        sentences.append(f"wrong successors    {fixed(fresh.wrong)} per state")
    if result.graph is not None:
        recall, wrong = fixed(result.graph.graph_recall), fixed(result.graph.graph_wrong)
        sentences.append(f"the network's graph: recall {recall}, wrong {wrong} per state")
    if fresh is not None:
        sentences.append(f"states that look different and have the same bits: {fresh.aliases}")
    if held_out is not None:
        sentences.append(f"recall of new ones  {fixed(held_out.new_recall)}")
        sentences.append(f"pictures that look unlike others with the same bits: {held_out.ambiguous}")
        sentences += _wrong_moves(held_out.precision)
    return sentences + [f"{each.planner} {each.problem}: {each.what}; {each.why}" for each in result.failures]


def _wrong_moves(precision: Precision | None) -> list[str]:
    """Return what is known about wrong moves without a simulator, and what is not."""
    if precision is None:
        return ["wrong successors    unknown: the model is of an earlier version, cube extract estimates them"]
    sentences = [f"wrong successors    an estimate from pairs. {precision.words} {precision.reason}".rstrip()]
    if precision.wrong is not None:
        sentences.append(
            "what pairs cannot know: moves that do not exist but lead from one real state to another, unless states "
            "were seen often enough; only a simulator counts them"
        )
    return sentences
