"""A stranger's plugins, really installed with pip, in an environment of their own."""

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from cubespace.plugins import KINDS
from cubespace.scaffold import write_plugin

BROKEN = """
[project]
name = "cube-broken"
version = "0.1"
[project.entry-points.cubespace]
broken = "no_such_module"
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[tool.hatch.build.targets.wheel]
bypass-selection = true
"""


@pytest.fixture(scope="module")
def strangers(tmp_path_factory) -> Path:
    """Return the folder of an environment that sees this one's packages and has a plugin of every kind installed."""
    folder = tmp_path_factory.mktemp("strangers")
    venv.create(folder / "venv", with_pip=False)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    # this environment's packages, editable ones included, without installing torch again
    (site / "outer.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    packages = [write_plugin(f"their-{kind}", kind, folder / kind) for kind in KINDS]
    (folder / "broken").mkdir()
    (folder / "broken" / "pyproject.toml").write_text(BROKEN)
    python = str(folder / "venv" / "bin" / "python")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-build-isolation"]
        + [str(package) for package in [*packages, folder / "broken"]],
        check=True,
        capture_output=True,
    )
    return folder


def run(strangers: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(strangers / "venv" / "bin" / "python"), "-m", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=strangers, check=False)


def test_they_are_listed_and_the_broken_one_is_named(strangers) -> None:
    answer = run(strangers, "cubespace.cli", "plugins", "--json")
    listed = json.loads(answer.stdout)
    assert answer.returncode == 0
    for kind in KINDS:
        assert f"their-{kind}" in {row["name"] for row in listed[kind]}
    assert [failure["plugin"] for failure in listed["failures"]] == ["broken"]
    assert "skipped plugin 'broken' (cube-broken 0.1): ModuleNotFoundError" in answer.stderr


def test_asking_for_the_broken_one_is_an_error(strangers) -> None:
    answer = run(strangers, "cubespace.cli", "show", "broken")
    assert answer.returncode == 2
    assert "no_such_module" in answer.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_they_pass_the_suite_that_they_bring(strangers, kind: str) -> None:
    answer = run(strangers, "pytest", "-q", "-p", "no:cacheprovider", str(strangers / kind))
    assert answer.returncode == 0, answer.stdout


def test_their_domain_is_used_by_name(strangers) -> None:
    answer = run(strangers, "cubespace.cli", "show", "their-domain:cells=7", "-o", "row.png")
    assert answer.returncode == 0, answer.stderr
    assert (strangers / "row.png").stat().st_size > 0
