"""``cube plan``: from one picture to another, with the model of a run."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.command_group import SPEC
from cubespace.cli.completion import names
from cubespace.cli.options import Device, execution, or_newest
from cubespace.cli.progress_bar import Terminal
from cubespace.runs.folder.plan_files import STRIP
from cubespace.settings.run_config import DEFAULT_PLANNER, MEMORY_LIMIT, MOST_MEMORY, MOST_SECONDS, TIME_LIMIT

if TYPE_CHECKING:
    from cubespace.runs.pictures.plan import PicturePlan, PicturePlanRecord


def refuse_nan(value: float) -> float:
    """Return a number, unless it is none: no bound is above or below it."""
    if math.isnan(value):
        raise typer.BadParameter("nan is not a number of seconds")
    return value


Start = Annotated[Path, typer.Argument(metavar="INIT", help="The picture to start from.")]
End = Annotated[Path, typer.Argument(metavar="GOAL", help="The picture to reach.")]
RunOrBundle = Annotated[
    Path | None,
    typer.Option(
        "--run",
        metavar="RUN|FILE",
        help="The run folder, or bundle, whose model plans.  [default: the newest run in runs/]",
    ),
]
Planner = Annotated[
    str, typer.Option(metavar=SPEC, autocompletion=names("planner"), help="The planner; see `cube plugins planner`.")
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="Folder for the plan.  [default: RUN/plans/…]")
]
Resize = Annotated[
    bool, typer.Option("--resize", help="Scale pictures of another size, as a run trained with resize= always does.")
]
Seconds = Annotated[
    float,
    typer.Option("--time-limit", min=0.001, max=MOST_SECONDS, callback=refuse_nan, help="Seconds for the search."),
]
Megabytes = Annotated[int, typer.Option("--memory-limit", min=1, max=MOST_MEMORY, help="Megabytes for the search.")]
Anyway = Annotated[
    bool, typer.Option("--anyway", help="Search even if the simulator proves that the goal cannot be reached.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 6 if a plan is found that cannot be judged.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only where the plan is, and errors.")]


@app.command(
    epilog="Examples: `cube plan start.png goal.png`, `cube plan --run my.cube start.png goal.png --planner fd-lmcut`"
)
def plan(
    init: Start,
    goal: End,
    folder: RunOrBundle = None,
    planner: Planner = DEFAULT_PLANNER,
    output: Output = None,
    resize: Resize = False,
    time_limit: Seconds = TIME_LIMIT,
    memory_limit: Megabytes = MEMORY_LIMIT,
    anyway: Anyway = False,
    strict: Strict = False,
    device: Device = "auto",
    quiet: Quiet = False,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Find a plan between two pictures, show it in pictures and judge it; the exit code gives the verdict."""
    loaded = catalogue(no_plugin)
    solver = loaded.create("planner", planner)
    from cubespace.runs.pictures.opening import open_planning
    from cubespace.runs.pictures.plan import own_folder
    from cubespace.runs.pictures.solving import refuse_missing, refuse_other_folder
    from cubespace.search.solver import Limits

    refuse_missing({planner: solver})
    if output is not None:
        refuse_other_folder(output)
    limits, model = Limits(seconds=time_limit, megabytes=memory_limit), or_newest(folder)
    with Terminal(quiet=quiet) as terminal:
        planning = open_planning(model, loaded, execution(device, 1))
        made = planning.plan(init, goal, planner, solver, limits, resize=resize, anyway=anyway, observer=terminal)
    home = Path("plans") if model.is_file() else model / "plans"  # a bundle is one file
    target = output or home / own_folder(init, goal, made.problem, planner)
    record = attrs.evolve(made.record(strict=strict), run=str(model), init=str(init), goal=str(goal))
    made.save(target, record)
    _report(target, made, record, as_json=as_json, quiet=quiet)
    raise typer.Exit(record.exit_code)


def _report(target: Path, made: PicturePlan, record: PicturePlanRecord, *, as_json: bool, quiet: bool) -> None:
    """Print where the plan is, and the verdict on it."""
    if record.exit_code:  # a failure, which is said in any case
        typer.echo(f"cube: {summary(made, record)}", err=True)
    elif not quiet and not as_json:
        typer.echo(summary(made, record), err=True)
    shown = str(target / STRIP if record.found else target)
    typer.echo(json.dumps({"folder": str(target), **attrs.asdict(record)}, indent=2) if as_json else shown)


def summary(made: PicturePlan, record: PicturePlanRecord) -> str:
    """Return one line: the outcome, the verdict on the plan and why, and how much of it was seen in training."""
    if made.solution is None:
        states = f"{made.reach.states:,}" if made.reach else "all"
        return (
            f"the goal cannot be reached: the simulator proves it with {states} states (--anyway searches nonetheless)"
        )
    if not record.found:
        return f"no plan: {record.outcome}. {record.detail}".rstrip()
    steps, unseen = record.steps, record.unseen_steps or ()
    verdict = record.ending
    if record.valid is False:
        verdict += f" (frame {record.wrong_step}: {record.explanation})"
    elif record.valid:
        verdict += ", optimal" if record.optimal else ", not shortest" if record.optimal is False else ""
    seen = f"{steps - len(unseen)} of {steps} steps seen in training"
    doubtful = [step for step in unseen if step not in record.accepted_steps]
    if len(doubtful) < len(unseen):
        seen += f", {len(unseen) - len(doubtful)} new and valid"
    if doubtful:
        seen += f", never seen: {', '.join(map(str, doubtful))}"
    if record.doubtful:
        seen += f", doubtful: {', '.join(map(str, record.doubtful_steps))}"
    return f"{steps} steps, {verdict}; {seen}; {record.seconds} s"
