"""Runs planners within their limits, one after another, and ends them and their children when nobody waits for them.

A program of its own, started as ``python -I -S _supervisor.py`` with a socket as standard input. It stands between
``cube`` and the planners because limits can only be set inside the child, where a program with threads (such as one
that has loaded torch) must not run Python code, and because something must be left to clean up when ``cube`` is killed:
the kernel then closes the socket. It stays for the next search, since starting Python takes as long as a short search.

A request is a line of JSON (command, environment, folder, seconds, megabytes) that brings the descriptor for the
planner's output; the answer is a line of JSON (exit code, or null if the time was up, and peak memory).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import socket
import time
from typing import Any

PR_SET_PDEATHSIG = 1
prctl = getattr(ctypes.CDLL(None), "prctl", None)  # looked up once: this takes longer than everything else in a child
GRACE_SECONDS = 0.5  # between the request to end and the end

Ended = tuple[int, resource.struct_rusage]  # wait status and what was used


def main() -> None:
    """Serve requests until the client is gone."""
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    signal.set_wakeup_fd(ringer)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # only signals with a handler wake the bell
    client = socket.socket(fileno=0)
    while request := receive(client):
        answer = run(request, client, bell)
        try:
            client.sendall(json.dumps(answer).encode() + b"\n")
        except ConnectionError:  # the client is gone, so the folder is ours to remove
            import shutil  # takes longer to load than the rest of this program, and is rarely needed

            shutil.rmtree(request["folder"], ignore_errors=True)
            return


def receive(client: socket.socket) -> dict[str, Any] | None:
    """Return the next request, with its descriptor as ``output``, or None when the client is gone."""
    line, descriptors, *_ = socket.recv_fds(client, 1 << 16, 1)
    while not line.endswith(b"\n"):
        more = client.recv(1 << 16)
        if not more:
            return None
        line += more
    return {**json.loads(line), "output": descriptors[0]}


def run(request: dict[str, Any], client: socket.socket, bell: int) -> dict[str, int | None]:
    """Run a planner until it ends or its time is up, leave nothing of it running, and return how it ended."""
    supervisor = os.getpid()
    planner = os.fork()
    if planner == 0:
        become(request, supervisor)
    with contextlib.suppress(OSError):  # the child does so too: the first one wins
        os.setpgid(planner, planner)
    os.close(request["output"])
    in_time = ended = wait(planner, request["seconds"], client, bell)
    if ended is None:
        send(signal.SIGTERM, planner)
        ended = wait(planner, GRACE_SECONDS, client, bell)
    send(signal.SIGKILL, planner)
    status, usage = ended or os.wait4(planner, 0)[1:]
    return {"exit_code": os.waitstatus_to_exitcode(status) if in_time else None, "peak": usage.ru_maxrss}


def wait(planner: int, seconds: float, client: socket.socket, bell: int) -> Ended | None:
    """Return how the planner ended, or None if the time was up or the client gone first."""
    deadline = time.monotonic() + seconds
    while True:
        process, status, usage = os.wait4(planner, os.WNOHANG)
        if process:
            return status, usage
        left = deadline - time.monotonic()
        ready = select.select([client.fileno(), bell], [], [], min(left, 3600.0))[0] if left > 0 else []
        if bell in ready:
            os.read(bell, 1 << 10)
        elif client.fileno() in ready or left <= 0:  # a waiting client sends nothing, so it is gone
            return None


def send(number: int, group: int) -> None:
    """Send a signal to a planner and to everything it started, as far as any of it is left."""
    with contextlib.suppress(OSError):
        os.killpg(group, number)


def become(request: dict[str, Any], supervisor: int) -> None:
    """Turn this process into the planner."""
    command, limit = request["command"], request["megabytes"] << 20
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for standard in (1, 2):
            os.dup2(request["output"], standard)
        os.close(request["output"])
        os.chdir(request["folder"])
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        die_with(supervisor)
        os.execvpe(command[0], command, request["environment"])
    except (OSError, ValueError) as error:
        os.write(1, f"cannot run {command[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def die_with(supervisor: int) -> None:
    """Ask the kernel to end this process when the supervisor dies; only Linux can."""
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:  # it died before we could ask
        os._exit(127)


if __name__ == "__main__":
    main()
