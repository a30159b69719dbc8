"""What a user's pip gets."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TOP_LEVEL = {"cubespace", *(path.name for path in (ROOT / "plugins").glob("*/cubespace_*"))}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_has_our_packages_and_nothing_else_at_the_top(wheel) -> None:
    names = {name.split("/")[0] for name in wheel.namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == TOP_LEVEL


def test_the_wheel_carries_types_templates_and_presets(wheel) -> None:
    names = set(wheel.namelist())
    assert "cubespace/py.typed" in names
    templates = ROOT / "core" / "cubespace" / "plugins" / "scaffold" / "templates"
    assert {f"cubespace/plugins/scaffold/templates/{path.name}" for path in templates.iterdir()} <= names
    presets = ROOT / "core" / "cubespace" / "settings" / "presets"
    assert {f"cubespace/settings/presets/{path.name}" for path in presets.glob("*.toml")} <= names


def test_every_list_of_packages_has_all_of_them() -> None:
    """Where a tool takes a list and no pattern."""
    build, imports = PROJECT["tool"]["hatch"]["build"], PROJECT["tool"]["importlinter"]
    packages = [Path(path) for path in build["targets"]["wheel"]["packages"]]
    assert {path.name for path in packages} == TOP_LEVEL
    assert build["dev-mode-dirs"] == [str(path.parent) for path in packages]
    assert set(imports["root_packages"]) == TOP_LEVEL
    (plugins_above_core,) = [
        contract["layers"] for contract in imports["contracts"] if contract.get("layers", [])[-1:] == ["cubespace"]
    ]
    assert {*plugins_above_core[0].split(" | "), "cubespace"} == TOP_LEVEL


def test_the_version_is_the_same_everywhere(wheel) -> None:
    from cubespace import __version__

    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    assert f"\nVersion: {__version__}\n" in wheel.read(metadata).decode()
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_every_dependency_has_a_lower_bound_for_the_oldest_versions() -> None:
    command = [sys.executable, str(ROOT / ".github" / "minimum_versions.py")]
    pins = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert len(pins) == len(PROJECT["project"]["dependencies"])
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", pin) for pin in pins)


def test_core_imports_no_plugin_package() -> None:
    plugins = TOP_LEVEL - {"cubespace"}
    for path in (ROOT / "core").rglob("*.py"):
        text = path.read_text()
        assert not [name for name in plugins if name in text], path


def test_every_constraint_is_pinned_and_covers_the_dependencies() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in lines if "==" in line}
    assert len(pinned) == len(lines)
    project = PROJECT["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    wanted = {line.split(">")[0].lower() for line in named}
    assert wanted <= pinned
