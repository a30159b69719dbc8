"""The results of one run for Python: a table by planner, and a record for every search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cubespace.base.errors import UsageError
from cubespace.base.records import as_table
from cubespace.runs.folder.results_file import RunResults

FIRST = ("problem", "planner", "outcome", "valid", "optimal", "seconds")  # of a search, what is asked first
LAST = ("key", "trace", "pictures")  # hashes
ROW = ("instances", "found", "valid", "optimal", "all_seen", "mean_seconds")


class Results(dict[str, Any]):
    """What ``results.json`` holds; shows itself as a short table."""

    def __init__(self, results: RunResults) -> None:
        super().__init__(as_table(results))

    def rows(self) -> list[Mapping[str, Any]]:
        """Return a row for each planner."""
        return [{"planner": name, **{key: row[key] for key in ROW}} for name, row in self["planners"].items()]

    def records(self) -> list[Mapping[str, Any]]:
        """Return a record for each search; what is asked first comes first, hashes last."""
        return [_ordered(record) for row in self["planners"].values() for record in row["records"]]

    def to_frame(self) -> Any:
        """Return the records as a pandas DataFrame, one line per search; pandas must be installed."""
        return frame(self.records())

    def __repr__(self) -> str:
        """Return the counts of each planner."""
        counts = [
            f"{row['planner']} {row['found']} found, {_known(row['valid'])} valid, {_known(row['optimal'])} optimal"
            for row in self.rows()
        ]
        return f"<Results for {self['domain']}: {'; '.join(counts) or 'no planner'}>"

    def _repr_html_(self) -> str:
        from markupsafe import escape

        head = "".join(f"<th>{key.replace('_', ' ')}</th>" for key in ("planner", *ROW))
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_known(value))}</td>" for value in row.values()) + "</tr>"
            for row in self.rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def frame(records: Sequence[Mapping[str, Any]]) -> Any:
    """Return records as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise UsageError(
            "to_frame() needs pandas: pip install pandas; records() returns the same as plain dicts"
        ) from None
    return pandas.DataFrame(records)


def _known(value: object) -> object:
    return "?" if value is None else value


def _ordered(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record with its keys in the order in which people read them."""
    middle = [key for key in record if key not in FIRST + LAST]
    return {key: record[key] for key in (*FIRST, *middle, *LAST) if key in record}
