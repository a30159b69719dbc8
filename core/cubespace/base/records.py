"""Records: frozen attrs classes that are written as JSON and read back through one strict converter."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import attrs

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import read_json, write_json
from cubespace.base.options import structure

T = TypeVar("T", bound=attrs.AttrsInstance)


def write_record(path: Path, record: attrs.AttrsInstance) -> None:
    """Write a record, whole or not at all."""
    write_json(path, attrs.asdict(record))


def read_record(path: Path, cls: type[T]) -> T:
    """Read a record that :func:`write_record` wrote; anything else is an :class:`InputError` in one line."""
    table = read_json(path)
    if not isinstance(table, dict):
        raise InputError(f"'{path}' is damaged: it is not a table")
    try:
        return structure(cls, table, path.name)
    except UsageError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error
