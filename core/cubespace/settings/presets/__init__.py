"""Presets: settings for domains that the one recipe does not serve; plugins offer them, ours among them.

Ours are the TOML files beside this one. Each begins with its reason.
"""

from __future__ import annotations

from importlib.resources import files

from cubespace.plugins.catalogue import load_plugins
from cubespace.plugins.hookspecs import hookimpl
from cubespace.plugins.offers import Preset, PresetRegistry

SUFFIX = ".toml"


class BuiltInPresets:
    """The plugin that offers our presets."""

    @hookimpl
    def cube_presets(self, registry: PresetRegistry) -> None:
        """Offer every TOML file beside this module."""
        for entry in sorted(files(__name__).iterdir(), key=lambda entry: entry.name):
            if entry.name.endswith(SUFFIX):
                registry.add(entry.name.removesuffix(SUFFIX), entry.read_text("utf-8"))


built_in = BuiltInPresets()


def preset_names() -> list[str]:
    """Return the names of all presets."""
    return sorted(load_plugins().presets)


def find_preset(name: str) -> Preset:
    """Return a preset; an unknown name is a :class:`UsageError` that lists the known ones."""
    return load_plugins().find_preset(name)
