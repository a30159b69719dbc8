"""The root of the command line and the options that commands share."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from cubespace import __version__
from cubespace.plugins import Catalogue, load_plugins

app = typer.Typer(
    help="Learn a STRIPS planning model from pairs of pictures and plan with it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

NoPlugin = Annotated[
    list[str] | None,
    typer.Option(
        "--no-plugin", metavar="NAME", help="Block the plugin (or all plugins of the package) NAME; repeatable."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


def catalogue(blocked: list[str] | None) -> Catalogue:
    """Load the plugins, tell on stderr about those skipped, and return the catalogue."""
    loaded = load_plugins(tuple(blocked or ()))
    for failure in loaded.failures:
        typer.echo(str(failure), err=True)
    return loaded


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cubespace {__version__}")
        raise typer.Exit


@app.callback(epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unusable file, 130 interrupted.")
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Learn a STRIPS planning model from pairs of pictures and plan with it."""
    if debug:
        os.environ["CUBE_DEBUG"] = "1"
