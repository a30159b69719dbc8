"""Runs planners within their limits, one after another; when no client waits for one, it and its children are ended.

A separate program, started as ``python -I -S _supervisor.py`` with a socket as standard input. It stands between
``cube`` and the planners because limits can only be set inside the child, where a program with threads (such as one
that has loaded torch) must not run Python code, and because something must be left to clean up when ``cube`` is killed:
the kernel then closes the socket. It stays for the next search, since starting Python takes as long as a short search.

It is two processes, *guard* and *worker*: the worker serves requests, the guard waits for its end. Whichever of them is
killed, the other one ends the planner and all its descendants. Both are subreapers: a process that leaves its group or
its session, or whose parent ends, becomes their child and is found. Where there is no ``prctl`` or no ``/proc``
(both are specific to Linux), only the process group of the planner is ended.

A message is a line of JSON. One with only a folder names a folder to be removed when the client is gone. A request
(command, environment, folder, seconds, megabytes) carries the descriptor for the planner's output; the answer is a
line of JSON: how it ended (*done*, *time* or *memory*), exit code and peak memory.
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

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
prctl = getattr(ctypes.CDLL(None), "prctl", None)  # looked up once: this takes longer than everything else in a child
GRACE_SECONDS = 0.5  # between the request to end and the end, but …
GRACE_FRACTION = 0.03  # … no more of the time limit than this, so that limits hold within a few percent
LOOK_SECONDS = 0.25  # between two checks of the memory of a planner that has started other processes
KILLING_SECONDS = 5.0  # after which processes that cannot be killed, as on a hanging disk, are left
PAGE = resource.getpagesize()

Ended = tuple[int, resource.struct_rusage]  # wait status and resource usage


def main() -> None:
    """Serve requests until the client is gone."""
    client = socket.socket(fileno=0)
    if prctl is not None:
        prctl(PR_SET_CHILD_SUBREAPER, 1)
    guard = os.getpid()
    worker = os.fork()
    if worker == 0:
        try:
            Worker(client, guard).serve()
        finally:
            os._exit(0)
    client.close()  # the client must see the end of the worker
    status = os.waitpid(worker, 0)[1]
    end_descendants()
    os._exit(1 if status else 0)


class Worker:
    """Serves one client."""

    def __init__(self, client: socket.socket, guard: int) -> None:
        self.client, self.guard = client, guard
        self.received, self.descriptors = b"", list[int]()
        self.bell, ringer = os.pipe()
        os.set_blocking(ringer, False)
        signal.set_wakeup_fd(ringer)
        for number in (signal.SIGCHLD, signal.SIGTERM):  # only signals with a handler wake the bell
            signal.signal(number, lambda *_: None)
        if prctl is not None:
            prctl(PR_SET_CHILD_SUBREAPER, 1)
            prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

    def serve(self) -> None:
        """Answer requests until the client or the guard is gone, and leave none of the client's planners running."""
        adopted = None
        while message := self.receive():
            if "command" not in message:
                adopted = message["folder"]
                continue
            answer = self.run(message)
            if answer["how"] == "alone":
                break
            with contextlib.suppress(OSError):  # the client is gone, which is noticed next
                self.client.sendall(json.dumps(answer).encode() + b"\n")
        if adopted is not None and os.path.lexists(adopted) and os.getppid() == self.guard:
            import shutil  # takes longer to load than the rest of this program, and is rarely needed

            shutil.rmtree(adopted, ignore_errors=True)

    def receive(self) -> dict[str, Any] | None:
        """Return the next message, with its descriptor as ``output``, or None when client or guard are gone."""
        while b"\n" not in self.received:
            while self.client.fileno() not in select.select([self.client.fileno(), self.bell], [], [])[0]:
                os.read(self.bell, 1 << 10)
                if os.getppid() != self.guard:
                    return None
            try:
                more, descriptors, *_ = socket.recv_fds(self.client, 1 << 16, 1)
            except ConnectionError:
                return None
            if not more:
                return None
            self.received += more
            self.descriptors += descriptors
        line, _, self.received = self.received.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return {**message, "output": self.descriptors.pop()} if "command" in message else message

    def run(self, request: dict[str, Any]) -> dict[str, str | int | None]:
        """Run a planner until it ends or reaches a limit, leave nothing of it running, and return how it ended."""
        worker = os.getpid()
        planner = os.fork()
        if planner == 0:
            become(request, worker)
        with contextlib.suppress(OSError):  # the child does the same: whichever comes first
            os.setpgid(planner, planner)
        os.close(request["output"])
        seconds = request["seconds"]
        how, ended = self.wait(planner, seconds, request["megabytes"] << 20)
        if ended is None:
            send(signal.SIGTERM, planner)
            ended = self.wait(planner, min(GRACE_SECONDS, GRACE_FRACTION * seconds))[1]
        send(signal.SIGKILL, planner)
        status, usage = ended or os.wait4(planner, 0)[1:]
        end_descendants()
        return {"how": how, "exit_code": os.waitstatus_to_exitcode(status), "peak": usage.ru_maxrss}

    def wait(self, planner: int, seconds: float, memory: int | None = None) -> tuple[str, Ended | None]:
        """Return how the planner ended, or why it must be ended: a limit, or no client waits for it any more."""
        deadline = time.monotonic() + seconds
        while True:
            process, status, usage = os.wait4(-1, os.WNOHANG)
            if process == planner:
                return "done", (status, usage)
            if process:  # a process that the planner left behind, now our child
                continue
            left = deadline - time.monotonic()
            if left <= 0:
                return "time", None
            ears = [self.client.fileno(), self.bell]
            ready = select.select(ears, [], [], min(left, LOOK_SECONDS if memory else left))[0]
            if self.bell in ready:
                os.read(self.bell, 1 << 10)
            if (
                self.client.fileno() in ready or os.getppid() != self.guard
            ):  # a waiting client sends nothing, so it is gone
                return "alone", None
            if memory and exceeds(memory, descendants()):
                return "memory", None


