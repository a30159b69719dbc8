"""Options of components: what the user writes (``name:key=value,…`` or TOML) becomes the component's own attrs class.

Types are strict: ``size=1.5`` is an error where an integer is required; so is an unknown key, and the message names it.
"""

from __future__ import annotations

import difflib
import functools
import re
import types
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import attrs
from cattrs import AttributeValidationNote, ClassValidationError, Converter, ForbiddenExtraKeysError, transform_error
from cattrs.gen import make_dict_structure_fn

from cubespace.base.errors import UsageError
from cubespace.base.words import listed

T = TypeVar("T")

MOST_UNITS, MOST_LAYERS = 1_000_000, 100  # of a network: larger ones do not fit into memory, and are typing errors
WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


class Text(str):
    """A value from the command line: its type is the option's, whereas a TOML value has its own."""

    __slots__ = ()


def option(default: Any, help_text: str, validator: Any = None) -> Any:
    """Return a field of an options class, with the sentence that ``cube plugins NAME`` shows for it."""
    return attrs.field(default=default, validator=validator, metadata={"help": help_text})


@attrs.frozen
class NoOptions:
    """The options of a component that has none."""


def _read_only(options: Mapping[str, object]) -> Mapping[str, object]:
    return types.MappingProxyType(dict(options))


@attrs.frozen
class Spec:
    """A component by name, with the options the user gave."""

    name: str
    options: Mapping[str, object] = attrs.field(factory=dict, converter=_read_only)

    def __str__(self) -> str:
        """Return the text that parses to this spec."""
        if not self.options:
            return self.name
        return self.name + ":" + ",".join(f"{key}={_quoted(value)}" for key, value in self.options.items())


@functools.cache  # settings are text, so each spec of a command is asked for many times
def parse_spec(text: str) -> Spec:
    """Read ``name`` or ``name:key=value,…``; commas inside quotes or brackets belong to the value."""
    name, _, rest = text.partition(":")
    if not name:
        raise UsageError(f"'{text}' names no component: write NAME or NAME:key=value,…")
    options: dict[str, object] = {}
    for part in split_list(rest, text):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key:
            raise UsageError(f"'{part}' in '{text}' is not of the form key=value")
        if key in options:
            raise UsageError(f"option '{key}' is given twice in '{text}'")
        options[key] = Text(_unquoted(value.strip()))
    return Spec(name, options)


def structure(cls: type[T], values: Mapping[str, object], where: str) -> T:
    """Build the attrs class ``cls`` from ``values``; every complaint names the key and begins with ``where``."""
    try:
        return _converter.structure(values, cls)
    except ClassValidationError as error:
        raise UsageError(f"{where}: {listed(_complaints(error, cls))}") from None


def rooted(options: Any, home: Path) -> Any:
    """Return the same options, with relative paths that exist below ``home`` resolved against it."""
    values = attrs.asdict(options, recurse=False)
    paths = {key: home / value for key, value in values.items() if isinstance(value, Path)}
    return attrs.evolve(options, **{key: path for key, path in paths.items() if path.exists()})


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ``Did you mean 'x'?`` with a trailing space, or an empty string if no known name is close."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean '{close[0]}'? " if close else ""


