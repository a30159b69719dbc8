"""``cube new-plugin``: a small, working, tested, installable package to start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cubespace.cli.app import AsJson, app
from cubespace.cli.completion import starts
from cubespace.plugins.scaffold import STARTS, write_plugin

KIND_HELP = "; ".join(f"{name}: {start.about}" for name, start in STARTS.items())


@app.command(
    "new-plugin", epilog="Examples: `cube new-plugin rooms --kind domain`, `cube new-plugin mine --kind solver`"
)
def new_plugin(
    name: Annotated[str, typer.Argument(help="What users will type, such as `rooms` in `--domain rooms`.")],
    kind: Annotated[str, typer.Option(metavar="KIND", autocompletion=starts, help=f"{KIND_HELP}.")],
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to write it.  [default: cube-NAME]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a plugin package: a working component, its test, and how to install it."""
    target = write_plugin(name, kind, folder or Path(f"cube-{name}"))
    trial = f"pip install -e {target} && pytest {target} && cube plugins {STARTS[kind].kind} {name}"
    if as_json:
        typer.echo(json.dumps({"folder": str(target), "kind": STARTS[kind].kind, "name": name, "try": trial}, indent=2))
        return
    typer.echo(f"Wrote {target}. Try it:\n  {trial}", err=True)
    typer.echo(str(target))
