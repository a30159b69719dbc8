"""``cube matrix``: all combinations of some settings, each a run; what they share is done once."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.numbers import duration
from cubespace.base.options import Spec, parse_spec, split_list
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.command_group import SPEC
from cubespace.cli.completion import names, presets, settings
from cubespace.cli.manner import Manner
from cubespace.cli.matrix_view import MatrixView
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import Precision
from cubespace.cli.signals import Stopped
from cubespace.experiments.cell_call import CellCall
from cubespace.experiments.driver import MatrixRun, Outcome
from cubespace.experiments.executor import Executor
from cubespace.experiments.matrix import Matrix, read_matrix
from cubespace.experiments.slurm import job_lines
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings import defaults

PRECISION = "train.precision"

Source = Annotated[
    Path | None, typer.Argument(metavar="FILE|MATRIX", help="A matrix file, or the folder of a matrix to continue.")
]
MatrixFolder = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="The folder of the matrix.  [default: runs/…]")
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Cells, or stages that they share, side by side.  [default: one per core]")
]
Lenders = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FOLDER",
        exists=True,
        file_okay=False,
        help="Another matrix, or a folder of runs, whose finished stages are taken over where settings are equal.",
    ),
]


def _axis(kind: str, words: str) -> Any:
    return typer.Option(metavar=SPEC, autocompletion=names(kind), help=f"{words}; repeatable: an axis of the matrix.")


@attrs.frozen
class Axes:
    """Axes on the command line: they replace those of the file."""

    domain: Annotated[list[str] | None, _axis("domain", "Where the pictures come from")] = None
    learner: Annotated[list[str] | None, _axis("learner", "How bits are learned")] = None
    apply: Annotated[list[str] | None, _axis("apply", "How an action changes the bits of the autoencoder")] = None
    encoder: Annotated[list[str] | None, _axis("encoder", "The encoder of the autoencoder")] = None
    precondition: Annotated[list[str] | None, _axis("precondition", "How preconditions are learned")] = None
    planner: Annotated[list[str] | None, _axis("planner", "The planner")] = None
    variant: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A variant of the file; repeatable.")] = None
    seeds: Annotated[str | None, typer.Option(metavar="0-4", help="Seeds: numbers and ranges.")] = None
    pairs: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE[,VALUE…]",
            autocompletion=settings,
            help="Any setting, an axis if several values; repeatable.",
        ),
    ] = None
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", autocompletion=presets, help="Settings below all others; `cube info` lists them."),
    ] = None
    precision: Precision = None

    def put_on(self, matrix: Matrix) -> Matrix:
        """Return a matrix with these axes on top."""
        axes: dict[str, str | list[str] | None] = {
            "domain": self.domain,
            "learner": self.learner,
            "apply": self.apply,
            "encoder": self.encoder,
            "precondition": self.precondition,
            "planner": self.planner,
            "variant": self.variant,
            "seed": self.seeds,
        }
        for pair in self.pairs or []:
            key, equals, text = pair.partition("=")
            if not equals or not key:
                raise UsageError(f"--set {pair}: write KEY=VALUE or KEY=VALUE,VALUE, such as --set train.epochs=50,100")
            if not text.strip():
                raise UsageError(f"--set {pair}: there is no value behind the sign")
            axes[key.strip()] = [value.strip().strip("\"'") for value in split_list(text, pair)]
        axes = {name: value for name, value in axes.items() if value}
        preset = self.preset or matrix.preset
        settings = matrix.settings if self.precision is None else {**matrix.settings, PRECISION: self.precision}
        return attrs.evolve(matrix, axes={**matrix.axes, **axes}, preset=preset, settings=settings)


@app.command(
    epilog="Examples: `cube matrix examples/paper/smoke.toml`, "
    "`cube matrix --domain mnist --domain photo --precondition static --precondition values --seeds 0-4 --jobs 2`"
)
@grouped
def matrix(
    *,
    source: Source = None,
    axes: Axes,
    output: MatrixFolder = None,
    executor: Annotated[
        str, typer.Option(metavar=SPEC, autocompletion=names("executor"), help="What runs the jobs.")
    ] = defaults.EXECUTOR,
    jobs: Jobs = None,
    manner: Manner,
    reuse: Lenders = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List the cells, what is done, and the time left; run nothing.")
    ] = False,
    print_jobs: Annotated[
        bool, typer.Option("--print-jobs", help="Create the run folders and print a script for a SLURM cluster.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print only results and errors.")] = False,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Run every combination of some settings; finished work is kept, so repeating the command continues."""
    loaded = catalogue(no_plugin)
    requested, folder = _requested(source, axes, output)
    run = MatrixRun.of(requested, folder, loaded)
    if dry_run:
        _outline(run, as_json)
        return
    call = manner.call(loaded, no_plugin)
    if print_jobs:
        if as_json:
            raise UsageError("--print-jobs prints a script for a shell: leave --json out")
        run.prepare()
        typer.echo("\n".join(job_lines(run.jobs(), folder, call, requested.diagnose)))
        return
    by = find_executor(loaded, executor, jobs)
    if reuse:
        run.reuse(reuse)
    _show(_run(run, by, call, quiet), folder, as_json)