def split_list(text: str, whole: str) -> list[str]:
    """Split at commas outside quotes and brackets."""
    parts, start, depth, quote = [], 0, 0, ""
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    if quote or depth:
        way = "put a value that contains one into quotes of the other kind" if quote else "put the value into quotes"
        raise UsageError(f"'{whole}' has an unclosed {'quote' if quote else 'bracket'}: {way}")
    return [*parts, text[start:]] if text else []


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _quoted(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return "+".join(map(str, value))
    text = str(value)
    if _is_plain(text):
        return text
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"


def _is_plain(text: str) -> bool:
    """Return whether a value is read as it stands, without quotes around it."""
    try:
        return "," not in text and split_list(text, text) in ([], [text]) and _unquoted(text.strip()) == text
    except UsageError:
        return False


def _integer(value: object, _: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Text):
        try:
            return int(value)
        except ValueError:
            pass
    raise TypeError(f"{value!s} is not a whole number")


def _number(value: object, _: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, Text):
        try:
            return float(value)
        except ValueError:
            pass
    raise TypeError(f"{value!s} is not a number")


def _truth(value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, Text) and value.lower() in WORDS:
        return WORDS[value.lower()]
    raise TypeError(f"{value!s} is neither on nor off")


def _string(value: object, _: object) -> str:
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{value!r} is not text")


def _path(value: object, _: object) -> Path:
    if isinstance(value, (str, Path)):
        return Path(value).expanduser()
    raise TypeError(f"{value!r} is not a path")


def _choice(value: object, kind: Any) -> object:
    choices = get_args(kind)
    for choice in choices:
        if value == choice or (isinstance(value, Text) and str(value) == str(choice)):
            return choice
    raise TypeError(f"{value!s} is not one of {', '.join(map(str, choices))}")


def _optional(value: object, kind: Any) -> object:
    inner = next(part for part in get_args(kind) if part is not type(None))
    is_word = isinstance(value, Text) and value.lower() == "none" and inner not in (str, Path)  # for those it is a text
    return None if value is None or is_word else _converter.structure(value, inner)


def _tuple(value: object, kind: Any) -> tuple[object, ...]:
    """Structure ``tuple[T, …]``; on the command line its items are joined by plus signs, and an empty text has none."""
    items = [part for part in value.split("+") if part] if isinstance(value, Text) else value
    if not isinstance(items, (list, tuple)):
        raise TypeError(f"{value!r} is not a list")
    wrap = Text if isinstance(value, Text) else lambda item: item
    kinds = get_args(kind)
    kinds = kinds[:1] * len(items) if kinds[-1] is Ellipsis else kinds
    if len(items) != len(kinds):
        raise TypeError(f"{value!r} does not have {len(kinds)} items")
    return tuple(_converter.structure(wrap(item), each) for item, each in zip(items, kinds, strict=True))


def _origin(kind: Any) -> object:
    return get_origin(kind)


def _is_optional(kind: Any) -> bool:
    return _origin(kind) in (Union, types.UnionType) and type(None) in get_args(kind)


def _complaints(error: ClassValidationError, cls: type) -> list[str]:
    known = [field.name for field in attrs.fields(cls)] if attrs.has(cls) else []

    def explain(problem: BaseException, _: object) -> str:
        if isinstance(problem, ForbiddenExtraKeysError):
            keys = sorted(problem.extra_fields)
            options = [field.name for field in attrs.fields(problem.cl)] if attrs.has(problem.cl) else known
            listing = f"Available: {', '.join(options)}." if options else "It has no options."
            unknown = [f"unknown option '{key}'. {suggestion(key, options)}".strip() for key in keys]
            return f"{listed(unknown, ' ')} {listing}"
        if isinstance(problem, KeyError):
            return "is missing"
        return _plain(" ".join(str(part) for part in problem.args[:1]))

    lines = transform_error(error, format_exception=explain, path="$")
    return [_readable(line) for line in lines]


def _readable(line: str) -> str:
    """Turn cattrs' ``reason @ $.key`` into ``key: reason``."""
    reason, _, path = line.rpartition(" @ ")
    key = path.removeprefix("$").lstrip(".")
    return f"{key}: {reason}" if key else reason


def _plain(reason: str) -> str:
    """Turn attrs' ``'key' must be >= 2: 1`` into ``must be >= 2, not 1``: the key will be put before it."""
    return re.sub(r"^'\w+' (must be \S+ \S+): (.*)$", r"\1, not \2", reason)


def _structure_hook(cls: type, converter: Converter) -> Callable[[Any, Any], Any]:
    """Return the function that builds an attrs class; what a validator refuses is reported under its key."""
    build: Callable[[Any, Any], Any] = make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True)

    def hook(values: Any, kind: Any) -> Any:
        if not isinstance(values, Mapping):
            raise TypeError(f"{values!s} is a single value, and this is a table with {_names(cls)}")
        try:
            return build(values, kind)
        except ClassValidationError as error:
            with attrs.validators.disabled():
                refusals = _refusals(build(values, kind))  # raises again if the error did not come from a validator
            raise ClassValidationError(error.message, refusals, cls) if refusals else error from None

    return hook


def _names(cls: type) -> str:
    return ", ".join(field.name for field in attrs.fields(cls))


def _refusals(built: Any) -> list[Exception]:
    """Return the errors that the validators of an attrs class raise for an object, each with a note of its key."""
    refusals: list[Exception] = []
    for field in attrs.fields(type(built)):
        try:
            if field.validator is not None:
                field.validator(built, field, getattr(built, field.name))
        except (TypeError, ValueError) as refusal:
            refusal.__notes__ = [AttributeValidationNote("", field.name, field.type)]
            refusals.append(refusal)
    return refusals


def _make_converter() -> Converter:
    converter = Converter(forbid_extra_keys=True, detailed_validation=True)
    for kind, hook in ((int, _integer), (float, _number), (bool, _truth), (str, _string), (Path, _path)):
        converter.register_structure_hook(kind, hook)
    converter.register_structure_hook_func(lambda kind: _origin(kind) is Literal, _choice)
    converter.register_structure_hook_func(_is_optional, _optional)
    converter.register_structure_hook_func(lambda kind: _origin(kind) is tuple, _tuple)
    converter.register_structure_hook_factory(attrs.has, lambda cls: _structure_hook(cls, converter))
    return converter


_converter = _make_converter()
