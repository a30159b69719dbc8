"""``cube tables``: the results of many runs, as tables and plots; nothing is trained or solved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
import typer

from cubespace.base.files import write_text
from cubespace.cli.app import app
from cubespace.cli.option_groups import grouped
from cubespace.settings import defaults

if TYPE_CHECKING:
    from cubespace.experiments.tables.rows import RunFacts
    from cubespace.experiments.tables.table import Table

Folders = Annotated[list[Path], typer.Argument(metavar="RUN…|MATRIX", help="Run folders, or the folder of a matrix.")]


@attrs.frozen
class Layout:
    """What a table shows, and where."""

    rows: Annotated[
        str | None, typer.Option(metavar="AXIS,…", help="Axes that go down.  [default: those in which runs differ]")
    ] = None
    columns: Annotated[str | None, typer.Option(metavar="AXIS,…", help="Axes that go across.  [default: planner]")] = (
        None
    )
    values: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE[:SUMMARY],…",
            help="What to show, such as updates or effects; a summary is spread (mean ± sd), mean, "
            "median, min, max, range or sum; plans are added up, or plans:median.  "
            "[default: plans,recall,wrong,training_seconds]",
        ),
    ] = None

    def table(self, runs: Sequence[RunFacts]) -> Table:
        """Return the table of some runs."""
        from cubespace.experiments.tables.table import DEFAULT_COLUMNS, make_table

        return make_table(runs, _list(self.rows), _list(self.columns), _list(self.values) or DEFAULT_COLUMNS)


@app.command(
    epilog="Examples: `cube tables runs/smoke`, `cube tables runs/smoke --rows variant --columns planner "
    "--values plans,recall:min,successor --format latex`"
)
@grouped
def tables(
    *,
    folders: Folders,
    layout: Layout,
    form: Annotated[
        Literal["markdown", "latex", "csv", "json"], typer.Option("--format", help="How to print the table.")
    ] = "markdown",
    as_json: Annotated[bool, typer.Option("--json", help="The same as `--format json`.")] = False,
    beside: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A CSV file with columns to compare with, by the same axes.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write it.")] = None,
    plots: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Also write plots of effort, known steps and losses, as SVG and PDF.",
        ),
    ] = None,
    against: Annotated[
        str, typer.Option(metavar="PLANNER", help="The planner that plots put on the horizontal axis.")
    ] = defaults.COMPARED_PLANNER,
) -> None:
    """Print a table of many runs; seeds, and every axis that is in neither rows nor columns, are aggregated."""
    from cubespace.experiments.tables.formats import FORMATS, put_beside
    from cubespace.experiments.tables.rows import read_runs

    runs = read_runs(folders)
    table = layout.table(runs)
    text = FORMATS["json" if as_json else form](table if beside is None else put_beside(table, beside))
    if output is None:
        typer.echo(text)
    else:
        write_text(output, text + "\n")
        typer.echo(str(output))
    if plots is not None:
        _write_plots(runs, plots, against)


def _write_plots(runs: Sequence[RunFacts], folder: Path, against: str) -> None:
    """Write plots of the effort of planners against one of them, of what plans have from training, and of losses."""
    from cubespace.experiments.tables.efforts import efforts, known_fractions, loss_rows
    from cubespace.report.many_plots import bands, histogram, scatter, write_figure

    figures = {
        name: scatter(efforts(runs, against, key), f"{about}, {against}", f"{about}, others")
        for name, key, about in (
            ("expansions", "expansions", "expansions"),
            ("search-time", "search_seconds", "seconds of search"),
        )
    }
    figures["known-states"] = histogram(known_fractions(runs, "states"), "fraction of a plan's states seen in training")
    known_steps = known_fractions(runs, "transitions")
    figures["known-steps"] = histogram(known_steps, "fraction of a plan's transitions seen in training")
    losses = loss_rows(runs)
    for key, about in (("reconstruction", "Rec"), ("successor", "Succ"), ("direct", "Direct")):
        figures[f"held-out-{key}"] = bands(losses, f"validation_{key}", f"{about} on pictures held out")
    for name, figure in figures.items():
        for path in write_figure(figure, folder / name):
            typer.echo(str(path), err=True)


def _list(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]
