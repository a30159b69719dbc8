"""Core names no plugin: what a run has that names nothing stands in one file, and presets are files of settings.

A string that equals the name of a built-in component counts, with or without options. Some names are words of other
meanings, too: kinds of components, sections of the settings, keys of records. They cannot be told apart by their text,
and so are left out, each with its other meaning.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cubespace
from cubespace.plugins.catalogue import load_plugins

CORE = Path(cubespace.__file__).parent
HOMES = ("settings/defaults.py", "settings/presets/", "autoencoder/extensions/")  # extensions are what plugins offer
OTHER_MEANINGS = {
    "actions": "a key of records",
    "autoencoder": "a section of the settings",
    "blocks": "is in the way of",
    "decoder": "a kind of component",
    "frames": "a key of records",
    "states": "a key of records",
    "static": "facts that no action changes",
    "up": "a direction",
}
CHOSEN = re.compile(r"--(?:learner|apply|domain|planner|precondition|executor|encoder|decoder)[ =]([\w-]+)")


def built_in() -> set[str]:
    names = {
        component.name
        for kind in load_plugins().components.values()
        for component in kind.values()
        if component.distribution.startswith("cubespace ")
    }
    assert {"btl", "places", "piles", "mlp", "conv", "counterexamples", "values", "fd-lmcut", "mnist"} <= names
    return names


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module with their lines, but no docstring and no example in a help page."""
    tree = ast.parse(path.read_text())
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "epilog":
            left_out |= {id(part) for part in ast.walk(node.value)}
        if isinstance(node, ast.Expr):
            left_out.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.lineno, node.value


def modules() -> list[str]:
    paths = sorted(str(path.relative_to(CORE)) for path in CORE.rglob("*.py"))
    return [path for path in paths if not path.startswith(HOMES)]


@pytest.mark.parametrize("room", sorted({module.partition("/")[0] for module in modules()}))
def test_no_module_names_a_component(room: str) -> None:
    names = built_in() - set(OTHER_MEANINGS)
    named = [
        f"{module}:{line}: {text!r}"
        for module in modules()
        if module.partition("/")[0] == room
        for line, text in strings(CORE / module)
        if text.partition(":")[0] in names
    ]
    assert not named


def test_no_message_tells_the_user_to_type_the_name_of_a_plugin() -> None:
    """A message that recommends a component takes its name from the defaults, and so stays true if these change."""
    told = [
        f"{module}:{line}: {text!r}"
        for module in modules()
        for line, text in strings(CORE / module)
        if built_in() & set(CHOSEN.findall(text))
    ]
    assert not told


def test_every_name_that_is_left_out_is_that_of_a_component() -> None:
    assert set(OTHER_MEANINGS) <= built_in()