def _requested(source: Path | None, axes: Axes, output: Path | None) -> tuple[Matrix, Path]:
    """Return the matrix and its folder: its own, or one that is named after the file or the axes."""
    given = Matrix() if source is None else read_matrix(source)
    requested = axes.put_on(given)
    if not requested.values() and not requested.settings:
        raise UsageError(
            f"nothing to combine: name a matrix file, or axes such as --domain {defaults.DOMAIN} --seeds 0-4"
        )
    if output is not None:
        return requested, output
    if source is not None and source.is_dir():
        return requested, source
    digest = hashlib.sha256(requested.dump().encode()).hexdigest()[:8]
    return requested, Path("runs") / (source.stem if source else f"matrix-{digest}")


def _run(run: MatrixRun, by: Executor, call: CellCall, quiet: bool) -> Outcome:
    """Do what is left of a matrix; when interrupted, say how to continue."""
    with MatrixView([job.name for job in run.jobs()], run.folder, quiet=quiet) as view:
        try:
            return run.run(by, call=call, told=view.told)
        except Stopped as stop:
            stop.advice = f": cube matrix {run.folder} continues"
            raise


def find_executor(loaded: Catalogue, text: str, jobs: int | None) -> Executor:
    """Return what runs the jobs; one that is not installed is refused before any work is done."""
    spec = parse_spec(text)
    if jobs is not None:
        spec = Spec(spec.name, {**spec.options, "jobs": jobs})
    found: Executor = loaded.create("executor", spec)
    missing = found.missing()
    if missing:
        raise UsageError(f"executor '{spec.name}' is not installed: {missing}")
    return found


def _outline(run: MatrixRun, as_json: bool) -> None:
    """Print the cells and what is done."""
    jobs = run.jobs()
    seconds = run.estimate().total(jobs)
    rows = [{"cell": cell.name, "run": str(cell.folder), "done": run.done(cell)} for cell in run.cells]
    if as_json:
        typer.echo(json.dumps({"cells": rows, "jobs": [job.name for job in jobs], "seconds": seconds}, indent=2))
        return
    for row in rows:
        typer.echo(f"{'done' if row['done'] else 'open'}  {row['cell']}  {row['run']}")
    done = sum(bool(row["done"]) for row in rows)
    time = "not known until a cell is done" if seconds is None else f"about {duration(seconds)} of work on one core"
    typer.echo(f"{done} of {len(rows)} cells done; {len(jobs)} jobs left, {time}", err=True)


def _show(outcome: Outcome, folder: Path, as_json: bool) -> None:
    """Print the result; exit with an error if cells failed."""
    if as_json:
        typer.echo(json.dumps({"matrix": str(folder), **attrs.asdict(outcome)}, indent=2))
    else:
        for name, reason in sorted(outcome.failures.items()):
            typer.echo(f"failed: {name}: {reason}", err=True)
        new = outcome.done - outcome.before
        typer.echo(
            f"{outcome.done} of {outcome.cells} cells done, {new} of them now, in {duration(outcome.seconds)}; "
            f"cube tables {folder} shows them",
            err=True,
        )
        typer.echo(str(folder))
    if outcome.done < outcome.cells:
        raise typer.Exit(1)
