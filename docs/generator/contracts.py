"""Parts that come from docstrings: the contracts of plugins, as Markdown that reads well without being built."""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import io
import re
import textwrap
import tokenize
from typing import Any

import attrs


def contract(module: str, *names: str) -> str:
    """Return some classes and functions of a module: fields, methods, meanings."""
    found = importlib.import_module(module)
    return "\n".join(_described(module, name, getattr(found, name)) for name in names)


def plain(docstring: str) -> str:
    """Return a docstring as Markdown."""
    text = re.sub(r":(?:class|func|meth|mod):`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", docstring)
    return text.replace("``", "`")


def comments(cls: type) -> dict[str, str]:
    """Return the comment after each field of a class."""
    source = textwrap.dedent(inspect.getsource(cls))
    said = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    return {
        line.target.id: said[line.end_lineno or 0]
        for line in tree.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.end_lineno in said
    }


def _described(module: str, name: str, thing: Any) -> str:
    if not inspect.isclass(thing):
        call = f"`{module}.{name}{_signature(thing)}`"
        return f"### `{name}`\n\n{call}\n\n{plain(inspect.getdoc(thing) or '')}\n"
    lines = [f"### `{name}`", "", f"`{module}.{name}`{_bases(thing)}", "", plain(inspect.getdoc(thing) or ""), ""]
    if issubclass(thing, enum.Enum):
        lines += ["| name | in words |", "|---|---|", *(f"| `{each.name}` | {each.value} |" for each in thing), ""]
    else:
        lines += [*_fields(thing), *_methods(thing)]
    return "\n".join(lines)


def _bases(cls: type) -> str:
    names = [f"`{base.__name__}`" for base in cls.__bases__ if base.__module__.startswith("cubespace")]
    return f", {' and '.join(f'a {name}' for name in names)}" if names else ""


def _fields(cls: type) -> list[str]:
    """Return a table of the fields that a class declares itself."""
    said, types = comments(cls), inspect.get_annotations(cls)
    shown = [name for name in types if not name.startswith("_")]
    if not shown:
        return []
    defaults = {field.name: field.default for field in attrs.fields(cls)} if attrs.has(cls) else {}
    rows = []
    for name in shown:
        kind = re.sub(r"ClassVar\[(.*)\]", r"\1", str(types[name])).replace("|", "\\|")
        needed = "" if defaults.get(name) is not attrs.NOTHING else " *needed*"
        rows.append(f"| `{name}` | `{kind}` | {plain(said.get(name, ''))}{needed} |")
    return ["| field | type | meaning |", "|---|---|---|", *rows, ""]


def _methods(cls: type) -> list[str]:
    """Return the public methods that a class defines itself, in their order."""
    lines = []
    for name, member in vars(cls).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        call = name if isinstance(member, property) else name + _signature(function)
        duty = " *(abstract: to be defined)*" if getattr(member, "__isabstractmethod__", False) else ""
        about = textwrap.indent(plain(inspect.getdoc(member) or ""), "  ")
        lines += [f"- `{call}`{duty}", "", about, ""]
    return lines


def _signature(function: Any) -> str:
    text = str(inspect.signature(function)).replace("'", "")
    return re.sub(r"\((self|cls)(, )?", "(", text)
