"""Which requests are answered: those of our own page, on this machine, of a form and size that we know."""

from __future__ import annotations

import hmac
from email.message import Message
from http import HTTPStatus

from cubespace.base.errors import CubeError

HOST = "127.0.0.1"  # nobody outside this machine can connect
NAMES = (HOST, "localhost")  # what a browser may call it
JSON, BYTES = "application/json", "application/octet-stream"
MAX_JSON = 4096  # bytes


class Refused(CubeError):  # noqa: N818 - what happened, not whose fault it is
    """A request that is not answered, with the status that says why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


def check_host(headers: Message, port: int) -> None:
    """Refuse a request for another host: a name that someone has pointed at this machine (DNS rebinding)."""
    if headers.get("Host", "") not in {f"{name}:{port}" for name in NAMES}:
        raise Refused(HTTPStatus.FORBIDDEN, "this is not the host that was asked for")


def check_origin(headers: Message) -> None:
    """Refuse a request that another page has made."""
    site = headers.get("Sec-Fetch-Site", "same-origin")
    if headers.get("Origin") != f"http://{headers.get('Host')}" or site != "same-origin":
        raise Refused(HTTPStatus.FORBIDDEN, "only the studio's own page may ask for this")


def route(path: str, token: str) -> str:
    """Return what is asked for, below the secret part of the address; nobody else finds anything."""
    _, _, rest = path.partition("/")
    given, slash, name = rest.partition("/")
    if not hmac.compare_digest(given.encode(errors="replace"), token.encode()) or not slash:
        raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here: use the whole address that cube studio has printed")
    return name


def length(headers: Message, kind: str, most: int) -> int:
    """Return the length of a body, which must be of a kind, and not too long."""
    if headers.get("Content-Type", "").partition(";")[0].strip() != kind:
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the body must be {kind}")
    text = headers.get("Content-Length", "")
    if "Transfer-Encoding" in headers or not (text.isascii() and text.isdigit()):
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "the length of the body must be given")
    if len(text) > 15 or int(text) > most:
        size = f"{most >> 20} MB" if most >> 20 else f"{most} bytes"
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"that is too large: at most {size}")
    return int(text)
