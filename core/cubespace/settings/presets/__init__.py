"""Presets: named sets of settings; plugins offer them, and so do we.

Ours are the TOML files beside this one. Each begins with its reason. One that names another as its ``base`` overrides
the settings of that one.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from cubespace.base.toml import parse_toml
from cubespace.plugins.catalogue import load_plugins
from cubespace.plugins.hookspecs import hookimpl
from cubespace.plugins.offers import Preset, PresetRegistry, leading_comment

SUFFIX = ".toml"


class BuiltInPresets:
    """The plugin that offers our presets."""

    @hookimpl
    def cube_presets(self, registry: PresetRegistry) -> None:
        """Offer every TOML file beside this module."""
        entries = sorted(files(__name__).iterdir(), key=lambda entry: entry.name)
        texts = {e.name.removesuffix(SUFFIX): e.read_text("utf-8") for e in entries if e.name.endswith(SUFFIX)}
        for name, text in texts.items():
            settings = parse_toml(text)
            base = settings.pop("base", None)
            if base is not None:
                settings = over(parse_toml(texts[base]), settings)
            registry.add(name, settings, leading_comment(text))


def over(table: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Return a nested table with another one on top."""
    both = {key for key in table.keys() & upper.keys() if isinstance(table[key], dict) and isinstance(upper[key], dict)}
    return {**table, **upper, **{key: over(table[key], upper[key]) for key in both}}


built_in = BuiltInPresets()


def preset_names() -> list[str]:
    """Return the names of all presets."""
    return sorted(load_plugins().presets)


def find_preset(name: str) -> Preset:
    """Return a preset; an unknown name is a :class:`UsageError` that lists the known ones."""
    return load_plugins().find_preset(name)
