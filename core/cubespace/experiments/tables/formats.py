"""A table as Markdown, LaTeX, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import attrs

from cubespace.base.errors import InputError
from cubespace.experiments.tables.table import Table


class Tabular(Protocol):
    """Something that is written as a table."""

    @property
    def caption(self) -> str:
        """Return what holds for all of it."""

    @property
    def words(self) -> int:
        """Return how many columns on the left are words; the others are set to the right."""

    def texts(self) -> Sequence[Sequence[str]]:
        """Return the head and the lines."""

    def records(self) -> Sequence[Mapping[str, object]]:
        """Return a record for each value."""


LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    "–": "--",
    "±": r"$\pm$",
    "…": r"\dots{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def markdown(table: Tabular) -> str:
    """Return the table for a page."""
    head, *lines = table.texts()
    marks = ["---"] * len(head)
    caption = f"{table.caption[:1].upper()}{table.caption[1:]}.\n\n" if table.caption else ""
    return caption + "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in (head, marks, *lines)
    )


def latex(table: Tabular) -> str:
    """Return the table for a paper; it needs the package booktabs."""
    head, *lines = ([_escaped(cell) for cell in line] for line in table.texts())
    columns = "l" * table.words + "r" * (len(head) - table.words)
    # a bracket or an asterisk that follows a line break would be read as its argument
    body = ["{}" * line[0].startswith(("[", "*")) + " & ".join(line) + r" \\" for line in lines]
    top = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", " & ".join(head) + r" \\", r"\midrule"]
    caption = [f"% {table.caption}"] if table.caption else []
    return "\n".join([*caption, *top, *body, r"\bottomrule", r"\end{tabular}"])


def as_csv(table: Tabular) -> str:
    """Return a line for each value of the table, with mean, deviation, minimum and maximum in separate columns."""
    records = table.records()
    names = list(dict.fromkeys(name for record in records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().rstrip("\n")


def as_json(table: Tabular) -> str:
    """Return the records of the table."""
    return json.dumps(table.records(), indent=2)


FORMATS: dict[str, Callable[[Tabular], str]] = {"markdown": markdown, "latex": latex, "csv": as_csv, "json": as_json}


def put_beside(table: Table, file: Path) -> Table:
    """Return a table with more columns from a CSV file, whose first columns are named like the axes of the rows."""
    try:
        lines = list(csv.DictReader(file.read_text("utf-8").splitlines()))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
    axes = [axis for axis in table.axes if lines and axis in lines[0]]
    if not axes:
        raise InputError(f"{file} has no column called {' or '.join(table.axes)}: it cannot be matched with the rows")
    known = {tuple(line[axis] for axis in axes): line for line in lines}
    matching = [known.get(tuple(row[axis] for axis in axes), {}) for row in table.rows]
    titles = [title for title in lines[0] if title not in axes]
    return attrs.evolve(
        table, beside=tuple((title, tuple(line.get(title) or "–" for line in matching)) for title in titles)
    )


def _escaped(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)
