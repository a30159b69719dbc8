"""Whether options are numbers and choices alone: then they name no file, no module and no program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs


def closed(given: Any, usual: Any) -> bool:
    """Return whether all options that differ from the ``usual`` ones, of the same class, are numbers or choices."""
    kinds = get_type_hints(type(given))
    names = [field.name for field in attrs.fields(type(given))]
    changed = [name for name in names if getattr(given, name) != getattr(usual, name)]
    return all(_is_closed(getattr(given, name), kinds[name]) for name in changed)


def _is_closed(value: object, kind: Any) -> bool:
    """Return whether a value is a number, a choice from a list, or a tuple of numbers."""
    if isinstance(value, tuple):
        return all(isinstance(item, bool | int | float) for item in value)
    return value is None or isinstance(value, bool | int | float) or value in list(_choices(kind))


def _choices(kind: Any) -> Iterator[object]:
    """Yield the values that a type lists, also if it is optional."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    else:
        for part in get_args(kind):
            yield from _choices(part)
