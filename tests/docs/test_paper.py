"""The map from the paper to the program: all of the paper is on it, and what it names exists."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import attrs
import pytest
import typer

from cubespace.base.errors import UsageError
from cubespace.base.options import parse_spec
from cubespace.cli.commands import app
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import RunConfig, flat

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "paper.md").read_text("utf-8")
SECTIONS = ("data", "autoencoder", "train", "extract", "lift", "plan", "diagnose")  # those that the page names
PARTS = [
    *(f"§{number}" for number in (1, 2, 3, 4, "4.1", 5, 6)),
    *("Theorem 1", "Theorem 2", "Precondition Learning"),
    *(f"Figure {number}" for number in range(1, 6)),
    *("Table 1 (1)", "Table 1 (2)", "Table 1 (3)", "Table 1 (4)", "Table 2, left", "Table 2, right"),
]


def quoted() -> list[str]:
    """Return everything that the page quotes, and its indented commands."""
    indented = [line.strip() for line in PAGE.splitlines() if line.startswith("    ")]
    return sorted({*re.findall(r"`([^`]+)`", PAGE), *indented})


def files() -> list[str]:
    return [text for text in quoted() if re.match(r"(core|plugins|docs|examples|benchmarks|results|tests)/", text)]


def settings() -> list[str]:
    keys = (text.partition("=")[0] for text in quoted() if re.match(rf"({'|'.join(SECTIONS)})\.[a-z_.]+(=|$)", text))
    return sorted(set(keys))


def specs() -> list[str]:
    """Return the components with options, such as ``btl:norm=none``."""
    return [text for text in quoted() if re.match(r"[a-z0-9-]+:[a-z_]+=", text)]


def commands() -> list[str]:
    return [text for text in quoted() if text.startswith("cube ")]


def flags() -> list[str]:
    """Return the options that stand by themselves, such as ``--apply minmax``."""
    return sorted({text.split()[0] for text in quoted() if text.startswith("--")})


@cache
def options_of(command: str) -> set[str]:
    """Return the options of a command."""
    return {option for parameter in group().commands[command].params for option in parameter.opts}


@cache
def group():
    return typer.main.get_command(app)


@cache
def components() -> dict[str, set[str]]:
    """Return the names of the components of each kind."""
    return {kind: set(named) for kind, named in load_plugins().components.items()}


def test_the_page_names_something_of_each_sort() -> None:
    assert min(map(len, (files(), settings(), specs(), commands(), flags()))) > 3


@pytest.mark.parametrize("part", PARTS)
def test_every_part_of_the_paper_is_on_the_page(part) -> None:
    assert part in PAGE


@pytest.mark.parametrize("path", files())
def test_a_file_exists(path) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("key", settings())
def test_a_setting_exists(key) -> None:
    assert key in flat(attrs.asdict(RunConfig()))


@pytest.mark.parametrize("spec", specs())
def test_a_component_has_the_options(spec) -> None:
    name, options = parse_spec(spec).name, parse_spec(spec).options
    kinds = [kind for kind, names in components().items() if name in names]
    assert any(accepts(kind, name, options) for kind in kinds)


def accepts(kind: str, name: str, options: Mapping[str, object]) -> bool:
    """Return whether a component has some options; an encoder and a decoder may have the same name."""
    try:
        load_plugins().find(kind, name).options(options)
    except UsageError:
        return False
    return True


@pytest.mark.parametrize("line", commands())
def test_a_command_has_the_options(line) -> None:
    _, command, *words = line.split()
    assert {word for word in words if word.startswith("-")} <= options_of(command)


@pytest.mark.parametrize("flag", flags())
def test_an_option_belongs_to_some_command(flag) -> None:
    assert any(flag in options_of(command) for command in group().commands)


def test_a_function_or_class_is_in_the_file_named_before_it() -> None:
    named = re.findall(r"`([a-z_/]+\.py)` \((`\w+`(?:, `\w+`)*)\)", PAGE)
    assert len(named) > 10
    for path, names in named:
        code = (ROOT / path).read_text("utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"^(?:def|class) {name}\b|^{name}[:\s]", code, re.MULTILINE), f"{name} in {path}"


@pytest.mark.parametrize("text", sorted(set(re.findall(r"(?:planners?|presets?) ((?:`[\w-]+`(?:, | and )?)+)", PAGE))))
def test_a_planner_or_preset_exists(text) -> None:
    known = components()["planner"] | set(load_plugins().presets)
    assert set(re.findall(r"`([\w-]+)`", text)) <= known


@pytest.mark.parametrize("text", [text for text in quoted() if re.fullmatch(r"--[a-z]+ [a-z]\w*", text)])
def test_a_component_of_an_option_exists(text) -> None:
    flag, name = text.removeprefix("--").split()
    assert name in components().get(flag, ()) or (flag, name) in {("learner", "auto"), ("judge", "authors")}


def test_the_extensions_of_training_exist() -> None:
    named = re.findall(r"`train\.extensions`: ((?:`\w+`(?:, )?)+)", PAGE)
    assert len(named) > 2
    assert {name for names in named for name in re.findall(r"`(\w+)`", names)} <= components()["extension"]
