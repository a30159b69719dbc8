"""``cube theory``: the paper's theorems, checked on its figure or counted in the model of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.observer import Observer
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import Device, execution
from cubespace.runs.folder.run_folder import RunFolder

if TYPE_CHECKING:
    from cubespace.runs.theory_numbers import TheoryNumbers

# the numbers of a run, and what each means
ROWS = {
    "nodes": "states of the training transitions",
    "edges": "edges between them, in either direction",
    "degree": "Δ, the most edges that meet in a state",
    "differences": "|D|, distinct symmetric differences",
    "effects": "distinct effects, one STRIPS action each",
    "reversed": "of these, effects that occur backwards too",
    "labels": "labels that the network uses",
    "actions": "actions of the STRIPS model",
    "model_degree": "most successors of a training state in the model",
}


@app.command(epilog="Examples: `cube theory`, `cube theory --picture star.png`, `cube theory runs/mnist-…`")
def theory(
    folder: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="A run folder; without one, the paper's Figure 3.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the graph of Figure 3 into this file.")] = None,
    device: Device = "auto",
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Count colours and differences in a learned space, or check the paper's Figure 3 with an answer-set solver."""
    if folder is None:
        _figure(picture, as_json)
        return
    if picture is not None:
        raise UsageError("--picture draws the graph of Figure 3: leave out the run folder")
    run = RunFolder.load(folder)
    from cubespace.runs.folder.contents import RunContents
    from cubespace.runs.theory_numbers import theory_numbers

    numbers = theory_numbers(RunContents(run, catalogue(no_plugin), execution(device, 1), Observer()))
    if as_json:
        typer.echo(json.dumps(attrs.asdict(numbers), indent=2))
        return
    _print(numbers)


def _print(numbers: TheoryNumbers) -> None:
    counts = attrs.asdict(numbers)
    for name, words in ROWS.items():
        typer.echo(f"{'none' if counts[name] is None else counts[name]:>8}  {words}")
    least, most = numbers.least_colours, numbers.most_colours
    colours = str(least) if least == most else f"{least} or {most}"
    typer.echo(f"{colours:>8}  colours of the edges, c(G): actions that conditional effects would need (1, 3a)")
    typer.echo(f"{2 * numbers.differences:>8}  2|D|: actions without conditional effects, all moves reversible (3b)")
    typer.echo(f"edges that meet have different differences (2): {'yes' if numbers.coloured else 'no'}")
    verdict = {True: "yes", False: "no", None: "does not apply, the apply module is not STRIPS-like"}
    typer.echo(f"each label sets the same bits in every state (Theorem 2): {verdict[numbers.theorem_2]}")


def _figure(picture: Path | None, as_json: bool) -> None:
    """Decide the three statements of the figure."""
    from cubespace.theory.star import BITS, ENOUGH, NODES, TOO_FEW, check_star, draw_star

    star = check_star()
    if picture is not None and star.vectors is not None:
        draw_star(picture, star.vectors)
    if as_json:
        vectors = None if star.vectors is None else ["".join(map(str, row)) for row in star.vectors.astype(int)]
        facts = {"colours": star.colours, "possible_with_two": star.possible_with_two}
        typer.echo(json.dumps({**facts, "differences": star.differences, "vectors": vectors, "holds": star.holds}))
        return
    typer.echo(f"the outline of a star, a cycle of {NODES} nodes:")
    typer.echo(f"its edges need {star.colours} colours")
    for size, exists in ((TOO_FEW, star.possible_with_two), (ENOUGH, star.differences == ENOUGH)):
        answer = "exists" if exists else "does not exist"
        typer.echo(f"an assignment of {BITS} bits with |D| = {size} {answer}")
    typer.echo(f"the three statements of the paper's Figure 3: {'true' if star.holds else 'not true'}")
