"""The command line: results on stdout, talk on stderr, one line per error, documented exit codes.

Heavy libraries (torch, matplotlib) are imported inside the commands that need them, so that help, listings and
completion answer at once.
"""

from __future__ import annotations

import os
import sys
import traceback

from cubespace.cli import data, info, new_plugin, plan, plugins, run  # noqa: F401 - importing registers the commands
from cubespace.cli.app import app
from cubespace.errors import CubeError


def main() -> None:
    """Run the command ``cube``."""
    try:
        app(prog_name="cube")
    except CubeError as error:
        if os.environ.get("CUBE_DEBUG"):
            traceback.print_exc()
        print(f"cube: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:  # the reader of our output has gone, as in `cube plugins | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
