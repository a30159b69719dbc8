"""``cube tables``: the results of many runs, as tables and plots; nothing is trained or solved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.files import write_text
from cubespace.cli.app import app
from cubespace.cli.option_groups import grouped
from cubespace.settings import defaults

if TYPE_CHECKING:
    from cubespace.experiments.tables.paired import Comparison
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
            help="What to show, such as updates or effects; a summary is spread (mean ± sd over seeds), mean, "
            "median, min, max, range or sum; found, valid and optimal also have interval (Wilson, 95 %); plans are "
            "added up, or plans:median.  [default: plans,recall,wrong,training_cpu_seconds]",
        ),
    ] = None
    problems: Annotated[
        Literal["common", "solved"],
        typer.Option(
            help="Means of plan lengths, expansions and search times: over the problems that all planners of the table "
            "solved, or over those that each solved."
        ),
    ] = "common"
    best_of_seeds: Annotated[
        bool,
        typer.Option(
            "--best-of-seeds",
            help="Of runs that differ in nothing but seeds, only the one with the least loss on the validation split, "
            "(Rec + Succ) / 2 + Direct, as the paper's authors choose theirs.",
        ),
    ] = False

    def table(self, runs: Sequence[RunFacts]) -> Table:
        """Return the table of some runs."""
        from cubespace.experiments.tables.best import CAPTION, best_of_seeds
        from cubespace.experiments.tables.table import DEFAULT_COLUMNS, make_table

        shown = _list(self.values) or DEFAULT_COLUMNS
        chosen = best_of_seeds(runs) if self.best_of_seeds else runs
        made = make_table(chosen, _list(self.rows), _list(self.columns), shown, self.problems)
        said = [CAPTION] * self.best_of_seeds
        return attrs.evolve(made, caption="; ".join(filter(None, (*said, made.caption))))


@attrs.frozen
class Plots:
    """Which plots are written besides."""

    plots: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Also write plots, as SVG, PDF and PNG."),
    ] = None
    plot_width: Annotated[
        Literal["column", "page"], typer.Option(help="Of plots: a column of a paper that has two, or both.")
    ] = "column"
    against: Annotated[
        str, typer.Option(metavar="PLANNER", help="The planner that plots put on the horizontal axis.")
    ] = defaults.COMPARED_PLANNER


Compare = Annotated[
    str | None,
    typer.Option(
        metavar="AXIS",
        help="Instead, paired tests between the values of an axis, or of the planners; --values names what is "
        "compared, valid plans if not given.",
    ),
]


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
    compare: Compare = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to write it.")] = None,
    drawn: Plots,
) -> None:
    """Print a table of many runs; seeds, and every axis that is in neither rows nor columns, are aggregated."""
    from cubespace.experiments.tables.formats import FORMATS, put_beside
    from cubespace.experiments.tables.rows import read_runs
    from cubespace.experiments.tables.table import Table

    runs = read_runs(folders)
    made = layout.table(runs) if compare is None else _compared(runs, compare, layout, beside)
    _say_what_is_missing(made, folders)
    text = FORMATS["json" if as_json else form](
        put_beside(made, beside) if beside is not None and isinstance(made, Table) else made
    )
    if output is None:
        typer.echo(text)
    else:
        write_text(output, text + "\n")
        typer.echo(str(output))
    if drawn.plots is not None:
        _write_plots(runs, drawn.plots, drawn.against, drawn.plot_width)


def _say_what_is_missing(made: Table | Comparison, folders: Sequence[Path]) -> None:
    """Say which runs are not in the table: unfinished ones, and those of axes that a matrix had before."""
    from cubespace.experiments.cell_folders import CELLS
    from cubespace.experiments.tables.rows import former_runs
    from cubespace.experiments.tables.table import Table

    if isinstance(made, Table) and made.left_out:
        typer.echo(f"cube: warning: {made.left_out}; cube matrix, or cube evaluate, does what is left", err=True)
    for folder, count in former_runs(folders).items():
        runs = "1 run is" if count == 1 else f"{count} runs are"
        way = f"cube tables {folder / CELLS}/* shows all"
        typer.echo(f"cube: note: {runs} of axes that {folder} had before, and not in the table: {way}", err=True)


def _compared(runs: Sequence[RunFacts], axis: str, layout: Layout, beside: Path | None) -> Comparison:
    """Return paired tests; what belongs to the other kind of table is refused."""
    from cubespace.experiments.tables.paired import DEFAULT_MEASURES, compare

    if layout.rows or layout.columns or layout.best_of_seeds or beside is not None:
        raise UsageError(
            "--compare has a row for each two values, and compares all seeds: leave --rows, --columns, --best-of-seeds "
            "and --beside out"
        )
    return compare(runs, axis, _list(layout.values) or DEFAULT_MEASURES)


def _write_plots(runs: Sequence[RunFacts], folder: Path, against: str, width: str) -> None:
    """Write plots of efforts of planners, against one of them and by problems solved, of coverage and of losses."""
    from cubespace.experiments.tables.efforts import coverages, effort_lists, efforts, known_fractions, loss_rows
    from cubespace.report import many_plots
    from cubespace.report.many_plots import bands, cactus, coverage, histogram, scatter, write_figure

    inches = many_plots.COLUMN if width == "column" else many_plots.PAGE_WIDTH
    figures = {
        name: scatter(efforts(runs, against, key), f"{about}, {against}", f"{about}, others")
        for name, key, about in (
            ("expansions", "expansions", "expansions"),
            ("search-time", "search_seconds", "seconds of search"),
        )
    }
    for name, key, about in (("expansions", "expansions", "expansions"), ("time", "seconds", "seconds of a search")):
        figures[f"solved-by-{name}"] = cactus(effort_lists(runs, key), about)
    fractions = {label: (each.fraction, each.low, each.high) for label, each in coverages(runs).items()}
    if fractions:
        figures["coverage"] = coverage(fractions, "fraction of problems with a valid plan, 95 % interval")
    figures["known-states"] = histogram(known_fractions(runs, "states"), "fraction of a plan's states seen in training")
    known_steps = known_fractions(runs, "transitions")
    figures["known-steps"] = histogram(known_steps, "fraction of a plan's transitions seen in training")
    losses = loss_rows(runs)
    measured = {
        key for group in losses.values() for rows in group for row in rows for key in row if row[key] is not None
    }
    for key, about in (("reconstruction", "Rec"), ("successor", "Succ"), ("direct", "Direct")):
        if f"validation_{key}" not in measured:
            continue
        figures[f"held-out-{key}"] = bands(losses, f"validation_{key}", f"{about} on pictures held out")
    for name, figure in figures.items():
        for path in write_figure(figure, folder / name, inches):
            typer.echo(str(path), err=True)


def _list(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]
