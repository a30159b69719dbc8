"""All commands of ``cube``, built-in and from plugins."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cubespace.cli import (  # noqa: F401 - registers the commands
    act,
    cell,
    data,
    diagnose,
    export,
    info,
    lift,
    matrix,
    new_plugin,
    plan,
    plugins,
    report,
    run,
    studio,
    tables,
    theory,
    tune,
)
from cubespace.cli.app import add_plugin_commands, app
from cubespace.cli.ending import show_notes


def run_command(words: Sequence[str]) -> int:
    """Run the command named by the words of a command line, and return its exit code."""
    show_notes()
    for stream in (sys.stdout, sys.stderr):  # names of files may not be text: they are printed as they are
        if stream is not None:
            stream.reconfigure(errors="surrogateescape" if stream is sys.stdout else "backslashreplace")  # type: ignore[union-attr]
    add_plugin_commands(words)
    code = app(list(words), prog_name="cube", standalone_mode=False)
    if sys.stdout is not None:
        sys.stdout.flush()  # a full disk must be reported
    return code if isinstance(code, int) else 0
