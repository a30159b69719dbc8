"""The server answers its own page and nobody else: no other host, no other origin, no path, no file, no traceback."""

import contextlib
import io
import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from open_studio import Client, serving, source_of, studio_of
from PIL import Image
from script_planner import Script, alive, eventually_dead
from tiny_run import copy_run

from cubespace.studio.door import private_door
from cubespace.studio.server import MAX_CONNECTIONS, Server
from cubespace.studio.studio import MAX_UPLOAD, Studio

SLEEPER = "import os, time; open({marker!r}, 'w').write(str(os.getpid())); print('busy', flush=True); time.sleep(60)"


@pytest.fixture(scope="module")
def studio(tmp_path_factory) -> Studio:
    folder = tmp_path_factory.mktemp("studio")
    sleeper = Script(SLEEPER.format(marker=str(folder / "process")))
    sleeper.marker = folder / "process"  # type: ignore[attr-defined]
    return studio_of(source_of(copy_run(folder, "default")), "fd-lmcut", "pyperplan-bfs", sleeper=sleeper)


@pytest.fixture(scope="module")
def server(studio) -> Iterator[Server]:
    with serving(studio) as opened:
        yield opened


@pytest.fixture
def client(server) -> Client:
    return Client(server)


def png(pixels: np.ndarray, **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG", **options)
    return buffer.getvalue()


def pair(client: Client) -> dict[str, int]:
    """Return a start and a goal, both dropped as files."""
    test = client.server.studio.source.pictures
    init, goal = (client.post("picture", png(picture)).json["id"] for picture in (test[0], test[1]))
    return {"init": init, "goal": goal}


def finished(client: Client, search: int) -> dict:
    deadline = time.monotonic() + 30
    while (now := client.post("progress", {"search": search}).json)["state"] == "running":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return now


def test_the_page_is_served_with_a_strict_policy(client) -> None:
    page = client.get()
    assert page.status == 200
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert page.headers["Cache-Control"] == "no-store"
    assert "Python" not in page.headers["Server"]


def test_it_listens_on_this_machine_only_and_its_address_is_a_secret(server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert len(server.token) >= 20
    assert Server(server.studio).token != server.token


def test_two_pictures_are_dropped_and_a_plan_comes_back(client) -> None:
    search = client.post("plan", {**pair(client), "planner": "fd-lmcut", "anyway": False}).json["search"]
    done = finished(client, search)
    assert done["state"] == "done"
    assert done["plan"]["verdict"] in {"optimal", "none"}
    assert len(done["plan"]["frames"]) == (done["plan"]["steps"] or -1) + 1


def test_a_search_is_cancelled_with_its_process(client, studio) -> None:
    marker = studio.planners["sleeper"].marker
    search = client.post("plan", {**pair(client), "planner": "sleeper", "anyway": True}).json["search"]
    deadline = time.monotonic() + 20
    while (now := client.post("progress", {"search": search}).json).get("said") != "busy":
        assert now["state"] == "running"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert alive(marker)
    client.post("cancel", {"search": search})
    assert finished(client, search)["state"] == "cancelled"
    assert eventually_dead(marker)


def test_there_are_two_searches_at_a_time_and_no_more(client) -> None:
    wanted = {**pair(client), "planner": "sleeper", "anyway": True}
    first, second = (client.post("plan", wanted).json["search"] for _ in range(2))
    third = client.post("plan", wanted)
    assert third.status == 429
    assert "cancel" in third.json["error"]
    for search in (first, second):
        client.post("cancel", {"search": search})
        finished(client, search)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", None]
)
def test_another_host_is_refused(client, server, host) -> None:
    named = None if host is None else host.format(port=server.server_port)
    for reply in (client.get(Host=named), client.post("state", {"kind": "goal"}, Host=named)):
        assert reply.status == 403
        assert server.token not in reply.body.decode()


def test_localhost_is_the_same_host(client, server) -> None:
    name = f"localhost:{server.server_port}"
    assert client.get(Host=name).status == 200
    assert client.post("state", {"kind": "goal"}, Host=name, Origin=f"http://{name}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", None])
