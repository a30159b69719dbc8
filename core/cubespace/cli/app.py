"""The root of the command line and the options that commands share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import typer

from cubespace import __version__
from cubespace.cli.command_group import CommandGroup
from cubespace.plugins.catalogue import Catalogue, load_plugins
from cubespace.plugins.offers import CommandPlugin, Failure

app = typer.Typer(
    cls=CommandGroup,
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
    """Load the plugins, report those that were skipped on stderr, and return the catalogue."""
    loaded = load_plugins(tuple(blocked or ()))
    for failure in loaded.failures:
        typer.echo(str(failure), err=True)
    return loaded


def add_plugin_commands(words: Sequence[str]) -> None:
    """Let plugins add their commands, except those that the ``words`` of the command line block.

    A plugin whose commands cannot be added is named on stderr and skipped.
    """
    plugins = load_plugins(tuple(_blocked(words))).commands
    taken = set(typer.main.get_group(app).commands) if plugins else set()
    for plugin in plugins:
        try:
            commands = _commands_of(plugin, taken)
        except (Exception, SystemExit) as error:  # a plugin may raise anything
            typer.echo(str(Failure.of(plugin.plugin, plugin.distribution, error)), err=True)
            continue
        app.registered_commands += commands.registered_commands
        app.registered_groups += commands.registered_groups
        taken |= set(typer.main.get_group(commands).commands)


def _commands_of(plugin: CommandPlugin, taken: set[str]) -> typer.Typer:
    """Return the commands of a plugin, built once so that a mistake shows here; none may have a name that is taken."""
    commands = typer.Typer()
    plugin.add_to(commands)
    twice = sorted(taken & set(typer.main.get_group(commands).commands))
    if twice:
        raise ValueError(f"there is a command '{twice[0]}' already")
    return commands


def _blocked(words: Sequence[str]) -> list[str]:
    """Return the plugins blocked on a command line, before it is parsed: commands must be known by then."""
    flag = "--no-plugin"
    apart = [name for word, name in pairwise(words) if word == flag]
    return apart + [word.removeprefix(f"{flag}=") for word in words if word.startswith(f"{flag}=")]


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"cubespace {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 unusable file, 4 plans or a model that failed a check, "
    "5 a goal out of reach, 6 not judged (--strict), 129, 130 or 143 interrupted."
)
def root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Learn a STRIPS planning model from pairs of pictures and plan with it."""
    if debug:
        os.environ["CUBE_DEBUG"] = "1"
