"""Planner processes: each in its own process group and within limits, ended when its time is up or this process ends.

The work is done by supervisors (``_supervisor.py``), small processes that are kept for the next search.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from cubespace.search.solver import Limits
from cubespace.search.watching import Watch, present_watch

SUPERVISOR = Path(__file__).with_name("_supervisor.py")
LOG_BYTES_PER_END = 1 << 17  # kept of the beginning and of the end of a log
PIPE_BYTES = 1 << 16  # the capacity of a pipe
PATIENCE_SECONDS = 10.0  # beyond the time limit, after which a supervisor that does not answer is given up
ENDING_SECONDS = 7.0  # that a supervisor has to end its planner; it needs five at most


@attrs.frozen
class Ended:
    """How a process ended; the exit code is None if it was ended for exceeding a limit of time or memory."""

    exit_code: int | None
    log: str
    megabytes: float | None = None
    out_of_memory: bool = False  # all its processes together; a single one that exceeds the limit fails by itself


class SupervisorLost(Exception):  # noqa: N818 - what happened, not whose fault it is
    """A supervisor died or does not answer: how the planner would have ended is not known."""

    def __init__(self, reason: str, log: str, *, died: bool) -> None:
        super().__init__(reason)
        self.log, self.died = log, died


class Supervisor:
    """A process that runs planners for us, one at a time."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(PATIENCE_SECONDS)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR)],
                cwd="/",
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.interrupted = False
        _all.add(self)

    def adopt(self, folder: Path) -> None:
        """Have a folder removed, whether or not it exists yet, if this process dies before it can do so itself."""
        self._send({"folder": str(folder)})

    def run(self, command: Sequence[str], folder: Path, limits: Limits) -> Ended:
        """Run a command in a folder until it ends or its time is up, and leave no process of it running.

        Raise :class:`SupervisorLost` if the supervisor dies or does not answer in time.
        """
        # the same messages on every machine, and the same order of Python's sets in every run
        environment = {**os.environ, "LC_ALL": "C", "PYTHONHASHSEED": "0"}
        request = {"command": list(command), "environment": environment, "folder": str(folder)}
        output, theirs = os.pipe()
        log = Log(present_watch())
        try:
            try:
                self._send({**request, **attrs.asdict(limits)}, theirs)
            finally:
                os.close(theirs)
            in_time = self._listen(output, log, time.monotonic() + limits.seconds + PATIENCE_SECONDS)
        finally:
            os.close(output)
        if not in_time:
            raise SupervisorLost("the process that supervises planners does not answer", log.text(), died=False)
        return self._report(log.text())

    def _send(self, message: dict[str, object], *descriptors: int) -> None:
        line = json.dumps(message).encode() + b"\n"
        with contextlib.suppress(OSError):  # a dead or stopped supervisor is noticed when its report is missing
            self.socket.sendall(line[socket.send_fds(self.socket, [line], descriptors) :])

    def _listen(self, output: int, log: Log, deadline: float) -> bool:
        """Read the planner's output until the supervisor reports its end; return whether it did before the deadline."""
        os.set_blocking(output, False)
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            selector.register(self.socket, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                ready = [key.fileobj for key, _ in selector.select(min(left, 3600.0))]
                if not log.read(output) and output in ready:
                    selector.unregister(output)  # the other end is closed
                if self.socket in ready:
                    return True
        return False

    def _report(self, log: str) -> Ended:
        """Return how the planner ended."""
        line = b""
        with contextlib.suppress(OSError), self.socket.makefile("rb") as file:
            line = file.readline()
        if not line.endswith(b"\n"):
            words = "was interrupted" if self.interrupted else "was killed"
            raise SupervisorLost(f"the process that supervises planners {words}", log, died=not self.interrupted)
        report = json.loads(line)
        scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
        code = report["exit_code"] if report["how"] == "done" else None
        return Ended(code, log, report["peak"] / scale, report["how"] == "memory")

    def interrupt(self) -> None:
        """End the running planner, from another thread than the one that waits for it."""
        self.interrupted = True
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        """End the process and its planner, even if the process was stopped by a signal."""
        _all.discard(self)
        self.interrupt()
        self.socket.close()
        for number in (signal.SIGCONT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(ENDING_SECONDS)
                return


_all: set[Supervisor] = set()
_idle: list[Supervisor] = []


@contextlib.contextmanager
def supervisor() -> Iterator[Supervisor]:
    """Lend an idle supervisor; if the search is interrupted, the supervisor and the planner end."""
    lent = _idle_one() or Supervisor()
    try:
        with present_watch().ending(lent.interrupt):
            yield lent
    except BaseException:
        lent.end()
        raise
    if lent.interrupted:  # too late for this search, but this supervisor cannot be lent again
        lent.end()
    else:
        _idle.append(lent)


def interrupt_searches() -> None:
    """End all searches that other threads wait for; their planners are reported as crashed."""
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
        one.end()  # its process was killed


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
    """The beginning and the end of a process's output; a watch may follow it."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch
        self.head = bytearray()
        self.tail = bytearray()
        self.lost = 0

    def read(self, pipe: int) -> bool:
        """Read what is available, and return whether there can be more."""
        try:
            chunk = os.read(pipe, PIPE_BYTES)
        except BlockingIOError:
            return True
        self.add(chunk)
        return bool(chunk)

    def add(self, chunk: bytes) -> None:
        """Keep a piece, or as much of it as there is room for."""
        if self.watch is not None:
            self.watch.hear(chunk)
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
