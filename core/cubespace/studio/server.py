"""The server of the page: on this machine only, for whoever knows the address that was printed, and nobody else.

The standard library's server is enough: one user, a dozen kinds of requests, none of which names a file.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cubespace.base.errors import CubeError
from cubespace.studio.guard import BYTES, HOST, JSON, MAX_JSON, Refused, check_host, check_origin, length, route
from cubespace.studio.page import live_page, static_page
from cubespace.studio.searches import Busy
from cubespace.studio.studio import MAX_UPLOAD, Answer, Studio

MAX_CONNECTIONS = 32
IDLE_SECONDS = 20.0  # after which a client that says nothing is given up
HEAD_SECONDS, BODY_SECONDS = 10.0, 120.0  # that a request may take to arrive, however steadily it comes
ROOM_SECONDS = 2.0  # for a connection that was given up to make room for another one
DRAIN_SECONDS, DRAIN_BYTES = 2.0, 8 * MAX_UPLOAD  # of a body that was refused: the client must hear why
HTML = "text/html; charset=utf-8"
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the address is a secret
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Server(ThreadingHTTPServer):
    """Serves one studio until it is closed."""

    daemon_threads, block_on_close = True, False  # whoever is still connected does not keep us
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, studio: Studio, port: int = 0) -> None:
        self.studio = studio
        self.token = secrets.token_urlsafe(16)
        self.places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._arriving: dict[socket.socket, float] = {}  # requests that have not arrived yet, and their deadlines
        super().__init__((HOST, port), Handler)

    @property
    def address(self) -> str:
        """Return where the page is; its secret part lets nobody else in."""
        return f"http://{HOST}:{self.server_address[1]}/{self.token}/"

    def server_bind(self) -> None:
        """Bind without asking anyone for the name of this machine, which might leave it."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own; if there are too many, the one that has said nothing for longest is given up.

        It has the least time left. If all have been heard and are being answered, the new one is refused.
        """
        if not self.places.acquire(blocking=False):
            late = sorted(self._arriving.items(), key=lambda one: one[1])[:1]
            for connection, _ in late:
                self._give_up(connection)
            if not late or not self.places.acquire(timeout=ROOM_SECONDS):
                self.shutdown_request(request)
                return
        self.expect(request, HEAD_SECONDS)
        super().process_request(request, client_address)

    def expect(self, request: socket.socket, seconds: float) -> None:
        """Expect the next part of a request within so much time."""
        self._arriving[request] = time.monotonic() + seconds

    def arrived(self, request: socket.socket) -> None:
        """Expect no more of a request: it is here."""
        self._arriving.pop(request, None)

    def service_actions(self) -> None:
        """Give up connections whose requests take too long to arrive; the serving loop calls this twice a second."""
        for connection, deadline in list(self._arriving.items()):
            if time.monotonic() > deadline:
                self._give_up(connection)

    def _give_up(self, connection: socket.socket) -> None:
        """Let the thread that waits for a connection go on, and find that nothing comes."""
        self.arrived(connection)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room for another one."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.arrived(request)
            self.places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that has gone away is no error, and all others are caught where they happen."""

    def close(self) -> None:
        """End all searches, then the server."""
        self.studio.searches.close()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version, sys_version = "cubespace", ""
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        """Answer with the page, or with the page as a file that needs no server."""
        self.server.arrived(self.connection)
        self._answer(self._page)

    def do_POST(self) -> None:
        """Do what the page asks for."""
        self._answer(self._act)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse what is no request at all, in the same form as everything else."""
        self._send(HTTPStatus(code), JSON, json.dumps({"error": HTTPStatus(code).phrase}).encode(), {})

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing about requests: the page asks several times a second."""

    def _answer(self, make: Callable[[], None]) -> None:
        """Answer a request, whatever happens; the client never sees more than a line."""
        try:
            check_host(self.headers, self.server.server_port)
            make()
        except Refused as error:
            self._fail(error.status, str(error))
            self._drain()
        except Busy as error:
            self._fail(HTTPStatus.TOO_MANY_REQUESTS, str(error))
        except CubeError as error:
            self._fail(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError:  # the client is gone
            self.close_connection = True
        except Exception as error:  # a mistake of ours, or of a plugin: the terminal says more
            self.server.studio.complain(error)
            self._fail(HTTPStatus.INTERNAL_SERVER_ERROR, "this failed unexpectedly: the terminal says more")

    def _page(self) -> None:
        name, studio = route(self.path, self.server.token), self.server.studio
        if name == "":
            page = live_page(studio)
            self._send(HTTPStatus.OK, HTML, page.text.encode(), _policy(page.policy))
        elif name == "export":
            page = static_page(studio.source, studio.tell, studio.found)
            more = {"Content-Disposition": 'attachment; filename="studio.html"'}
            self._send(HTTPStatus.OK, HTML, page.text.encode(), {**_policy(page.policy), **more})
        else:
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing of this name")

    def _act(self) -> None:
        name, studio = route(self.path, self.server.token), self.server.studio
        check_origin(self.headers)
        if name == "picture":
            answer = studio.take(self._body(BYTES, MAX_UPLOAD))
        elif name in ACTIONS:
            answer = ACTIONS[name](studio, _Fields(self._body(JSON, MAX_JSON)))
        else:
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing of this name")
        self._send(HTTPStatus.OK, JSON, json.dumps(answer).encode(), {})

    def _body(self, kind: str, most: int) -> bytes:
        wanted = length(self.headers, kind, most)
        self.server.expect(self.connection, BODY_SECONDS)
        body = self.rfile.read(wanted)
        self.server.arrived(self.connection)
        if len(body) != wanted:
            raise ConnectionError("the client is gone")
        return body

    def _fail(self, status: HTTPStatus, message: str) -> None:
        with contextlib.suppress(OSError):
            self._send(status, JSON, json.dumps({"error": message}).encode(), {})

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS, **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _drain(self) -> None:
        """Read and forget some of what a client is still sending: closing at once would destroy our answer."""
        deadline, left = time.monotonic() + DRAIN_SECONDS, DRAIN_BYTES
        with contextlib.suppress(OSError):
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(DRAIN_SECONDS)
            while left > 0 and time.monotonic() < deadline and (read := len(self.rfile.read1(1 << 16))):
                left -= read


class _Fields:
    """The body of a request: a table of a few values, each of a known kind."""

    def __init__(self, body: bytes) -> None:
        try:
            self.table = json.loads(body)
        except (ValueError, RecursionError):
            self.table = None
        if not isinstance(self.table, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "the body must be a JSON object")

    def get(self, name: str, kind: type[Any]) -> Any:
        """Return a value, which must be of a kind."""
        value = self.table.get(name)
        if type(value) is not kind:
            raise Refused(HTTPStatus.BAD_REQUEST, f"'{name}' must be of type {kind.__name__}")
        return value


ACTIONS: dict[str, Callable[[Studio, _Fields], Answer]] = {
    "state": lambda studio, given: studio.state(given.get("kind", str)),
    "shuffle": lambda studio, given: studio.shuffle(given.get("picture", int)),
    "look": lambda studio, given: studio.look(given.get("picture", int)),
    "plan": lambda studio, given: studio.plan(
        given.get("init", int), given.get("goal", int), given.get("planner", str), given.get("anyway", bool)
    ),
    "progress": lambda studio, given: studio.searches.progress(given.get("search", int)),
    "cancel": lambda studio, given: studio.searches.cancel(given.get("search", int)),
}


def _policy(policy: str) -> dict[str, str]:
    return {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
