"""What our programs wrote into ``results/*.json``, as the pages need it: counts of plans, and the paper's own."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median_low
from typing import Any

import attrs

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
PRINTED = ROOT / "examples" / "paper" / "printed"  # the paper's figures, typed by hand
NONE = "–"
Record = dict[str, Any]


@attrs.frozen
class Plans:
    """Plans found, valid and optimal, of how many instances, in how many runs."""

    found: int
    valid: int
    optimal: int
    instances: int
    runs: int = 1

    def __str__(self) -> str:
        """Return them as the tables have them, found/valid/optimal."""
        return f"{self.found}/{self.valid}/{self.optimal}"

    @classmethod
    def read(cls, text: str, instances: int) -> Plans:
        """Return what a table says, such as ``30/29/29``, ``30/29/29 of 30`` or ``8/8/8 + 30/30/30``."""
        rows = [[int(part) for part in each.split(" of ")[0].split("/")] for each in text.split(" + ")]
        found, valid, optimal = (sum(column) for column in zip(*rows, strict=True))
        return cls(found, valid, optimal, instances)


def records(name: str) -> list[Record]:
    """Return the records of ``results/NAME.json``; none if it has not been measured."""
    found = contents(name)
    return list(found.get("records", []) if isinstance(found, dict) else found or [])


def best(name: str) -> list[Record]:
    """Return the records of the best of several seeds; none if the table has no such choice."""
    found = contents(name)
    return list(found.get("best", [])) if isinstance(found, dict) else []


def contents(name: str) -> Any:
    """Return what ``results/NAME.json`` holds; None if it has not been measured."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def rows(name: str) -> list[Record]:
    """Return the rows of the file of a benchmark; none if it has not been measured."""
    path = RESULTS / f"{name}.json"
    found = json.loads(path.read_text("utf-8"))["rows"] if path.is_file() else []
    return list(found.values()) if isinstance(found, dict) else list(found)


def plans(found: Iterable[Record], **wanted: str) -> Plans | None:
    """Return the plans of all records that are as wanted, added up; None if there are none."""
    matching = [each for each in matched(found, measure="plans", **wanted) if each.get("instances")]
    if not matching:
        return None
    names = ("found", "valid", "optimal", "instances")
    return Plans(
        *(sum(each[name] for each in matching) for name in names), sum(each.get("runs", 1) for each in matching)
    )


def matched(found: Iterable[Record], summary: str | None = None, **wanted: str) -> list[Record]:
    """Return the records that are as wanted; without a summary, those of all runs together."""
    return [
        each
        for each in found
        if each.get("summary") == summary and all(str(each.get(key)) == value for key, value in wanted.items())
    ]


def measure(name: str, found: Iterable[Record], part: str = "mean", **wanted: str) -> list[float]:
    """Return a measure of all records that are as wanted, whatever their summary, without those that have none."""
    values = [
        each.get(part) for each in found if each["measure"] == name and all(each.get(k) == v for k, v in wanted.items())
    ]
    return [float(value) for value in values if value is not None]


def middle(several: Sequence[Plans]) -> Plans | None:
    """Return the medians of runs with as many instances each, the lower one of an even number; None of no runs."""
    if not several:
        return None
    found, valid, optimal = (
        median_low(getattr(each, name) for each in several) for name in ("found", "valid", "optimal")
    )
    (instances,) = {each.instances for each in several}
    return Plans(found, valid, optimal, instances, len(several))


def printed(table: str, column: str, domain: str) -> Plans | None:
    """Return what the paper prints for a domain; None where it prints nothing."""
    text, _, instances = printed_cell(table, column, domain=domain).partition(" of ")
    return Plans.read(text, int(instances or 30)) if text else None


def printed_cell(table: str, column: str, **wanted: str) -> str:
    """Return what the paper prints in a column of the first row that is as wanted and not empty; else nothing."""
    found = (row[column] for row in _printed(table) if all(row[key] == value for key, value in wanted.items()))
    return next((cell for cell in found if cell), "")


def printed_columns(table: str) -> list[str]:
    """Return the names of the columns that hold figures of the paper."""
    return [name for name in _printed(table)[0] if name.startswith("paper: ")]


def _printed(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader((PRINTED / f"{table}.csv").read_text("utf-8").splitlines()))


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """Return a table in which figures are not broken."""
    head, *others = lines
    marks = ["---", *("---:" for _ in head[1:])]
    shown = [
        head,
        marks,
        *((first, *(cell.replace(" of ", "\u00a0of\u00a0") for cell in rest)) for first, *rest in others),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in shown) + "\n"
