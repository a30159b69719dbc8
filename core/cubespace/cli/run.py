"""``cube run`` and the stages one by one: train, extract, evaluate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

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
    given_settings,
    observers,
    open_run,
)
from cubespace.cli.progress_bar import Terminal
from cubespace.cli.run_log import LOG, RunLog
from cubespace.cli.signals import Stopped
from cubespace.learning.measures import Measures
from cubespace.runs.folder.plan_files import PLANNER_LOG, PROBLEMS, STRIP, plan_folder
from cubespace.runs.folder.run_folder import RunFolder, default_folder
from cubespace.settings.check import refuse_missing_files, resolve_components
from cubespace.settings.run_config import with_settings
from cubespace.settings.stages import PDDL

DOUBTFUL = 4  # exit code, as for a plan that is not valid

if TYPE_CHECKING:
    from cubespace.evaluation.judgement_record import Finding
    from cubespace.evaluation.summary import PlannerResults
    from cubespace.plugins.catalogue import Catalogue
    from cubespace.runs.folder.results_file import RunResults
    from cubespace.runs.stages.pipeline import Pipeline
    from cubespace.settings.recipe import Execution


@app.command(
    epilog="`NAME[:…]` is a component with options of its own: `cube run --domain mnist:size=4`; "
    "`cube plugins KIND NAME` lists them. "
    "Example: `cube run --domain mnist --apply btl --planner fd-lmcut --planner fd-lama --instances 10`"
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
        **computing.flags(),
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
    """Draw the data and learn bits from it; an interrupted training continues with identical results."""
    loaded = talk.catalogue()
    how, watchers = computing.execution(), observers(loaded, observer)
    if folder is not None:
        opened = changed(folder, loaded, None, computing.flags())
    else:
        flags = {"domain": domain, "learner.name": learner, "autoencoder.apply": apply, **computing.flags()}
        config = resolve_components(loaded, settings.configuration(flags))
        opened = open_run(output, config, loaded)
    done = work(opened, loaded, how, "train", talk.terminal(), watchers)
    _show_learned(done, talk.as_json)


def _show_learned(done: Pipeline, as_json: bool) -> None:
    """Print who learned and how good the result is; of a network that was rewritten, also how good it was before."""
    learner, measures = done.learner(), attrs.asdict(done.measures())
    as_trained = {split: attrs.asdict(values) for split, values in learner.before_rewriting.items()}
    if as_json:
        about = {"run": str(done.run.path), "learner": learner.title, "updates": learner.updates}
        typer.echo(json.dumps({**about, "measures": measures, "before_rewriting": as_trained}, indent=2))
        return
    typer.echo(f"model: {learner.summary}")
    for split, values in as_trained.items():
        typer.echo(f"{split}, as trained: {_measured(values)}")
    for split, values in measures.items():
        typer.echo(f"{split}{', after rewriting' if as_trained else ''}: {_measured(values)}")
    typer.echo(str(done.run.path))


def _measured(values: Mapping[str, float | None]) -> str:
    """Return measures in a line; those of actions are dashes where none were learned."""
    always = {field.name for field in attrs.fields(Measures) if field.default is attrs.NOTHING}
    shown = {name: value for name, value in values.items() if value is not None or name in always}
    return ", ".join(f"{name} {'–' if value is None else format(value, '.4g')}" for name, value in shown.items())


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
        typer.echo(
            json.dumps({"run": str(done.run.path), **report, "judgement": attrs.asdict(done.judgement())}, indent=2)
        )
        return
    del report["precision"]  # which is a sentence of the judgement
    typer.echo(
        ", ".join(f"{name} {number(each) if isinstance(each, float) else each}" for name, each in report.items())
    )
    for line in _trust(done):
        typer.echo(line)
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

    with terminal, opened.working(), RunLog(opened.file(LOG)) as log:
        observer = Observers((terminal, log), watchers)
        pipeline = Pipeline(opened, loaded, how, observer)
        try:
            pipeline.work_until(last)
        except Stopped as stop:
            stop.advice = f": the same command continues from the last checkpoint in {opened.path}"
            raise
    return pipeline


def show(done: Pipeline, as_json: bool) -> None:
    """Print the table of a run, and where to look; crashed searches are a failure that the next call may repair."""
    from cubespace.report import report_run

    results = done.results()
    page = report_run(done)
    if as_json:
        judgement = attrs.asdict(done.judgement())
        typer.echo(json.dumps({"run": str(done.run.path), **attrs.asdict(results), "judgement": judgement}, indent=2))
    else:
        _table(done, results, page)
    if results.crashed:
        files = done.run.file(PROBLEMS) / "*" / "*" / PLANNER_LOG
        count = "1 search" if results.crashed == 1 else f"{results.crashed} searches"
        typer.echo(f"cube: {count} crashed: the same command tries again; {files} says why", err=True)
        raise typer.Exit(1)
    if results.all_doubtful:
        typer.echo("cube: every plan relies on doubtful moves", err=True)
        raise typer.Exit(DOUBTFUL)


def _table(done: Pipeline, results: RunResults, page: Path) -> None:
    from cubespace.symbols.effects import SOURCES

    typer.echo(
        f"{'planner':<20} {'instances':>9} {'found':>6} {'valid':>6} {'optimal':>8} {'all seen':>9} {'seconds':>8}"
    )
    for name, row in results.planners.items():
        typer.echo(_row(name, row))
    typer.echo("all seen: plans of which training pairs show every step")
    for line in _by_the_authors_rule(results):
        typer.echo(line)
    typer.echo(f"model: {done.learner().summary}")
    typer.echo(f"effects: {SOURCES[results.effects]}; preconditions: {results.preconditions}")
    for line in _trust(done, results.findings):
        typer.echo(line)
    best = results.best
    if best is not None:
        strip = plan_folder(done.run.path, best.problem, best.planner) / STRIP
        typer.echo(f"the best plan in pictures: {strip}")
    typer.echo(f"all of it on one page: {page}")
    typer.echo(str(done.run.path))


def _by_the_authors_rule(results: RunResults) -> list[str]:
    """Return how many plans the rule of the paper's authors accepts, if it was asked for."""
    rows = {name: row for name, row in results.planners.items() if row.authors_valid is not None}
    counts = [f"{name} {row.authors_valid} valid, {row.authors_optimal} optimal" for name, row in rows.items()]
    return [f"by the rule of the paper's authors, which compares no ends: {'; '.join(counts)}"] if counts else []


def _trust(done: Pipeline, of_plans: Sequence[Finding] = ()) -> list[str]:
    """Return how many moves of the model seem to be wrong, and what speaks against learner, model and plans."""
    findings = [*done.judgement().findings, *of_plans]
    precision = [finding.text for finding in findings if finding.about == "precision" and not finding.warning]
    warnings = [*done.learner().warnings, *(finding.words for finding in findings if finding.warning)]
    return precision + [f"warning: {warning}" for warning in warnings]


def _row(planner: str, row: PlannerResults) -> str:
    """Return a row of the table; what nobody can judge is a question mark."""
    valid, optimal = ("?" if count is None else count for count in (row.valid, row.optimal))
    counts = f"{row.instances:>9} {row.found:>6} {valid:>6} {optimal:>8} {row.all_seen:>9}"
    return f"{planner:<20} {counts} {row.mean_seconds:>8}"


def changed(folder: Path, loaded: Catalogue, pairs: list[str] | None, flags: Mapping[str, object | None]) -> RunFolder:
    """Open a run with other settings for its later stages."""
    opened = RunFolder.load(folder, loaded)
    config = with_settings(opened.config, given_settings(pairs, flags))
    return attrs.evolve(opened, config=resolve_components(loaded, config))
