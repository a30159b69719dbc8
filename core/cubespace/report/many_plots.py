"""Plots of many runs, for a page or as files: efforts, problems solved within them, coverage, losses with bands."""

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
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from cubespace.base.files import replacing

MARKERS = "os^Dvp<>"
BEYOND = 2.5  # times the largest effort of a solved problem: where the border is, on which the unsolved ones lie
MIN_SHOWN = 1e-6  # losses below it mean nothing
POINTS = 200  # of a curve
LINEAR, FINE = 4.0, 300.0  # ends of an axis, one over the other, up to which ticks are evenly spaced, or at 1, 2, 5
MAX_LABEL = 44  # characters in a legend
BARS = 10  # of a histogram of fractions
UNSTEADY = {".svg": "Date", ".pdf": "CreationDate", ".png": "Software"}  # what differs from time to time, by format
SUFFIXES = tuple(UNSTEADY)
DOTS_PER_INCH = 300  # of a PNG
COLUMN, PAGE_WIDTH = 3.35, 6.9  # inches: of a column of a paper with two, and of both
CHARACTER = 0.55  # width of a letter, as a fraction of the size of the font
LEGEND_HANDLE = 30.0  # points that a line of the legend needs beside its text


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
        _plain(axis, *ends)
    _legend(figure, axes, palette)
    return figure


def cactus(efforts: Mapping[str, Sequence[float | None]], x: str, palette: Palette = PAPER) -> Figure:
    """Return how many problems were solved within an effort; None in a list is a problem that was not solved."""
    figure, axes = _figure(palette)
    numbers = [value for values in efforts.values() for value in values if value is not None]
    least = min((value for value in numbers if value > 0), default=1.0) / 1.5
    most = max(numbers, default=1.0) * BEYOND / 2
    for number, (label, values) in enumerate(efforts.items()):
        solved = sorted(max(value, least) for value in values if value is not None)
        along = [least, *solved, most]
        counts = [*range(len(solved) + 1), len(solved)]
        axes.step(along, counts, where="post", linewidth=1.2, label=_label(label), **_line(number, palette))
    axes.set(xlabel=_verbatim(x), ylabel="problems solved", xscale="log", xlim=(least, most))
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    _plain(axes.xaxis, least, most)
    _legend(figure, axes, palette)
    return figure


def coverage(fractions: Mapping[str, tuple[float, float, float]], x: str, palette: Palette = PAPER) -> Figure:
    """Return fractions with their intervals, one below the other: the fraction, its lower and its upper bound."""
    figure, axes = _figure(palette, height=0.9 + 0.22 * len(fractions))
    for number, (fraction, low, high) in enumerate(fractions.values()):
        colour = palette.series[number % len(palette.series)]
        axes.plot([low, high], [number, number], color=colour, linewidth=1.2)
        axes.plot([fraction], [number], color=colour, marker=MARKERS[number % len(MARKERS)], markersize=5)
    axes.set(xlabel=_verbatim(x), xlim=(-0.02, 1.02), ylim=(len(fractions) - 0.5, -0.5))
    axes.set_yticks(range(len(fractions)), [_label(label) for label in fractions])
    return figure


def bands(
    runs: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]], key: str, title: str, palette: Palette = PAPER
) -> Figure:
    """Return a measure over training: the mean of the runs of a label, and a band from the least to the largest."""
    figure, axes = _figure(palette)
    for number, (label, group) in enumerate(runs.items()):
        line = _line(number, palette)
        curves = [np.array([row[key] for row in rows if row.get(key) is not None], dtype=float) for rows in group]
        curves = [curve for curve in curves if len(curve)]
        if not curves:
            continue
        along = np.linspace(0, 1, min(POINTS, max(map(len, curves))))
        stretched = np.stack([np.interp(along, np.linspace(0, 1, len(curve)), curve) for curve in curves])
        axes.plot(along, stretched.mean(0), label=_label(label), linewidth=1.2, **line)
        if len(curves) > 1:
            axes.fill_between(along, stretched.min(0), stretched.max(0), color=line["color"], alpha=0.15, linewidth=0)
    axes.set(xlabel="fraction of training", ylabel=title, yscale="log")
    axes.set_ylim(bottom=max(axes.get_ylim()[0], MIN_SHOWN))
    _plain(axes.yaxis, *axes.get_ylim())
    _legend(figure, axes, palette)
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
    _legend(figure, axes, palette)
    return figure


def write_figure(figure: Figure, stem: Path, width: float = COLUMN) -> list[Path]:
    """Write a figure as SVG, PDF and PNG, the same every time; its height stays, its width is in inches."""
    written = []
    figure.set_figwidth(width)
    for suffix in SUFFIXES:
        path = stem.with_name(stem.name + suffix)
        nothing: dict[str, None] = {UNSTEADY[suffix]: None}
        with mpl.rc_context({"svg.hashsalt": stem.name, "svg.fonttype": "none"}), replacing(path) as file:
            figure.savefig(file, format=suffix[1:], metadata=nothing, dpi=DOTS_PER_INCH)
        written.append(path)
    return written


def _verbatim(text: str) -> str:
    """Return a text that matplotlib shows as it is: a dollar begins no formula."""
    return text.replace("$", r"\$")


def _placed(value: float | None, least: float, border: float) -> float:
    """Return where a value lies: nothing is below the least, and what was not solved is on the border."""
    return border if value is None else max(value, least / 1.2)


def _label(text: str) -> str:
    return _verbatim(shorten(text, MAX_LABEL, placeholder=" …"))


def _line(number: int, palette: Palette) -> dict[str, Any]:
    """Return colour and style of a line: styles change when the colours are used up."""
    style = ("-", "--", "-.", ":")[number // len(palette.series) % 4]
    return {"color": palette.series[number % len(palette.series)], "linestyle": style}


def _figure(palette: Palette, square: bool = False, height: float = 2.3) -> tuple[Figure, Axes]:
    with mpl.rc_context({"font.size": 8}):
        # the layout leaves no margin unused; the legend is below the axes
        figure = Figure(figsize=(COLUMN, COLUMN if square else height), layout="constrained")
        axes = figure.add_subplot()
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


def _plain(axis: Axis, low: float, high: float) -> None:
    """Label a logarithmic axis with plain numbers, at least two of them: less than a decade is often all there is."""
    within = high / max(low, MIN_SHOWN)
    locator = MaxNLocator(5) if within < LINEAR else LogLocator(subs=(1.0, 2.0, 5.0) if within < FINE else (1.0,))
    axis.set_major_locator(locator)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_locator(NullLocator())


def _legend(figure: Figure, axes: Axes, palette: Palette) -> None:
    """Put the legend below the axes, where it hides no curve, in as many columns as the width has room for."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        size = 7
        room = figure.get_figwidth() * 72 / (max(map(len, labels)) * size * CHARACTER + LEGEND_HANDLE)
        columns = max(1, min(len(labels), int(room)))
        figure.legend(
            handles,
            labels,
            frameon=False,
            labelcolor=palette.ink,
            fontsize=size,
            ncols=columns,
            loc="outside lower center",
        )
