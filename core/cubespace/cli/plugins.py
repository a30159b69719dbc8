"""``cube plugins``: what is installed."""

from __future__ import annotations

import json
from typing import Annotated, Any

import attrs
import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.completion import kinds, names_of_kind
from cubespace.errors import UsageError
from cubespace.options import NoOptions, suggestion
from cubespace.plugins import KINDS, Catalogue, Component


@app.command(epilog="Examples: `cube plugins planner`, `cube plugins domain mnist` or just `cube plugins mnist`")
def plugins(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]", autocompletion=kinds, help=f"One of {', '.join(KINDS)}, or a NAME; all if left out."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", autocompletion=names_of_kind, help="Show the options of this one."),
    ] = None,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """List the installed components, or show the options of one, and the plugins that were skipped with the reason."""
    loaded = catalogue(no_plugin)
    if kind is not None and kind not in KINDS:
        _show_options(_named(loaded, kind, name), as_json)
        return
    if kind is not None and name is not None:
        _show_options(loaded.find(kind, name), as_json)
        return
    kinds = [kind] if kind else list(KINDS)
    if as_json:
        typer.echo(json.dumps(listing(loaded, kinds), indent=2))
        return
    for each in kinds:
        typer.secho(f"{KINDS[each].title}s  (cube plugins {each} NAME shows the options)", bold=True)
        for component in loaded.components[each].values():
            typer.echo(f"  {component.name:<18} {component.summary}  [{component.plugin}, {component.distribution}]")


def listing(loaded: Catalogue, kinds: list[str]) -> dict[str, Any]:
    """Return what ``cube plugins --json`` prints."""
    listed: dict[str, Any] = {
        kind: [
            {"name": c.name, "summary": c.summary, "plugin": c.plugin, "distribution": c.distribution}
            for c in loaded.components[kind].values()
        ]
        for kind in kinds
    }
    return listed | {"failures": [attrs.asdict(failure) for failure in loaded.failures]}


def _named(loaded: Catalogue, name: str, more: str | None) -> Component:
    """Return the only component of a name, whatever its kind."""
    found = [components[name] for components in loaded.components.values() if name in components]
    if len(found) == 1 and more is None:
        return found[0]
    what, known = "kind", [*KINDS]
    if not found:
        what, known = "kind or component", [*KINDS, *(each for kind in KINDS for each in loaded.names(kind))]
    raise UsageError(f"No {what} is called '{name}'. {suggestion(name, known)}Kinds: {', '.join(KINDS)}.")


def _show_options(component: Component, as_json: bool) -> None:
    cls = component.load()
    options = getattr(cls, "Options", NoOptions)
    rows = [
        {
            "option": field.name,
            "type": getattr(field.type, "__name__", None) if isinstance(field.type, type) else str(field.type),
            "default": _default(component, field),
            "help": field.metadata.get("help", ""),
        }
        for field in attrs.fields(options)
    ]
    if as_json:
        typer.echo(json.dumps({"name": component.name, "summary": component.summary, "options": rows}, indent=2))
        return
    typer.secho(f"{component.kind.title} {component.name}: {component.summary}", bold=True)
    for row in rows:
        typer.echo(f"  {row['option']}={row['default']}  ({row['type']})  {row['help']}".rstrip())
    if not rows:
        typer.echo("  no options")


def _default(component: Component, field: attrs.Attribute[Any]) -> str:
    if field.name in component.preset:
        return str(component.preset[field.name])
    return "required" if field.default is attrs.NOTHING else str(field.default)
