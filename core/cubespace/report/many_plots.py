"""Plots of many runs: effort of planners against each other, and losses with bands; for a page or as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any

import attrs
import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from cubespace.base.files import replacing

MARKERS = "os^Dvp<>"
BEYOND = 2.5  # times the largest effort of a solved problem: where the border is, on which the unsolved ones lie
MIN_SHOWN = 1e-6  # losses below it mean nothing
POINTS = 200  # of a curve
MAX_LABEL = 44  # characters in a legend
BARS = 10  # of a histogram of fractions
LEGEND_ROWS = 12  # more are set in a further column
SUFFIXES = (".svg", ".pdf")


@attrs.frozen
class Palette:
    """The colours of a plot."""

    ink: str = "#333333"
    grid: str = "#dddddd"
    series: tuple[str, ...] = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito


PAPER = Palette()


def scatter(
    pairs: Mapping[str, Sequence[tuple[float | None, float | None]]], x: str, y: str, palette: Palette = PAPER
) -> Figure:
    """Return efforts of planners against that of one; problems that one side did not solve lie on the border."""
    figure, axes = _figure(palette, square=True)
    numbers = [value for points in pairs.values() for pair in points for value in pair if value is not None]
    least = min((value for value in numbers if value > 0), default=1.0)
    border = max(numbers, default=1.0) * BEYOND
    for number, (name, points) in enumerate(pairs.items()):
        placed = np.array([[_placed(value, least, border) for value in pair] for pair in points])
        colour, marker = palette.series[number % len(palette.series)], MARKERS[number % len(MARKERS)]
        axes.scatter(
            placed[:, 0],
            placed[:, 1],
            s=16,
            color=colour,
            marker=marker,
            alpha=0.6,
            label=_verbatim(name),
            linewidths=0,
        )
    ends = (least / 1.5, border)
    axes.plot(ends, ends, color=palette.ink, linewidth=0.6)
    for line in (axes.axhline, axes.axvline):
        line(border, color=palette.ink, linewidth=0.6, linestyle=":")
    axes.set(
        xlabel=_verbatim(x),
        ylabel=_verbatim(y),
        xscale="log",
        yscale="log",
        xlim=(ends[0], border * 1.4),
        ylim=(ends[0], border * 1.4),
    )
    axes.text(border, ends[0], " unsolved", rotation=90, va="bottom", ha="right", fontsize=7, color=palette.ink)
    for axis in (axes.xaxis, axes.yaxis):
        _plain(axis)
    _legend(axes, palette)
    return figure


def bands(
    runs: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]], key: str, title: str, palette: Palette = PAPER
) -> Figure:
    """Return a measure over training: the mean of the runs of a label, and a band from the least to the largest."""
    figure, axes = _figure(palette)
    for number, (label, group) in enumerate(runs.items()):
        colour = palette.series[number % len(palette.series)]
        style = ("-", "--", "-.", ":")[number // len(palette.series) % 4]
        curves = [np.array([row[key] for row in rows if row.get(key) is not None], dtype=float) for rows in group]
        curves = [curve for curve in curves if len(curve)]
        if not curves:
            continue
        along = np.linspace(0, 1, min(POINTS, max(map(len, curves))))
        stretched = np.stack([np.interp(along, np.linspace(0, 1, len(curve)), curve) for curve in curves])
        name = _verbatim(shorten(label, MAX_LABEL, placeholder=" …"))
        axes.plot(along, stretched.mean(0), color=colour, linestyle=style, label=name, linewidth=1.2)
        if len(curves) > 1:
            axes.fill_between(along, stretched.min(0), stretched.max(0), color=colour, alpha=0.15, linewidth=0)
    axes.set(xlabel="fraction of training", ylabel=title, yscale="log")
    axes.set_ylim(bottom=max(axes.get_ylim()[0], MIN_SHOWN))
    _plain(axes.yaxis)
    _legend(axes, palette)
    return figure


def histogram(fractions: Mapping[str, Sequence[float]], title: str, palette: Palette = PAPER) -> Figure:
    """Return how many plans have which fraction of something, side by side for each label; the last bar holds 1."""
    figure, axes = _figure(palette)
    edges = np.linspace(0.0, 1.0, BARS + 1)
    width = (edges[1] - edges[0]) * 0.9 / max(1, len(fractions))
    for number, (label, values) in enumerate(fractions.items()):
        counts, _ = np.histogram(values, edges)
        left = edges[:-1] + number * width
        colour = palette.series[number % len(palette.series)]
        axes.bar(left, counts, width, align="edge", color=colour, label=_verbatim(label))
    axes.set(xlabel=title, ylabel="plans", xlim=(0.0, 1.0))
    _legend(axes, palette)
    return figure


def write_figure(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as SVG and as PDF, the same every time."""
    written = []
    for suffix in SUFFIXES:
        path = stem.with_name(stem.name + suffix)
        nothing = {"Date": None} if suffix == ".svg" else {"CreationDate": None}
        with mpl.rc_context({"svg.hashsalt": stem.name, "svg.fonttype": "none"}), replacing(path) as file:
            figure.savefig(file, format=suffix[1:], metadata=nothing)
        written.append(path)
    return written


def _verbatim(text: str) -> str:
    """Return a text that matplotlib shows as it is: a dollar begins no formula."""
    return text.replace("$", r"\$")


def _placed(value: float | None, least: float, border: float) -> float:
    """Return where a value lies: nothing is below the least, and what was not solved is on the border."""
    return border if value is None else max(value, least / 1.2)


def _figure(palette: Palette, square: bool = False) -> tuple[Figure, Axes]:
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(6.4, 4.0) if square else (7.2, 3.2))
        # fixed margins, the legend to the right of the axes
        axes = figure.add_axes((0.15, 0.13, 0.5, 0.83) if square else (0.1, 0.15, 0.52, 0.8))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(palette.grid)
    axes.tick_params(which="both", color=palette.grid, labelcolor=palette.ink)
    axes.grid(visible=True, color=palette.grid, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.xaxis.label.set_color(palette.ink)
    axes.yaxis.label.set_color(palette.ink)
    return figure, axes


def _plain(axis: Axis) -> None:
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_locator(NullLocator())


def _legend(axes: Axes, palette: Palette) -> None:
    """Put the legend beside the axes, where it hides no curve."""
    labels = axes.get_legend_handles_labels()[1]
    if labels:
        columns = 1 + (len(labels) - 1) // LEGEND_ROWS
        size = 8 if columns == 1 else 6
        axes.legend(
            frameon=False,
            labelcolor=palette.ink,
            fontsize=size,
            ncols=columns,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
        )
