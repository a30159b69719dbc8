"""The options of a component in words: what each means, what may be written, and its default."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from cubespace.base.options import NoOptions
from cubespace.plugins.component import Component

TYPE_NAMES: dict[Any, str] = {int: "whole number", float: "number", bool: "on/off", str: "text", Path: "path"}


def option_rows(component: Component) -> list[dict[str, str]]:
    """Return option, type, default and help of every option of a component."""
    options = attrs.resolve_types(getattr(component.load(), "Options", NoOptions))
    return [
        {
            "option": field.name,
            "type": type_name(field.type),
            "default": _default(component, field),
            "help": field.metadata.get("help", ""),
        }
        for field in attrs.fields(options)
    ]


def type_name(kind: Any) -> str:
    """Return what the user may write for an option of a Python type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}"
    if origin is tuple:
        return f"{type_name(inner[0])}, several joined by +"
    if origin in (Union, types.UnionType):
        names = [type_name(part) for part in inner if part is not types.NoneType]
        writable = types.NoneType in inner and not {str, Path} & set(inner)  # for those, "none" is a text
        return " or ".join([*names, "none"] if writable else names)
    return TYPE_NAMES.get(kind, getattr(kind, "__name__", str(kind)))


def _default(component: Component, field: attrs.Attribute[Any]) -> str:
    if field.name in component.default_options:
        return _written(component.default_options[field.name])
    factory = getattr(field.default, "factory", None)
    default = factory() if callable(factory) else field.default
    if default is None:
        return "none" if type_name(field.type).endswith("none") else "unset"
    return "required" if default is attrs.NOTHING else _written(default)


def _written(value: object) -> str:
    """Return a value as the user would write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple | list):
        return "+".join(map(_written, value))
    return str(value)
