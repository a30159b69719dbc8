"""``cube report``: what a run learned, how well it plans, and a plan in pictures, on one page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cubespace.cli.app import AsJson, NoPlugin, app, catalogue
from cubespace.cli.options import or_newest


@app.command(epilog="Examples: `cube report --open`, `cube report runs/mnist-…`, `cube report runs/* -o all.html`")
def report(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN…", help="Run folders; several are compared.  [default: the newest run in runs/]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="The HTML file to write.  [default: RUN/report.html, or beside them]"
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Show it in the web browser.")] = False,
    as_json: AsJson = False,
    no_plugin: NoPlugin = None,
) -> None:
    """Write one self-contained HTML page about a run, or about several side by side."""
    from cubespace.report import write_report

    loaded, chosen = catalogue(no_plugin), folders or [or_newest(None)]
    written = write_report(chosen, loaded, output)
    if show:
        typer.launch(written.resolve().as_uri())
    if as_json:
        typer.echo(json.dumps({"page": str(written), "runs": [str(folder) for folder in chosen]}, indent=2))
        return
    typer.echo(str(written))