def test_a_post_of_another_page_is_refused(client, origin) -> None:
    assert client.post("state", {"kind": "goal"}, Origin=origin).status == 403


def test_a_post_that_the_browser_calls_foreign_is_refused(client) -> None:
    assert client.post("state", {"kind": "goal"}, Sec_Fetch_Site="cross-site").status == 403
    assert client.post("state", {"kind": "goal"}, Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/wrong/",
        "/{token}",
        "/{token}/../",
        "/{token}/config.toml",
        "/{token}/../../../../etc/passwd",
        "/{token}/%2e%2e/%2e%2e/etc/passwd",
        "/{token}/..%2f..%2fconfig.toml",
        "/{token}//etc/passwd",
        "/{token}/?file=/etc/passwd",
        "/{token}/export/../../x",
        "/{token}/" + "x" * 5000,
        "file:///etc/passwd",
        "http://127.0.0.1/{token}/",
    ],
)
def test_no_path_leads_anywhere(client, server, path) -> None:
    for method, usual in (
        ("GET", {}),
        ("POST", {"Origin": f"http://{client.host}", "Content-Type": "application/json"}),
    ):
        reply = client.ask(method, path.format(token=server.token), b"{}" if method == "POST" else b"", usual)
        assert reply.status == 404
        assert b"root:" not in reply.body
        assert b"[data]" not in reply.body


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT", "X"])
def test_other_methods_are_refused(client, server, method) -> None:
    assert client.ask(method, f"/{server.token}/", b"", {}).status == 501


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not a picture",
        b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(/etc/passwd) (r) file",
        b"#!/bin/sh\nrm -rf /",
        b"GIF89a" + b"\xff" * 40,
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 100,
        b"PK\x03\x04" + b"\x00" * 100,
        b"\x00" * 1_000_000,
    ],
)
def test_what_is_no_picture_is_refused_in_one_line(client, data) -> None:
    reply = client.post("picture", data)
    assert reply.status == 422
    message = reply.json["error"]
    assert "\n" not in message
    assert "Traceback" not in message
    assert "/tmp" not in message


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(client) -> None:
    bomb = png(np.zeros((1, 1), np.uint8))
    bomb = bomb[:16] + (60_000).to_bytes(4) * 2 + bomb[24:]  # claims 3,600 million pixels
    reply = client.post("picture", bomb)
    assert reply.status == 422


def test_a_body_that_is_too_large_is_refused_and_the_client_hears_why(client) -> None:
    reply = client.post("picture", b"\x00" * (MAX_UPLOAD + 1))
    assert reply.status == 413
    assert "16 MB" in reply.json["error"]
    assert client.post("state", {"kind": "x" * 5000}).status == 413
    assert client.post("picture", b"", Content_Length="9" * 40).status == 413


def test_a_body_without_a_length_or_of_another_kind_is_refused(client) -> None:
    assert client.post("picture", b"", Content_Length=None).status == 411
    assert client.post("picture", b"", Content_Length="-1").status == 411
    assert client.post("picture", b"", Transfer_Encoding="chunked").status == 411
    assert client.post("picture", b"x", Content_Type="multipart/form-data").status == 415
    assert client.post("picture", b"x", Content_Type="text/plain").status == 415
    assert client.post("state", {"kind": "goal"}, Content_Type="text/plain").status == 415


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"[" * 4000, b'{"picture": "1"}', b'{"picture": true}', b"\xff"]
)
def test_a_body_of_another_form_is_refused(client, server, body) -> None:
    usual = {"Content-Type": "application/json", "Origin": f"http://{client.host}"}
    assert client.ask("POST", f"/{server.token}/look", body, usual).status == 400