def become(request: dict[str, Any], worker: int) -> None:
    """Turn this process into the planner."""
    command = request["command"]
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for standard in (1, 2):
            os.dup2(request["output"], standard)
        os.close(request["output"])
        os.chdir(request["folder"])
        limit_memory(request["megabytes"] << 20)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        die_with(worker)
        os.execvpe(command[0], command, request["environment"])
    except (OSError, ValueError) as error:
        os.write(1, f"cannot run {command[0]}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(127)


def limit_memory(limit: int) -> None:
    """Limit the memory of this process; one beyond the present limit, or too large for the kernel, changes nothing."""
    present = resource.getrlimit(resource.RLIMIT_AS)[1]
    if limit < (1 << 62) and (present == resource.RLIM_INFINITY or limit < present):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def die_with(worker: int) -> None:
    """Ask the kernel to end this process when the worker dies; only Linux can."""
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != worker:  # it died before the request
        os._exit(127)


def send(number: int, group: int) -> None:
    """Send a signal to the process group of a planner, if any process of it is left."""
    with contextlib.suppress(OSError):
        os.killpg(group, number)


def end_descendants() -> None:
    """Kill all descendants until none is left; orphans of a child become our children in turn."""
    deadline = time.monotonic() + KILLING_SECONDS
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if time.monotonic() > deadline:
            return
        for process in descendants():
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.001)


def descendants() -> list[int]:
    """Return all descendants of this process; none if the kernel does not list them."""
    processes = children(os.getpid())
    for process in processes:  # the list grows while it is read
        processes += children(process)
    return processes


def children(process: int) -> list[int]:
    """Return the processes that the threads of a process have started."""
    processes: list[int] = []
    with contextlib.suppress(OSError):  # it has ended, or there is no /proc
        for thread in os.listdir(f"/proc/{process}/task"):
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file,
            ):
                processes += map(int, file.read().split())
    return processes


def exceeds(limit: int, processes: list[int]) -> bool:
    """Return whether processes together use more memory than the limit; the kernel enforces it for a single one."""
    if len(processes) < 2 or sum(map(resident, processes)) <= limit:
        return False
    return sum(map(proportional, processes)) > limit  # shared memory counts once; slower to compute


def resident(process: int) -> int:
    """Return the memory of a process in bytes, including what it shares with others."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE
    return 0


def proportional(process: int) -> int:
    """Return the memory of a process in bytes, including its part of what it shares with others."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


if __name__ == "__main__":
    main()
