"""Plots as inline SVG whose colours are those of the page, light or dark. The only place that imports matplotlib."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from cubespace.evaluation.summary import PlannerResults
from cubespace.report.image_tags import ADDED, DELETED
from cubespace.symbols.strips import StripsModel

# matplotlib needs colours, but the page has variables: these colours stand for them until the SVG is written
INK, GRID = "#0a0b00", "#0a0b0f"
SERIES = ("#0a0b01", "#0a0b02", "#0a0b03", "#0a0b04", "#0a0b05", "#0a0b06")
MARKERS = "os^Dvp"
# what matplotlib writes for a separate file: a size, ids, a style that would apply to the whole page
REMOVED = (r"<metadata>.*?</metadata>", r"<style.*?</style>", r'(?<=<g) id="[^"]*"', r' (?:width|height)="[^"]*pt"')
MIN_LOSS_SHOWN = 1e-6  # differences below it mean nothing
MAX_POINTS_PER_CURVE = 300  # more cannot be seen

TRAINING = {
    "before": "picture before",
    "after": "picture after",
    "successor": "picture after, by the action",
    "direct": "bits (direct)",
    "zero_suppress": "true bits",
}
HELD_OUT_TITLES = {"reconstruction": "Rec: redrawn", "successor": "Succ: predicted", "direct": "Direct: wrong bits"}


def loss_curves(rows: Sequence[Mapping[str, Any]], sequence: Sequence[str] = ()) -> Markup:
    """Return the loss terms over the epochs of training; ``sequence`` names all phases, if it is known."""
    curves = {words: [row.get(name) for row in rows] for name, words in TRAINING.items()}
    return _curves("losses", rows, curves, "loss in training", sequence)


def held_out_curves(rows: Sequence[Mapping[str, Any]], sequence: Sequence[str] = ()) -> Markup:
    """Return the errors on the validation split over the epochs of training."""
    curves = {words: [row.get(f"validation_{name}") for row in rows] for name, words in HELD_OUT_TITLES.items()}
    return _curves("held-out", rows, curves, "error on pictures held out", sequence)


def inline(figure: Figure, name: str) -> Markup:
    """Return a figure in the colours that stand for the page's own as SVG for a page."""
    return _svg(figure, name)


def effort(planners: Mapping[str, PlannerResults]) -> Markup | None:
    """Return expansions against seconds, a mark per instance, a colour per planner; None where nobody counted."""
    figure, axes = _figure()
    shown = False
    for number, (name, row) in enumerate(planners.items()):
        points = [
            (max(1, record.expansions), max(1e-3, record.seconds))
            for record in row.records
            if record.expansions is not None
        ]
        if points:
            shown = True
            colour, marker = SERIES[number % len(SERIES)], MARKERS[number % len(MARKERS)]
            expansions, seconds = zip(*points, strict=True)
            axes.scatter(expansions, seconds, s=18, color=colour, marker=marker, alpha=0.75, label=_verbatim(name))
    if not shown:
        return None
    axes.set(xlabel="states expanded", ylabel="seconds", xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))  # a decade is often all there is
        _plain(axis)
    _legend(axes)
    return _svg(figure, "effort")


def effect_map(model: StripsModel) -> Markup:
    """Return which action changes which bit: a row per action, a column per bit that any action changes."""
    changed = np.flatnonzero((model.add | model.delete).any(0))
    add, delete = model.add[:, changed], model.delete[:, changed]
    # neighbours in this order share their first changed bits, so that groups of like actions are seen as blocks
    columns = np.argsort(-(add | delete).sum(0), kind="stable")
    rows = np.lexsort((add * 2 + delete * 1)[:, columns[::-1]].T)[::-1]
    cells = np.zeros((*add.shape, 4), dtype=np.uint8)
    cells[add], cells[delete] = ADDED, DELETED
    figure, axes = _figure(height=3.4)
    axes.imshow(cells[rows][:, columns], aspect="auto", interpolation="none")
    axes.set(xlabel=f"the {len(changed)} bits that change", ylabel=f"{model.actions} actions")
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.set_yticks([])
    return _svg(figure, "effects")


def _curves(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    curves: Mapping[str, Sequence[float | None]],
    title: str,
    sequence: Sequence[str],
) -> Markup:
    figure, axes = _figure()
    epochs = [row["epoch"] for row in rows]
    for number, (words, values) in enumerate(curves.items()):
        # the last phase may train a part only: a term that was not there leaves a gap
        points = [(epoch, value) for epoch, value in zip(epochs, values, strict=True) if value is not None]
        if points:
            axes.plot(*zip(*_thin(points), strict=True), color=SERIES[number], label=words)
    for epoch, words in phase_marks(rows, sequence):
        axes.axvline(epoch, color=INK, linewidth=0.6, linestyle=":")
        axes.text(
            epoch,
            1,
            _verbatim(f"{words} "),
            fontsize=7,
            color=INK,
            transform=axes.get_xaxis_transform(),
            va="top",
            ha="right",
            rotation=90,
        )
    axes.set(xlabel="epoch", ylabel=title, yscale="log")
    axes.set_ylim(bottom=max(axes.get_ylim()[0], MIN_LOSS_SHOWN))
    _plain(axes.yaxis)
    _legend(axes)
    return _svg(figure, name)


def phase_marks(rows: Sequence[Mapping[str, Any]], sequence: Sequence[str]) -> list[tuple[int, str]]:
    """Return after which epochs phases begin, and which: those that take no epochs are named with the next one."""
    marks: list[tuple[int, str]] = []
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        follower = after["phase"] if after else None
        if row["phase"] == follower:
            continue
        begin = sequence.index(row["phase"]) + 1 if row["phase"] in sequence else len(sequence)
        end = sequence.index(follower) if follower in sequence else len(sequence)
        names = [*sequence[begin:end], *([follower] if follower else [])]
        if names:
            marks.append((row["epoch"], ", ".join(names)))
    return marks


def _verbatim(text: str) -> str:
    """Return a text that matplotlib shows as it is: what stands between two dollars it would take for a formula."""
    return text.replace("$", r"\$")


def _thin(points: Sequence[tuple[Any, Any]]) -> Sequence[tuple[Any, Any]]:
    step = max(1, len(points) // MAX_POINTS_PER_CURVE)
    return [*points[:-1:step], points[-1]]


def _figure(height: float = 2.9) -> tuple[Figure, Axes]:
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(5.4, height))
        # fixed margins, as measuring every text takes longer than drawing
        axes = figure.add_axes((0.13, 0.16, 0.85, 0.81))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GRID)
    axes.tick_params(which="both", color=GRID, labelcolor=INK)
    axes.grid(visible=True, color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    return figure, axes


def _plain(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers: quicker to read than powers, and to draw."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_locator(NullLocator())


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, labelcolor=INK, fontsize=8)


def _svg(figure: Figure, name: str) -> Markup:
    """Return the figure as SVG that is the same every time; ``name`` keeps its ids apart from those of other plots."""
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    for needless in REMOVED:
        svg = re.sub(needless, "", svg, flags=re.DOTALL)
    svg = svg.replace(INK, "var(--plot-ink)").replace(GRID, "var(--line)")
    for number, colour in enumerate(SERIES, 1):
        svg = svg.replace(colour, f"var(--series-{number})")
    return Markup(svg.replace("<svg ", f'<svg class="plot" role="img" aria-label="{name}" ', 1))
