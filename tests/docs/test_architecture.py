"""The map of the architecture is that of the code, and the code keeps its own rules."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
CORE = ROOT / "core" / "cubespace"
FILES = sorted(path for folder in ("core", "plugins") for path in (ROOT / folder).rglob("*.py"))
MOST_ENTRIES, MOST_LINES, LONGEST_FUNCTION = 18, 300, 40


def tree() -> dict[str, list[str]]:
    """Return the entries below each folder that the page draws."""
    (drawn,) = re.findall(r"```text\n(core/.*?)```", PAGE, re.DOTALL)
    entries: dict[str, list[str]] = {}
    folder = ""
    for line in drawn.splitlines():
        name, *words = line.split(maxsplit=1)
        if line.startswith("  "):
            assert words, f"'{name}' has no word on what it is for"
            entries[folder].append(name.rstrip("/"))
        else:
            folder = name.rstrip("/")
            entries[folder] = []
    return entries


def real(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name != "__pycache__"}


@pytest.mark.parametrize("folder", ["core/cubespace", "plugins"])
def test_the_tree_is_the_real_one(folder) -> None:
    drawn = tree()[folder]
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) == real(ROOT / folder) - {"__init__.py", "py.typed"}


def test_the_top_of_core_has_few_entries() -> None:
    entries = real(CORE) - {"__init__.py", "py.typed"}
    assert len(entries) <= MOST_ENTRIES, sorted(entries)


def test_no_file_is_too_long() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert not {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > MOST_LINES}


def test_no_function_is_too_long() -> None:
    offenders = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    offenders[f"{path.relative_to(ROOT)}: {node.name}"] = lines
    assert not offenders


def test_the_import_rules_hold() -> None:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    if not command[0].exists():
        pytest.skip("import-linter is not installed: pip install -e '.[dev]'")
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout


def surface() -> list[tuple[str, list[str]]]:
    """Return the modules of the public surface and the names that plugins find there."""
    rows = re.findall(r"^\| `(cubespace[a-z_.]*)` \| (.*) \|$", PAGE, re.MULTILINE)
    return [(module, re.findall(r"`([A-Za-z_]+)`", words)) for module, words in rows]


@pytest.mark.parametrize(("module", "names"), surface(), ids=[module for module, _ in surface()])
def test_the_public_surface_is_there(module, names) -> None:
    found = importlib.import_module(module)
    assert not [name for name in names if not hasattr(found, name)]


def test_built_in_plugins_use_the_public_surface_only() -> None:
    public = {module for module, _ in surface()}
    beyond = set()
    for path in (ROOT / "plugins").rglob("*.py"):
        for module in re.findall(r"^from (cubespace(?:\.[a-z_.]+)?) import", path.read_text("utf-8"), re.MULTILINE):
            if module not in public and not module.startswith("cubespace.base."):
                beyond.add((path.name, module))
    assert not beyond


def test_every_path_that_the_map_names_exists() -> None:
    named = re.findall(
        r"`((?:learning|plugins|report|studio|symbols|search|evaluation|testing|cli|settings|core)/[^`<]*)`", PAGE
    )
    assert named
    assert not [path for path in named if not ((CORE / path).exists() or (ROOT / path).exists())]
