"""``cube new-plugin``: a small, working, tested, installable package to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cubespace.cli.app import app


@app.command("new-plugin", epilog="Example: `cube new-plugin rooms --kind domain`")
def new_plugin(
    name: Annotated[str, typer.Argument(help="What users will type, such as `rooms` in `--domain rooms`.")],
    kind: Annotated[str, typer.Option(help="domain, apply, precondition or planner.")],
    folder: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to write it.  [default: cube-NAME]")
    ] = None,
) -> None:
    """Write a plugin package: a component that works, its test, and how to install it."""
    from cubespace.scaffold import write_plugin

    target = write_plugin(name, kind, folder or Path(f"cube-{name}"))
    typer.echo(f"Wrote {target}. Try it:", err=True)
    typer.echo(f"  pip install -e {target} && pytest {target} && cube plugins {kind} {name}", err=True)
    typer.echo(str(target))
