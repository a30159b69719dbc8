"""Requests that the studio must refuse, and connections that say nothing: its own page is answered all the same."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import attrs

from chaos_cases.harness import TRACEBACK, Verdict, end_descendants, litter
from chaos_cases.kills import Process
from chaos_cases.world import World

REFUSED = frozenset({400, 403, 404, 405, 408, 411, 413, 414, 415, 422, 429, 431, 501, 505})
PATIENCE = 60.0
METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW", "get", "\x00")
PATHS = (
    *("/", "//", "/../", "/{token}", "/{token}/../../etc/passwd", "/{token}/nothing", "/{wrong}/", "/{wrong}/export"),
    *("/{token}/%2e%2e/", "http://evil/{token}/", "/{token}/picture/../export", "*", "/" + "a" * 70_000, "/\xff"),
)
HOSTS = ("evil.example", "127.0.0.1", "localhost", "127.0.0.1:1", "", "[::1]:{port}", "localhost.evil:{port}", "0")
ORIGINS = ("http://evil.example", "null", "", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "file://")
KINDS = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/json; x", "a/b")
ACTIONS = ("state", "shuffle", "look", "plan", "progress", "cancel", "picture")
BODIES = (b"", b"{", b"[]", b"null", b"[" * 4000, b"\xff\xfe", b'{"picture": -1}', b'{"kind": 7}', b'{"search": 1e999}')
LENGTHS = ("-1", "1e9", "99999999999999999999", "x", "", "0x10", "4294967296")


@attrs.define
class Server:
    """A studio at work; started when the first case needs it."""

    world: World
    folder: Path
    process: Process | None = None
    address: str = ""

    def start(self) -> None:
        """Start it, unless it runs already."""
        if self.process is not None and not self.process.ended():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.world.copy(self.folder)
        (self.folder / "out.txt").touch()
        self.process = Process.start(["studio", "run", "--json"], self.folder, fresh=False)
        deadline = time.monotonic() + PATIENCE
        while not (said := (self.folder / "out.txt").read_text()).endswith("\n") and time.monotonic() < deadline:
            time.sleep(0.02)
        self.address = json.loads(said)["address"]

    @property
    def port(self) -> int:
        """Return the port on this machine."""
        return int(re.split(r"[:/]+", self.address)[2])

    @property
    def token(self) -> str:
        """Return the secret part of the address."""
        return self.address.rstrip("/").rpartition("/")[2]

    def answers(self) -> bool:
        """Return whether the page is there for its user."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"/{self.token}/")
            answer = connection.getresponse()
            return answer.status == 200 and answer.read().startswith(b"<!doctype html>")
        except (OSError, http.client.HTTPException):
            return False

    def end(self) -> list[str]:
        """End it with Ctrl-C, and return what is wrong with how it ends."""
        if self.process is None:
            return []
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGINT)
        code = self.process.wait()
        complaints = [] if code == 0 else [f"exit code {code} after Ctrl-C"]
        complaints += ["traceback"] if TRACEBACK in self.process.said() else []
        complaints += [f"orphan: {name}" for name in end_descendants()]
        complaints += [f"litter: {name}" for name in litter(self.folder)]
        self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)
        return complaints


def hostile_requests(world: World, seed: int, count: int) -> Iterator[tuple[str, Callable[[Path], Verdict]]]:
    """Yield cases, each a request or a handful of connections; the last one ends the studio."""
    server = Server(world, world.folder.with_name("studio"))
    try:
        for number in range(count):
            rng = random.Random(f"{seed} studio {number}")
            kind = (_path, _host, _origin, _body, _silence)[number % 5]
            name = f"{kind.__name__.strip('_')} {number}"
            yield name, partial(_tried, server, kind, rng, name)
        yield "Ctrl-C", partial(_ended, server)
    finally:  # that case may be for a later call
        server.end()


def _tried(server: Server, kind: Callable[..., str], rng: random.Random, name: str, _: Path) -> Verdict:
    server.start()
    begun = time.monotonic()
    complaints = [kind(server, rng)]
    complaints += [] if server.answers() else ["lost: the page is refused to its user"]
    assert server.process is not None
    complaints += ["traceback"] if TRACEBACK in server.process.said() else []
    kept = tuple(complaint for complaint in complaints if complaint)
    return Verdict(group="studio", name=name, complaints=kept, seconds=round(time.monotonic() - begun, 3))


def _ended(server: Server, _: Path) -> Verdict:
    server.start()
    complaints = server.end()
    return Verdict(group="studio", name="Ctrl-C", complaints=tuple(complaints))


def _path(server: Server, rng: random.Random) -> str:
    wrong = server.token[:-1] + ("a" if server.token[-1] != "a" else "b")
    path = rng.choice(PATHS).format(token=server.token, wrong=wrong)
    return _judged(_ask(server, rng.choice(METHODS), path, {}, b""))


def _host(server: Server, rng: random.Random) -> str:
    host = rng.choice(HOSTS).format(port=server.port)
    return _judged(_ask(server, "GET", f"/{server.token}/", {"Host": host}, b""))


def _origin(server: Server, rng: random.Random) -> str:
    headers = {"Origin": rng.choice(ORIGINS).format(port=server.port), "Content-Type": "application/json"}
    return _judged(_ask(server, "POST", f"/{server.token}/state", headers, b'{"kind": "goal"}'))


def _body(server: Server, rng: random.Random) -> str:
    """Send the page's own request with a body, a kind or a length that it never has."""
    headers = {"Origin": f"http://127.0.0.1:{server.port}", "Content-Type": "application/json"}
    body = rng.choice((*BODIES, rng.randbytes(200)))
    if rng.random() < 0.3:
        headers["Content-Type"] = rng.choice(KINDS)
    elif rng.random() < 0.4:
        headers["Content-Length"] = rng.choice(LENGTHS)
    return _judged(_ask(server, "POST", f"/{server.token}/{rng.choice(ACTIONS)}", headers, body))


def _silence(server: Server, rng: random.Random) -> str:
    """Open many connections that say nothing, or half a head; the page must be there while they are open."""
    with contextlib.ExitStack() as opened:
        for _ in range(rng.choice((5, 40, 60))):
            with contextlib.suppress(OSError):
                connection = opened.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
                connection.sendall(rng.choice((b"", b"G", b"GET / HTTP/1.1\r\nHost: x", b"POST /")))
        return "" if server.answers() else "lost: silent connections shut the studio"


def _ask(server: Server, method: str, path: str, changes: dict[str, str], body: bytes) -> int | None:
    """Send a request as it is and return the status; None if there is no answer."""
    headers = {"Host": f"127.0.0.1:{server.port}", "Content-Length": str(len(body)), **changes}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode("latin-1", "replace") + b"\r\n" + body)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        found = re.match(rb"HTTP/1\.\d (\d+)", connection.recv(1 << 16))
        return int(found[1]) if found else None
    return None


def _judged(status: int | None) -> str:
    return "" if status is None or status in REFUSED else f"injected: answered with {status}"
