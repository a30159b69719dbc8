"""The command line: results on stdout, talk on stderr, one line per error, documented exit codes.

Only the signal handlers are imported here, so that Ctrl-C ends the program cleanly from the start. Heavy libraries
(torch, matplotlib) are imported inside the commands that need them, so that help, listings and completion answer at
once.
"""

from __future__ import annotations

import sys

from cubespace.cli.signals import requests


def main() -> None:
    """Run the command ``cube``."""
    requests.catch()
    try:
        from cubespace.cli.commands import run_command

        code = run_command(sys.argv[1:])
    except BaseException as error:  # whatever it is, the user gets one line
        from cubespace.cli.ending import tell

        code = tell(error)
    requests.ignore()  # all is done: a signal that arrives now must not disturb the end
    sys.exit(code)
