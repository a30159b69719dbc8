"""``cube new-plugin``: a small, working, tested, installable package to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cubespace.cli.app import app
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
) -> None:
    """Write a plugin package: a component that works, its test, and how to install it."""
    target = write_plugin(name, kind, folder or Path(f"cube-{name}"))
    typer.echo(f"Wrote {target}. Try it:", err=True)
    typer.echo(f"  pip install -e {target} && pytest {target} && cube plugins {STARTS[kind].kind} {name}", err=True)
    typer.echo(str(target))