def test_numbers_and_planners_that_are_not_there_are_named(client) -> None:
    assert "no picture 999999" in client.post("look", {"picture": 999_999}).json["error"]
    assert "no search -1" in client.post("progress", {"search": -1}).json["error"]
    both = pair(client)
    for planner in ("fd", "up:engine=x", "../../bin/sh", "x" * 500):
        reply = client.post("plan", {**both, "planner": planner, "anyway": False})
        assert reply.status == 422
        assert "not offered" in reply.json["error"]


def test_a_mistake_of_ours_is_told_on_the_terminal_and_not_to_the_client(client, studio, monkeypatch) -> None:
    monkeypatch.setattr(studio, "look", lambda _: 1 / 0)
    reply = client.post("look", {"picture": 0})
    assert reply.status == 500
    assert "division" not in reply.body.decode()
    assert studio.observer.lines[-1] == "studio: ZeroDivisionError: division by zero"


def test_rubbish_and_clients_that_hang_up_do_no_harm(client, server) -> None:
    for rubbish in (b"\x00\xff\r\n\r\n", b"GET\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", b""):
        with socket.create_connection(("127.0.0.1", server.server_port)) as raw:
            raw.sendall(rubbish)
    assert client.get().status == 200


def test_too_many_connections_are_turned_away_and_room_is_made_again(client, server) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.server_port)) for _ in range(MAX_CONNECTIONS + 4)]
    deadline = time.monotonic() + 5
    while server.places._value and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not server.places._value
    for each in idle:
        each.close()
    while not server.places._value:
        assert time.monotonic() < deadline + 5
        time.sleep(0.02)
    assert client.get().status == 200


def test_silent_connections_make_room_for_one_that_speaks(client, server) -> None:
    halves = [socket.create_connection(("127.0.0.1", server.server_port)) for _ in range(MAX_CONNECTIONS + 4)]
    for half in halves:
        with contextlib.suppress(OSError):
            half.sendall(b"GET / HTTP/1.1\r\nHost: x")
    time.sleep(0.2)
    assert client.get().status == 200, "while all of them are open"
    for half in halves:
        half.close()


def test_a_request_must_arrive_in_time_however_steadily_it_comes(client, server, monkeypatch) -> None:
    monkeypatch.setattr("cubespace.studio.server.HEAD_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as slow:
        begun = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - begun < 8 and not select.select([slow], [], [], 0.1)[0]:
                slow.sendall(b"G")
        assert time.monotonic() - begun < 6
    assert client.get().status == 200


def test_the_browser_is_started_without_the_secret(server) -> None:
    with private_door(server.address) as door:
        assert server.token not in door
        path = Path(door.removeprefix("file://"))
        assert f"url={server.address}" in path.read_text()
        assert path.stat().st_mode & 0o077 == path.parent.stat().st_mode & 0o077 == 0
    assert not path.parent.exists()


def test_the_page_can_be_saved_with_what_was_found(client) -> None:
    found = [each.planner for each in client.server.studio.found]
    reply = client.get("export")
    assert reply.status == 200
    assert "attachment" in reply.headers["Content-Disposition"]
    facts = json.loads(reply.body.decode().partition('id="facts">')[2].partition("</script>")[0])
    assert facts["live"] is False
    assert len(facts["stories"]) >= 4
    assert set(found) <= {planner["name"] for planner in facts["planners"]}
    assert client.server.token not in reply.body.decode()


def test_closing_ends_the_searches(tmp_path) -> None:
    marker = tmp_path / "process"
    studio = studio_of(source_of(copy_run(tmp_path, "default")), sleeper=Script(SLEEPER.format(marker=str(marker))))
    with serving(studio) as opened:
        client = Client(opened)
        client.post("plan", {**pair(client), "planner": "sleeper", "anyway": True})
        deadline = time.monotonic() + 20
        while not alive(marker):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    assert eventually_dead(marker)
    assert not [thread for thread in threading.enumerate() if "_run" in thread.name]
