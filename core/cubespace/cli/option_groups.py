"""Options that several commands share, as one parameter: an attrs class with a field per option."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_type_hints

import attrs


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the fields of its groups one by one, in place of the groups."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if attrs.has(kind)}
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        name = parameter.name
        parameters += _fields(groups[name]) if name in groups else [parameter.replace(annotation=hints[name])]

    @wraps(command)
    def call(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in attrs.fields(kind)})
        command(**given)

    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _fields(group: type[Any]) -> list[inspect.Parameter]:
    hints, kind = get_type_hints(group, include_extras=True), inspect.Parameter.KEYWORD_ONLY
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=hints[field.name])
        for field in attrs.fields(group)
    ]
