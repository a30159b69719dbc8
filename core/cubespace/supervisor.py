"""Runs one planner within its memory limit and ends it, with all it started, when who asked for it is gone.

A program of its own, started as ``python -I -S supervisor.py PARENT MEGABYTES FOLDER COMMAND…`` in a new session. It
stands between ``cube`` and the planner because limits and the signal on a parent's death can only be set inside the
child, where a program with threads (such as one that has loaded torch) must not run Python code. It notes how the
planner ended in ``FOLDER/.ended``.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from types import FrameType

PR_SET_PDEATHSIG = 1


def main(parent: int, megabytes: int, folder: str, command: list[str]) -> None:
    """Run the command, write its exit code and peak memory, then end whatever it left behind."""

    def abandon(_number: int, _frame: FrameType | None) -> None:
        try:
            remove(folder)
        finally:
            os.killpg(0, signal.SIGKILL)

    signal.signal(signal.SIGUSR1, abandon)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # that one is for the planner; it ends and we report
    die_with_parent(signal.SIGUSR1, parent)
    supervisor = os.getpid()
    planner = os.fork()
    if planner == 0:
        become(command, megabytes, supervisor)
    _, status, usage = os.wait4(planner, 0)
    with open(os.path.join(folder, ".ended"), "w") as file:
        file.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss}\n")
    os.killpg(0, signal.SIGKILL)


def remove(folder: str) -> None:
    """Remove a folder; importing shutil would cost every search more than its own start."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(place, name))
        for name in folders:
            os.rmdir(os.path.join(place, name))
    os.rmdir(folder)


def become(command: list[str], megabytes: int, supervisor: int) -> None:
    """Turn this process into the planner."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        die_with_parent(signal.SIGKILL, supervisor)
        os.execvp(command[0], command)
    except (OSError, ValueError) as error:
        print(f"cannot run {command[0]}: {error}", flush=True)
        os._exit(127)


def die_with_parent(number: int, parent: int) -> None:
    """Ask the kernel for a signal when the parent dies; without Linux there is no such thing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:  # it died before we could ask
        os.kill(os.getpid(), number)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
