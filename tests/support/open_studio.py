"""A studio on a small run, served on this machine, and a client that says what a browser would say, or worse."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from cubespace.base.observer import Observer
from cubespace.cli.plan import summary
from cubespace.plugins.catalogue import load_plugins
from cubespace.search.solver import Limits, Solver
from cubespace.settings.recipe import Execution
from cubespace.studio.server import Server
from cubespace.studio.source import Source, open_source
from cubespace.studio.studio import Studio

LIMITS = Limits(seconds=60, megabytes=1000)


class Listener(Observer):
    """Keeps what the terminal would have shown."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def source_of(run: Path) -> Source:
    return open_source(run, load_plugins(), Execution(device="cpu"))


def studio_of(source: Source, *names: str, **planners: Solver) -> Studio:
    """Return a studio with planners by name, and others that are built already."""
    known: dict[str, Solver] = {name: load_plugins().create("planner", name) for name in names or ("fd-lmcut",)}
    return Studio(source, {**known, **planners}, LIMITS, summary, Listener())


@attrs.frozen
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@attrs.frozen
class Client:
    """Speaks to a server as its own page does; headers can be changed, or left out with None."""

    server: Server

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_port}"

    def get(self, name: str = "", **changes: str | None) -> Reply:
        return self.ask("GET", f"/{self.server.token}/{name}", b"", {}, **changes)

    def post(self, name: str, body: object, **changes: str | None) -> Reply:
        raw = isinstance(body, bytes)
        kind = "application/octet-stream" if raw else "application/json"
        usual = {"Content-Type": kind, "Origin": f"http://{self.host}"}
        return self.ask(
            "POST", f"/{self.server.token}/{name}", body if raw else json.dumps(body).encode(), usual, **changes
        )

    def ask(self, method: str, path: str, body: bytes, usual: Mapping[str, str], **changes: str | None) -> Reply:
        named = {name.replace("_", "-").title(): value for name, value in changes.items()}
        headers = {"Host": self.host, "Content-Length": str(len(body)), **usual, **named}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        connection.send(body)
        answer = connection.getresponse()
        reply = Reply(answer.status, dict(answer.getheaders()), answer.read())
        connection.close()
        return reply


@contextmanager
def serving(studio: Studio) -> Iterator[Server]:
    server = Server(studio)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.close()
        thread.join()
