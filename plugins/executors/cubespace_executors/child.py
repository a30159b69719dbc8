"""The process of one job: ``python -P -m cubespace_executors.child PARENT WORDS…`` is ``cube WORDS…``.

With ``-P``, Python imports nothing from the working folder, whose files may be a stranger's.

It asks the kernel to be killed when its parent dies; only the process itself can ask for that.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1  # of Linux


def main() -> None:
    """Tie the process to its parent and become ``cube``."""
    parent = int(sys.argv[1])
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the request
        os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell sets it to be ignored in background jobs
    sys.argv[:2] = ["cube"]
    runpy.run_module("cubespace.cli", run_name="__main__")


if __name__ == "__main__":
    main()
