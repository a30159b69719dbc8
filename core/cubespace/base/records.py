"""Typed records in JSON files: written as they are, and read back strictly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import read_json, write_json
from cubespace.base.options import structure

T = TypeVar("T")


def write_record(path: Path, record: attrs.AttrsInstance) -> None:
    """Write a record, whole or not at all."""
    write_json(path, attrs.asdict(record))


def read_record(cls: type[T], path: Path) -> T:
    """Return the record, an attrs class, that a JSON file holds; any other content is an :class:`InputError`."""
    table = read_json(path)
    if not isinstance(table, dict):
        raise InputError(f"'{path}' is damaged: it is not a table")
    return as_record(cls, table, path)


def as_record(cls: type[T], table: Mapping[str, Any], path: Path) -> T:
    """Return a table as a record; ``path`` is where it came from."""
    try:
        return structure(cls, table, path.name)
    except UsageError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error
