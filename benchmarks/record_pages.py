"""A page of results made of records: what was measured is a JSON file, the table is printed from it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cubespace.base.files import write_json, write_text
from cubespace.runs.folder.machine import environment

Columns = Mapping[str, tuple[str, str]]  # of a record's key: the heading, and the format of its values


def write_records(
    stem: Path, title: str, columns: Columns, records: Sequence[Mapping[str, Any]], *, note: str = ""
) -> None:
    """Write records, with the machine and the command that made them, to ``stem``.json, and their page to .md."""
    machine = environment()
    command = " ".join(["python", *sys.argv])
    write_json(stem.with_suffix(".json"), {"command": command, "machine": machine, "records": list(records)})
    text = page(title, columns, records, f"`{command}`, {machine['date']}, {machine['processor']}, one thread.", note)
    write_text(stem.with_suffix(".md"), text)
    print(text)


def page(title: str, columns: Columns, records: Sequence[Mapping[str, Any]], made: str, note: str = "") -> str:
    """Return a page with a row for each record."""
    heads = [heading for heading, _ in columns.values()]
    lines = [f"# {title}", "", made, "", *([note, ""] if note else [])]
    lines += [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for record in records:
        cells = [format(record[key], form) for key, (_, form) in columns.items()]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])
