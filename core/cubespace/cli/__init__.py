"""The command line: results on stdout, talk on stderr, one line per error, documented exit codes.

Heavy libraries (torch, matplotlib) are imported inside the commands that need them, so that help, listings and
completion answer at once.
"""

from __future__ import annotations

import os
import sys
import traceback

import typer
from typer.exceptions import TyperException

from cubespace.base.errors import CubeError
from cubespace.cli import (  # noqa: F401 - registers the commands
    cell,
    data,
    diagnose,
    export,
    info,
    matrix,
    new_plugin,
    plan,
    plugins,
    report,
    run,
    tables,
    theory,
    tune,
)
from cubespace.cli.app import add_plugin_commands, app


def main() -> None:
    """Run the command ``cube``."""
    try:
        add_plugin_commands(sys.argv[1:])
        sys.exit(app(prog_name="cube", standalone_mode=False))
    except CubeError as error:
        if os.environ.get("CUBE_DEBUG"):
            traceback.print_exc()
        _fail(str(error), error.exit_code)
    except TyperException as error:  # every mistake in the words of the command line
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "cube"
        message = error.format_message()
        full_stop = "" if message.endswith((".", "?")) else "."
        _fail(f"{message}{full_stop} See {command} -h." if message else "no command given", 2)
    except (typer.Abort, KeyboardInterrupt):
        _fail("interrupted", 130)
    except BrokenPipeError:  # the reader of our output has gone, as in `cube plugins | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # a mistake of ours or of a plugin
        if os.environ.get("CUBE_DEBUG"):
            traceback.print_exc()
        first = (str(error).splitlines() or [""])[0]
        _fail(f"unexpected {type(error).__name__}: {first} (cube --debug … shows where)", 1)


def _fail(reason: str, code: int) -> None:
    print(f"cube: {reason}", file=sys.stderr)
    sys.exit(code)
