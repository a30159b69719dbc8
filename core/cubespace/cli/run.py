"""``cube run`` and the stages one by one: train, extract, evaluate."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from cubespace.base.numbers import number
from cubespace.base.observer import Observer, Observers
from cubespace.cli.app import app
from cubespace.cli.dry_run import outline, outline_json
from cubespace.cli.option_groups import grouped
from cubespace.cli.options import (
    Apply,
    Computing,
    Device,
    Domain,
    Folder,
    Learner,
    Output,
    Precondition,
    Search,
    Searches,
    Set,
    Settings,
    Talk,
    Watchers,
    execution,
    observers,
    open_run,
)
from cubespace.cli.progress_bar import Terminal
from cubespace.cli.run_log import LOG, RunLog
from cubespace.cli.signals import Stopped
from cubespace.evaluation.summary import best_plan
from cubespace.runs.folder.run_folder import CONFIG, RunFolder, default_folder
from cubespace.settings.check import refuse_missing_files, resolve_components
from cubespace.settings.stages import JUDGEMENT, MEASURES, PDDL

if TYPE_CHECKING:
    from cubespace.plugins.catalogue import Catalogue
    from cubespace.runs.stages.pipeline import Pipeline
    from cubespace.settings.recipe import Execution


COUNTS = ("instances", "found", "valid", "optimal", "all_seen")


@app.command(
    epilog="Example: `cube run --domain mnist --apply btl --planner fd-lmcut --planner fd-lama --instances 10`"
)
@grouped
def run(
    *,
    domain: Domain = None,
    learner: Learner = None,
    apply: Apply = None,
    precondition: Precondition = None,
    search: Search,
    settings: Settings,
    output: Output = None,
    computing: Computing,
    searches: Searches = 1,
    observer: Watchers = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the folder, the phases of training and the configuration; run nothing."),
    ] = False,
    talk: Talk,
) -> None:
    """Learn from a domain's pictures and plan between two of them. Repeating the command continues where it stopped."""
    flags = {
        "domain": domain,
        "learner.name": learner,
        "autoencoder.apply": apply,
        "extract.precondition": precondition,
        **search.flags(),
    }
    loaded = talk.catalogue()
    config = resolve_components(loaded, settings.configuration(flags))
    if dry_run:
        refuse_missing_files(loaded, config)
        write = outline_json if talk.as_json else outline
        typer.echo(write(output or default_folder(config), config, loaded), nl=False)
        return
    how, watchers = attrs.evolve(computing.execution(), searches=searches), observers(loaded, observer)
    show(work(open_run(output, config, loaded), loaded, how, "evaluate", talk.terminal(), watchers), talk.as_json)


@app.command(
    epilog="Examples: `cube train --domain mnist --set train.epochs=50`, `cube train runs/mnist-…` (continues)"
)
@grouped
def train(
    *,
    folder: Annotated[Path | None, typer.Argument(metavar="RUN", help="A run folder to continue.")] = None,
    domain: Domain = None,
    learner: Learner = None,
    apply: Apply = None,
    settings: Settings,
    output: Output = None,
    computing: Computing,
    observer: Watchers = None,
    talk: Talk,
) -> None:
    """Draw the data and train the network; an interrupted training continues with identical results."""
    loaded = talk.catalogue()
    how, watchers = computing.execution(), observers(loaded, observer)
    if folder is not None:
        opened = RunFolder.load(folder, loaded)
    else:
        flags = {"domain": domain, "learner.name": learner, "autoencoder.apply": apply}
        config = resolve_components(loaded, settings.configuration(flags))
        opened = open_run(output, config, loaded)
    done = work(opened, loaded, how, "train", talk.terminal(), watchers)
    measures = done.table(MEASURES)
    if talk.as_json:
        typer.echo(json.dumps({"run": str(done.run.path), "measures": measures}, indent=2))
        return
    for split, values in measures.items():
        named = ((name, value) for name, value in values.items() if value is not None)
        typer.echo(f"{split}: " + ", ".join(f"{name} {value:.4g}" for name, value in named))
    typer.echo(str(done.run.path))


@app.command(epilog="Example: `cube extract runs/mnist-… --precondition static`")
@grouped
def extract(
    *,
    folder: Folder,
    precondition: Precondition = None,
    pairs: Set = None,
    device: Device = "auto",
    talk: Talk,
) -> None:
    """Read the STRIPS model off a trained network and write it as PDDL; settings not given stay as in the run."""
    loaded = talk.catalogue()
    opened = changed(folder, loaded, pairs, {"extract.precondition": precondition})
    done = work(opened, loaded, execution(device), "extract", talk.terminal())
    report = attrs.asdict(done.extraction())
    if talk.as_json:
        typer.echo(json.dumps({"run": str(done.run.path), **report, "judgement": _judgement(done)}, indent=2))
        return
    typer.echo(
        ", ".join(f"{name} {number(each) if isinstance(each, float) else each}" for name, each in report.items())
    )
    typer.echo(str(done.run.file(PDDL)))


