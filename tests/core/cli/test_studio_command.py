"""``cube studio``: prints its address, ends with Ctrl-C and leaves no process; writes one file on request."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.cli.signals import Stopped
from cubespace.cli.studio import _planners, studio
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.pictures.bundle import write_bundle
from cubespace.settings.recipe import Execution
from cubespace.studio.source import open_source


def start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "cubespace.cli", "studio", "run", "--json"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def post(host: str, path: str, body: object) -> dict:
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", "Origin": f"http://{host}"})
    return json.loads(connection.getresponse().read())


def children(process: int) -> list[int]:
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        found += [int(child) for child in file.read_text().split()]
    return found + [below for child in found for below in children(child)]


def test_ctrl_c_ends_it_well_and_leaves_no_process(default_run) -> None:
    process = start(default_run.parent)
    about = json.loads(process.stdout.readline())
    assert "pyperplan-bfs" in about["planners"]
    host, path = re.fullmatch(r"http://(127\.0\.0\.1:\d+)(/\S+/)", about["address"]).groups()
    goal = post(host, f"{path}state", {"kind": "goal"})["id"]
    move = post(host, f"{path}look", {"picture": goal})["moves"][0]["id"]
    plan = {"init": move, "goal": goal, "planner": "pyperplan-bfs", "anyway": False}
    search = post(host, f"{path}plan", plan)["search"]
    while (now := post(host, f"{path}progress", {"search": search}))["state"] == "running":
        time.sleep(0.05)
    assert now["plan"]["verdict"] == "optimal"
    below = children(process.pid)
    assert below  # the supervisor waits for another search
    process.send_signal(signal.SIGINT)
    _, talk = process.communicate(timeout=30)
    assert process.returncode == 0
    assert talk.splitlines()[-1] == "the studio is closed"
    assert "Traceback" not in talk
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{child}").exists() for child in below):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_no_process_is_started_with_the_secret_address(default_run, monkeypatch, capsys) -> None:
    launched: list[str] = []

    def end(address: str) -> None:
        launched.append(address)
        raise Stopped(signal.SIGINT)

    monkeypatch.setattr("typer.launch", end)
    studio(default_run, show=True)
    address = capsys.readouterr().out.strip()
    (door,) = launched
    assert door.startswith("file://")
    assert address.split("/")[-2] not in door


def test_the_page_is_written_as_one_file(default_run, capsys) -> None:
    page = default_run.parent / "talk.html"
    studio(default_run, export=page)
    assert capsys.readouterr().out == f"{page}\n"
    assert page.read_text().startswith("<!doctype html>")
    studio(default_run, export=page, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"page": str(page), "run": str(default_run), "plans": 8}


def test_without_plans_there_is_nothing_to_export(default_run, tmp_path) -> None:
    bundle = write_bundle(RunFolder.load(default_run), tmp_path / "my.cube", "CC0")
    (default_run / "results.json").unlink()
    for run, way in ((default_run, f"cube evaluate {default_run} finds some"), (bundle, "a bundle has none")):
        with pytest.raises(InputError) as caught:
            studio(run, export=tmp_path / "talk.html")
        assert str(caught.value) == f"there is no plan to export: {way}"
    assert not (tmp_path / "talk.html").exists()


def test_what_cannot_be_opened_is_told_in_one_line(default_run) -> None:
    with pytest.raises(InputError, match="is not a run folder"):
        studio(default_run / "nowhere")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} cannot be used"):
            studio(default_run, port=port)


def test_planners_that_can_run_are_offered_those_of_the_run_first(default_run) -> None:
    loaded = load_plugins()
    names = list(_planners(open_source(default_run, loaded, Execution(device="cpu")), loaded))
    assert names[:2] == ["fd-lmcut", "pyperplan-bfs"]
    assert "fd-ff" in names
    assert not [name for name in names if name.startswith("ama2")]  # this network has no discriminator
