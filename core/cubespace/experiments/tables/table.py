"""A table of runs: rows and columns by axes, everything else aggregated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from cubespace.experiments.matrix import PLANNER
from cubespace.experiments.tables.columns import Column, Value
from cubespace.experiments.tables.left_out import left_out
from cubespace.experiments.tables.measures import PLANS
from cubespace.experiments.tables.results import frame
from cubespace.experiments.tables.rows import MADE_BY, Row, RunFacts, on_common_problems, planner_rows, varying_axes

DEFAULT_COLUMNS = (PLANS, "recall", "wrong", "training_cpu_seconds")
Problems = Literal["common", "solved"]


@attrs.frozen(kw_only=True)
class Heading:
    """A column: a measure, for some values of the axes that go across."""

    column: Column
    values: Mapping[str, str]

    @property
    def title(self) -> str:
        """Return the heading in words."""
        across = ", ".join(self.values.values())
        return across if across and self.column.name == PLANS else " ".join(filter(None, (across, self.column.title)))


@attrs.frozen(kw_only=True)
class Table:
    """Values by row and heading."""

    rows: tuple[Mapping[str, str], ...]  # the values of the axes that go down
    headings: tuple[Heading, ...]
    values: tuple[tuple[Value, ...], ...]
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()  # further columns, such as the paper's: title, text per row
    caption: str = ""  # what holds for all rows, and so has no column
    left_out: str = ""  # the runs whose stages are not finished

    @property
    def axes(self) -> tuple[str, ...]:
        """Return the axes that go down."""
        return tuple(self.rows[0]) if self.rows else ()

    @property
    def words(self) -> int:
        """Return how many columns on the left are words."""
        return len(self.axes)

    def texts(self) -> list[list[str]]:
        """Return the head and the lines as texts."""
        head = [*self.axes, *(title for title, _ in self.beside), *(heading.title for heading in self.headings)]
        lines = [head]
        for number, (row, values) in enumerate(zip(self.rows, self.values, strict=True)):
            shown = [heading.column.show(value) for heading, value in zip(self.headings, values, strict=True)]
            lines.append([*row.values(), *(texts[number] for _, texts in self.beside), *shown])
        return lines

    def records(self) -> list[dict[str, object]]:
        """Return a record for each value: axes, measure, mean, deviation, minimum and maximum, or the counts."""
        return [
            {**row, **heading.values, **heading.column.record(), **value.record()}
            for row, values in zip(self.rows, self.values, strict=True)
            for heading, value in zip(self.headings, values, strict=True)
        ]

    def to_frame(self) -> Any:
        """Return the records as a pandas DataFrame; pandas must be installed."""
        return frame(self.records())


def make_table(
    runs: Sequence[RunFacts],
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    values: Sequence[str] = DEFAULT_COLUMNS,
    problems: Problems = "common",
) -> Table:
    """Return the table of some runs.

    ``rows`` and ``columns`` are axes: those in which the runs differ, and the planner, if not given. Whatever is in
    neither, such as the seed, is aggregated; what is not finished is counted as missing. Means over ``problems``, such
    as that of expansions, are over those that all planners of the table solved, or over those that each of them solved.
    A measure that does not depend on the planner has a single column. Who learned is always said: in a column, or in
    the caption if it is the same for all.
    """
    across = [PLANNER] if columns is None else list(columns)
    down = [axis for axis in varying_axes(runs) if axis not in across] if rows is None else list(rows)
    all_rows = planner_rows(runs)
    all_rows = on_common_problems(all_rows) if problems == "common" else all_rows
    groups = _groups(all_rows, down)
    learners = _learners(runs)
    said = len(learners) == 1 or MADE_BY in (*down, *across, *values)
    headings: list[Heading] = [] if said else [Heading(column=Column(name=MADE_BY), values={})]
    measured = [Column.parse(text) for text in values]
    headings += [
        Heading(column=column, values=group) for column in measured for group in _across(all_rows, across, column)
    ]
    cells = [
        tuple(heading.column.over([row for row in group if _falls(row, heading)]) for heading in headings)
        for group in groups.values()
    ]
    gone = left_out(runs, measured)
    alike = f"learner of all runs: {learners[0]}" * (len(learners) == 1)
    return Table(
        rows=tuple(dict(zip(down, group, strict=True)) for group in groups),
        headings=tuple(headings),
        values=tuple(cells),
        caption="; ".join(filter(None, (alike, gone))),
        left_out=gone,
    )


def _across(rows: Sequence[Row], axes: Sequence[str], column: Column) -> list[dict[str, str]]:
    """Return the values of the axes for each heading of a column."""
    kept = [axis for axis in axes if axis != PLANNER or column.of_planner]
    return [dict(zip(kept, group, strict=True)) for group in _groups(rows, kept)]


def _learners(runs: Sequence[RunFacts]) -> list[str]:
    """Return who learned, each once; of runs that have learned nothing yet only if all are like that."""
    known = [facts for facts in runs if facts.learner is not None] or runs
    return list(dict.fromkeys(facts.value(MADE_BY) for facts in known))


def _groups(rows: Sequence[Row], axes: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    """Return rows grouped by their values of some axes, in order of appearance."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.value(axis) for axis in axes), []).append(row)
    return groups


def _falls(row: Row, heading: Heading) -> bool:
    return all(row.value(axis) == value for axis, value in heading.values.items())