@app.command(epilog="Example: `cube evaluate runs/mnist-… --planner fd-ms --instances 100`")
@grouped
def evaluate(
    *,
    folder: Folder,
    search: Search,
    pairs: Set = None,
    device: Device = "auto",
    searches: Searches = 1,
    observer: Watchers = None,
    talk: Talk,
) -> None:
    """Solve instances with the model of a run and judge the plans; settings not given stay as in the run."""
    loaded = talk.catalogue()
    watchers = observers(loaded, observer)
    opened = changed(folder, loaded, pairs, search.flags())
    show(
        work(opened, loaded, execution(device, searches=searches), "evaluate", talk.terminal(), watchers), talk.as_json
    )


def work(
    opened: RunFolder,
    loaded: Catalogue,
    how: Execution,
    last: str,
    terminal: Terminal,
    watchers: Mapping[str, Observer] = MappingProxyType({}),
) -> Pipeline:
    """Do the stages up to ``last``; when interrupted, say how to continue."""
    from cubespace.runs.stages.pipeline import Pipeline

    with terminal, RunLog(opened.file(LOG)) as log:
        observer = Observers((terminal, log), watchers)
        pipeline = Pipeline(opened, loaded, how, observer)
        try:
            pipeline.until(last)
        except Stopped as stop:
            stop.advice = f": the same command continues from the last checkpoint in {opened.path}"
            raise
    return pipeline


def show(done: Pipeline, as_json: bool) -> None:
    """Print the table of a run, and where to look; crashed searches are a failure that the next call may repair."""
    from cubespace.report import write_report

    results = done.results()
    page = write_report([done.run.path], done.catalogue)
    if as_json:
        typer.echo(json.dumps({"run": str(done.run.path), **results, "judgement": _judgement(done)}, indent=2))
    else:
        _table(done, results, page)
    crashed = done.crashed()
    if crashed:
        files = done.run.file("problems") / "*" / "*" / "planner.log"
        count = "1 search" if crashed == 1 else f"{crashed} searches"
        typer.echo(f"cube: {count} crashed: the same command tries again; {files} says why", err=True)
        raise typer.Exit(1)


def _table(done: Pipeline, results: dict[str, Any], page: Path) -> None:
    from cubespace.symbols.effects import SOURCES

    typer.echo(
        f"{'planner':<20} {'instances':>9} {'found':>6} {'valid':>6} {'optimal':>8} {'all seen':>9} {'seconds':>8}"
    )
    for name, row in results["planners"].items():
        counts = (row[key] if row.get(key) is not None else "?" for key in COUNTS)
        asked, found, valid, optimal, seen = counts
        typer.echo(f"{name:<20} {asked:>9} {found:>6} {valid:>6} {optimal:>8} {seen:>9} {row['mean_seconds']:>8}")
    typer.echo("all seen: plans of which training pairs show every step")
    typer.echo(f"model: {done.learner().summary}")
    typer.echo(f"effects: {SOURCES[results['effects']]}; preconditions: {results['preconditions']}")
    for warning in _warnings(done):
        typer.echo(f"warning: {warning}")
    best = _picture(done.run.path, results)
    if best is not None:
        typer.echo(f"the best plan in pictures: {best}")
    typer.echo(f"all of it on one page: {page}")
    typer.echo(str(done.run.path))


def _warnings(done: Pipeline) -> list[str]:
    """Return the warnings about the model that held-out pairs give."""
    findings = _judgement(done).get("findings", [])
    return [f"{each['text']} {each['advice']}".rstrip() for each in findings if each["warning"]]


def _judgement(done: Pipeline) -> dict[str, Any]:
    """Return the judgement of the model on held-out pairs; empty if an older version extracted it."""
    return done.table(JUDGEMENT) if done.run.file(JUDGEMENT).is_file() else {}


def _picture(folder: Path, results: dict[str, Any]) -> Path | None:
    """Return the film strip of the plan that the report shows first."""
    from cubespace.runs.pictures.solving import folder_name

    best = best_plan(record for row in results["planners"].values() for record in row["records"])
    if best is None:
        return None
    return folder / "problems" / str(best["problem"]) / folder_name(str(best["planner"])) / "strip.png"


def changed(folder: Path, loaded: Catalogue, pairs: list[str] | None, flags: Mapping[str, object | None]) -> RunFolder:
    """Open a run with other settings for its later stages."""
    RunFolder.load(folder, loaded)  # first of all, refuse a folder that is not a run
    config = Settings(config=folder / CONFIG, pairs=pairs).configuration(flags)
    return RunFolder.start(folder, resolve_components(loaded, config), loaded)
