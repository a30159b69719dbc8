"""``cube plan``: from one picture to another, with the model of a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.completion import names
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import SPEC, Device, execution
from cubespace.cli.progress_bar import Terminal
from cubespace.runs.folder import RunFolder
from cubespace.settings.run_config import DEFAULT_PLANNER, MEMORY_LIMIT, TIME_LIMIT

if TYPE_CHECKING:
    from cubespace.runs.planning import PicturePlan
    from cubespace.settings.recipe import Execution

UNJUDGED = 6  # exit code under --strict of a plan that nobody can judge


@attrs.frozen
class Manner:
    """Within which limits a plan is searched for, and what counts as one."""

    planner: Annotated[
        str,
        typer.Option(metavar=SPEC, autocompletion=names("planner"), help="The planner; see `cube plugins planner`."),
    ] = DEFAULT_PLANNER
    resize: Annotated[
        bool,
        typer.Option("--resize", help="Scale pictures of another size, as a run trained with resize= always does."),
    ] = False
    time_limit: Annotated[float, typer.Option(min=0.001, help="Seconds for the search.")] = TIME_LIMIT
    memory_limit: Annotated[int, typer.Option(min=1, help="Megabytes for the search.")] = MEMORY_LIMIT
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Search even if the simulator proves that the goal cannot be reached.")
    ] = False
    strict: Annotated[
        bool, typer.Option("--strict", help="End with code 6 if a plan is found that nobody can judge.")
    ] = False


@app.command(epilog="Example: `cube plan --run runs/mnist-… start.png end.png --planner fd-lmcut -o plan`")
@grouped
def plan(
    *,
    init: Annotated[Path, typer.Argument(metavar="INIT", help="The picture to start from.")],
    goal: Annotated[Path, typer.Argument(metavar="GOAL", help="The picture to reach.")],
    folder: Annotated[Path, typer.Option("--run", metavar="RUN", help="The run folder whose model plans.")],
    manner: Manner,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Where the plan goes.  [default: RUN/plans/…]"),
    ] = None,
    device: Device = "auto",
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Say nothing but where the plan is, and errors.")
    ] = False,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Find a plan between two pictures, show it in pictures and say what it is worth; so does the exit code."""
    loaded = catalogue(no_plugin)
    run = RunFolder.load(folder, loaded)
    with Terminal(quiet=quiet) as terminal:
        made = _made(run, (init, goal), manner, execution(device, 1), terminal)
    from cubespace.runs.planning import Ending, own_folder

    target = output or run.file("plans") / own_folder(init, goal, made.problem, manner.planner)
    record = {"run": str(folder), "init": str(init), "goal": str(goal), **made.record()}
    if manner.strict and made.ending is Ending.UNKNOWN:
        record["exit_code"] = UNJUDGED
    made.save(target, record)
    if as_json:
        typer.echo(json.dumps({"folder": str(target), **record}, indent=2))
    else:
        if not quiet:
            typer.echo(summary(made, record), err=True)
        typer.echo(str(target / "strip.png" if record["plan"] is not None else target))
    raise typer.Exit(record["exit_code"])


def _made(
    run: RunFolder, pictures: tuple[Path, Path], manner: Manner, how: Execution, terminal: Terminal
) -> PicturePlan:
    """Plan; a planner that is not there is refused before anything is loaded."""
    solver = run.catalogue.create("planner", manner.planner)
    from cubespace.runs.planning import Planning
    from cubespace.runs.solving import refuse_missing
    from cubespace.runs.stages import Pipeline
    from cubespace.search.solver import Limits

    refuse_missing({manner.planner: solver})
    limits = Limits(seconds=manner.time_limit, megabytes=manner.memory_limit)
    planning = Planning.of(Pipeline(run, run.catalogue, how, terminal))
    return planning.plan(
        *pictures, manner.planner, solver, limits, resize=manner.resize, anyway=manner.anyway, observer=terminal
    )


def summary(made: PicturePlan, record: dict[str, Any]) -> str:
    """Return one line: the outcome, what the plan is worth and why, and how much of it was seen in training."""
    if made.solution is None:
        states = f"{made.reach.states:,}" if made.reach else "all"
        return (
            f"the goal cannot be reached: the simulator proves it with {states} states (--anyway searches all the same)"
        )
    if record["plan"] is None:
        return f"no plan: {record['outcome']}. {record['detail']}".rstrip()
    steps, unseen = len(record["plan"]), record["unseen_steps"]
    worth = record["ending"]
    if record["valid"] is False:
        fault = f": {record['fault']}" if record["fault"] else ""
        worth += f" (frame {record['wrong_step']}: {record['reason']}{fault})"
    elif record["valid"]:
        worth += ", optimal" if record["optimal"] else ", not shortest" if record["optimal"] is False else ""
    seen = f"{steps - len(unseen)} of {steps} steps seen in training"
    if unseen:
        seen += f", never seen: {', '.join(map(str, unseen))}"
    return f"{steps} steps, {worth}; {seen}; {record['seconds']} s"
