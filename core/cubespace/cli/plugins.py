"""``cube plugins``: what is installed."""

from __future__ import annotations

import json
from typing import Annotated

import attrs
import typer

from cubespace.base.errors import UsageError
from cubespace.base.options import suggestion
from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.completion import kinds, names_of_kind
from cubespace.cli.option_types import option_rows
from cubespace.plugins.catalogue import Catalogue
from cubespace.plugins.component import KINDS, Component


@app.command(epilog="Examples: `cube plugins planner`, `cube plugins domain mnist` or just `cube plugins mnist`")
def plugins(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND", autocompletion=kinds, help=f"One of {', '.join(KINDS)}, or a NAME; all if left out."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", autocompletion=names_of_kind, help="Show the options of this one."),
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
        _show_options([loaded.find(kind, name)], as_json)
        return
    kinds = [kind] if kind else list(KINDS)
    if as_json:
        typer.echo(json.dumps(listing(loaded, kinds), indent=2))
        return
    for each in kinds:
        typer.secho(f"{KINDS[each].title}s  (cube plugins {each} NAME shows the options)", bold=True)
        for component in loaded.components[each].values():
            typer.echo(f"  {component.name:<18} {component.summary}  [{component.plugin}, {component.distribution}]")
        if not loaded.components[each]:
            typer.echo(f"  none: cube new-plugin NAME --kind {each} writes one")


def listing(loaded: Catalogue, kinds: list[str]) -> dict[str, list[dict[str, str]]]:
    """Return what ``cube plugins --json`` prints."""
    listed = {
        kind: [
            {"name": c.name, "summary": c.summary, "plugin": c.plugin, "distribution": c.distribution}
            for c in loaded.components[kind].values()
        ]
        for kind in kinds
    }
    return listed | {"failures": [attrs.asdict(failure) for failure in loaded.failures]}


def _named(loaded: Catalogue, name: str, more: str | None) -> list[Component]:
    """Return the components of a name: an encoder and a decoder may share it."""
    found = [components[name] for components in loaded.components.values() if name in components]
    if found and more is None:
        return found
    what, known = "kind", [*KINDS]
    if not found:
        what, known = "kind or component", [*KINDS, *(each for kind in KINDS for each in loaded.names(kind))]
    raise UsageError(f"No {what} is called '{name}'. {suggestion(name, known)}Kinds: {', '.join(KINDS)}.")


def _show_options(components: list[Component], as_json: bool) -> None:
    """Print the components of one name with their options; in JSON, several are a list."""
    shown = [
        {"kind": each.kind.name, "name": each.name, "summary": each.summary, "options": option_rows(each)}
        for each in components
    ]
    if as_json:
        typer.echo(json.dumps(shown if len(shown) > 1 else shown[0], indent=2))
        return
    for component in components:
        typer.secho(f"{component.kind.title} {component.name}: {component.summary}", bold=True)
        rows = option_rows(component)
        for row in rows:
            typer.echo(f"  {row['option']}={row['default']}  ({row['type']})  {row['help']}".rstrip())
        if not rows:
            typer.echo("  no options")
