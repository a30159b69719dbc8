"""Planner processes: each in a process group of its own and within limits, ended when its time is up or we end.

The work is done by supervisors (``_supervisor.py``), small processes that are kept for the next search.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from cubespace.search.solver import Limits

SUPERVISOR = Path(__file__).with_name("_supervisor.py")
LOG_BYTES_PER_END = 1 << 17  # kept of the beginning and of the end of a log
PIPE_BYTES = 1 << 16  # the capacity of a pipe


@attrs.frozen
class Ended:
    """How a process ended; the exit code is None if its time was up."""

    exit_code: int | None
    log: str
    megabytes: float | None = None


class Supervisor:
    """A process that runs planners for us, one at a time."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR)],
                cwd="/",
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        _all.add(self)

    def run(self, command: Sequence[str], folder: Path, limits: Limits) -> Ended:
        """Run a command in a folder until it ends or its time is up, and leave nothing of it running."""
        output, theirs = os.pipe()
        try:
            try:
                self._ask(command, folder, limits, theirs)
            finally:
                os.close(theirs)
            log = self._listen(output)
        finally:
            os.close(output)
        return self._report(log.text())

    def _ask(self, command: Sequence[str], folder: Path, limits: Limits, output: int) -> None:
        # the same messages on every machine, and the same order of Python's sets in every run
        environment = {**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0"}
        request = {"command": list(command), "environment": environment, "folder": str(folder)}
        line = json.dumps({**request, **attrs.asdict(limits)}).encode() + b"\n"
        with contextlib.suppress(ConnectionError):  # a supervisor that has died is noticed when its report is missing
            self.socket.sendall(line[socket.send_fds(self.socket, [line], [output]) :])

    def _listen(self, output: int) -> Log:
        """Read the planner's output until the supervisor reports its end."""
        log = Log()
        os.set_blocking(output, False)
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            selector.register(self.socket, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if not log.read(output) and output in ready:
                    selector.unregister(output)  # the other end is closed
                if self.socket in ready:
                    return log

    def _report(self, log: str) -> Ended:
        """Return how the planner ended, or the supervisor if it has died without a report."""
        line = b""
        with contextlib.suppress(ConnectionError), self.socket.makefile("rb") as file:
            line = file.readline()
        if not line:
            return Ended(self.process.wait() or 1, log)
        report = json.loads(line)
        scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
        return Ended(report["exit_code"], log, report["peak"] / scale)

    def interrupt(self) -> None:
        """End what it runs, from another thread than the one that waits for it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """End the process and whatever it runs."""
        _all.discard(self)
        self.interrupt()
        self.socket.close()
        self.process.wait()


_all: set[Supervisor] = set()
_idle: list[Supervisor] = []


@contextlib.contextmanager
def supervisor() -> Iterator[Supervisor]:
    """Lend an idle supervisor; if the search is interrupted, the supervisor and the planner end."""
    lent = _idle_one() or Supervisor()
    try:
        yield lent
    except BaseException:
        lent.end()
        raise
    _idle.append(lent)


def interrupt_searches() -> None:
    """End all searches that other threads wait for; their planners are told as crashed."""
    for each in list(_all):
        each.interrupt()


def _idle_one() -> Supervisor | None:
    while True:
        try:
            one = _idle.pop()
        except IndexError:
            return None
        if one.process.poll() is None:
            return one
        one.end()  # it was killed


def _end_idle() -> None:
    while one := _idle_one():
        one.end()


def _forget() -> None:
    """After a fork, leave the supervisors to the parent: only one process may hold their sockets."""
    for each in _all:
        each.socket.close()
    _all.clear()
    _idle.clear()


atexit.register(_end_idle)
os.register_at_fork(after_in_child=_forget)


class Log:
    """The beginning and the end of a process's output."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.tail = bytearray()
        self.lost = 0

    def read(self, pipe: int) -> bool:
        """Read what is there, and return whether there can be more."""
        try:
            chunk = os.read(pipe, PIPE_BYTES)
        except BlockingIOError:
            return True
        self.add(chunk)
        return bool(chunk)

    def add(self, chunk: bytes) -> None:
        """Keep a piece, or as much of it as there is room for."""
        room = LOG_BYTES_PER_END - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:] if room > 0 else chunk
        excess = len(self.tail) - LOG_BYTES_PER_END
        if excess > LOG_BYTES_PER_END:  # cut rarely, since cutting copies
            self.lost += excess
            del self.tail[:excess]

    def text(self) -> str:
        """Return what was kept."""
        gap = b"\n...\n" if self.lost else b""
        return bytes(self.head + gap + self.tail).decode(errors="replace")
