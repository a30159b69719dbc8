"""What SECURITY.md says of the network: no client of it is imported, and Ray does not report either."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from cubespace_executors.ray_executor import HERE, REPORTS, Ray, RayOptions

ROOT = Path(__file__).parents[2]
CLIENTS = {"aiohttp", "ftplib", "http.client", "httpx", "requests", "smtplib", "urllib.request", "urllib3", "xmlrpc"}
WITH_SOCKETS = {  # and what for
    "core/cubespace/search/_supervisor.py",  # pairs of sockets between two processes …
    "core/cubespace/search/supervised_process.py",
    "core/cubespace/studio/server.py",  # … and a server
}


def imports(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports, as far as they are named."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_module_of_ours_can_call_a_server() -> None:
    files = [*ROOT.glob("core/**/*.py"), *ROOT.glob("plugins/**/*.py")]
    assert len(files) > 300
    found = {str(file.relative_to(ROOT)): set(imports(file)) for file in files}
    assert {name: CLIENTS & modules for name, modules in found.items() if CLIENTS & modules} == {}
    assert {name for name, modules in found.items() if "socket" in modules} == WITH_SOCKETS


@pytest.mark.parametrize(
    ("address", "before", "after"),
    [(HERE, None, "0"), (HERE, "1", "1"), ("auto", None, None)],
)
def test_ray_does_not_report_unless_it_is_told_to(monkeypatch, address, before, after) -> None:
    monkeypatch.delenv(REPORTS, raising=False)
    monkeypatch.setenv(REPORTS, before or "")
    if before is None:
        monkeypatch.delenv(REPORTS)
    seen = []
    ray = SimpleNamespace(
        is_initialized=lambda: False, init=lambda **_: seen.append(os.environ.get(REPORTS)), shutdown=lambda: None
    )
    with Ray(RayOptions(address=address))._connected(ray):
        pass
    assert seen == [after]
