"""Words are checked too: every hook is documented and tested, every command that is shown can be typed."""

import inspect
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import typer
from command import cube

from cubespace.base.options import parse_spec
from cubespace.cli.commands import app
from cubespace.plugins.catalogue import collect, hookspecs, load_plugins
from cubespace.plugins.component import KINDS
from cubespace.settings.run_config import load_config, parse_settings

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from generate import written  # noqa: E402 - needs the path above

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("results/*.md")),
    *ROOT.glob("examples/**/*.md"),
]
HOOKS = [name for name, _ in inspect.getmembers(hookspecs, inspect.isfunction) if name.startswith("cube_")]
CHEAP = {"plugins", "info", "show", "new-plugin"}
INVENTED = {
    "mine",
    "rooms",
    "NAME",
    "pddlgym",
    "deepcubeai",
    "cells",
    "tabletop",
    "difference",
}  # components that exist only in the text, or in a package of its own


def blocks(text: str) -> list[str]:
    """Return the lines of code: fenced, or indented by four after an empty line."""
    fenced = [
        line for block in re.findall(r"```(?:console|sh)?\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [*fenced, *(line[4:] for line in outside.splitlines() if line.startswith("    "))]


def commands() -> list[str]:
    """Return every command line that a page shows, without its comment, and those in the help."""
    lines = []
    for path in PAGES:
        text = written(path.read_text("utf-8"))  # what the program says about itself is below
        lines += [line for line in blocks(text) if line.startswith("cube ")]
        lines += re.findall(r"`(cube [a-z][^`]* [^`]*)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for command in group().commands.values():
        lines += re.findall(r"`(cube [^`]*)`", command.epilog or "")
    return sorted({line.split("  #")[0].strip() for line in lines})


@cache
def group():
    return typer.main.get_command(app)


def test_there_are_pages_and_commands() -> None:
    assert len(PAGES) > 10
    assert len(commands()) > 20


@pytest.mark.parametrize("line", commands())
def test_a_shown_command_can_be_typed(line) -> None:
    _, name, *words = shlex.split(line.partition(" > ")[0])
    if name.startswith("-"):
        assert name in {"-h", "--debug", "--install-completion", "--version"}
        return
    assert name in group().commands
    if "-h" in words or (words and words[0] in {"KIND", "RUN"} and name == "plugins"):
        return
    given = group().commands[name].make_context(name, words).params
    pairs = given.get("pairs") or []
    if name in {"matrix", "tune"}:  # several values of a setting, or the ends of a range
        parts = [
            (pair.split("=")[0], re.split(r",|\.\.", pair.partition("=")[2].removesuffix(":log"))) for pair in pairs
        ]
        pairs = [f"{key}={value}" for key, values in parts for value in values]
    load_config(None, parse_settings(pairs), given.get("preset"))
    for kind in KINDS:
        for spec in [given[kind]] if isinstance(given.get(kind), str) else given.get(kind) or []:
            builds = name in {"run", "train", "extract", "evaluate", "plan", "show", "data"}
            if builds and parse_spec(spec).name not in INVENTED:
                found = load_plugins().find(kind, parse_spec(spec).name)
                found.options(parse_spec(spec).options)


@pytest.mark.parametrize("line", [line for line in commands() if line.split()[1] in CHEAP or "--dry-run" in line])
def test_a_cheap_command_runs(line, tmp_path) -> None:
    words = shlex.split(line)[1:]
    if {"KIND", "NAME", *INVENTED} & set(words) or any(word.startswith("runs/") for word in words):
        pytest.skip("KIND, NAME and runs are for the reader to fill in")
    if any("kitchen/" in word for word in words):
        pytest.skip("the pictures of the tutorial, which has a test of its own")
    answer = cube(*words, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_what_to_write(hook) -> None:
    """Its section names the class of a component, or says what to do with the argument."""
    (argument,) = inspect.signature(getattr(hookspecs, hook)).parameters
    _, heading, after = (ROOT / "docs" / "plugins.md").read_text().partition(f"### `{hook}({argument})`\n")
    assert heading
    section = re.split(r"^(?:#|<!--)", after, flags=re.MULTILINE)[0]
    contracts = [kind.contract.partition(":")[2] for kind in KINDS.values() if kind.hook == hook]
    assert f"`{contracts[0] if contracts else argument}" in section


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_called_or_has_a_test_of_its_own(hook) -> None:
    kind = next((kind.name for kind in KINDS.values() if kind.hook == hook), None)
    if kind is None:
        tests = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
        assert any(hook in path.read_text() for path in tests), f"no test uses {hook}"
        return
    plugin = type("Plugin", (), {})()
    setattr(plugin, hook, hookspecs.hookimpl(lambda registry: registry.add("mine", "m:M", "a test"), specname=hook))
    assert collect([("mine", "mine 1", lambda: plugin)]).components[kind]["mine"].summary == "a test"


def test_the_plugin_table_of_the_readme_names_every_plugin() -> None:
    readme = (ROOT / "README.md").read_text()
    components = [component for kind in load_plugins().components.values() for component in kind.values()]
    ours = {component.plugin for component in components if component.distribution.split()[0] == "cubespace"}
    assert ours
    assert not [plugin for plugin in ours if f"`{plugin}`" not in readme]


def test_every_target_of_make_that_is_shown_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {
        target for path in PAGES for target in re.findall(r"(?:^    |`)make ([a-z]+)", path.read_text(), re.MULTILINE)
    }
    assert shown
    assert shown <= targets


def test_every_picture_that_is_shown_is_there_and_small() -> None:
    for path in PAGES:
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", path.read_text()):
            assert 0 < (path.parent / picture).stat().st_size < 150_000, picture


def test_exit_codes_are_those_of_the_program() -> None:
    from cubespace.base.errors import CubeError, InputError, UsageError

    table = (ROOT / "docs" / "exit-codes.md").read_text()
    for code in (0, CubeError.exit_code, UsageError.exit_code, InputError.exit_code, 130):
        assert f"| {code} |" in table


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path) -> None:
    pytest.importorskip("furo", reason="install the extra 'docs'")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(ROOT / "docs"), str(tmp_path / "html")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "html" / "index.html").stat().st_size > 1000
