"""Presets: settings for domains that the one recipe does not serve. Each is a TOML file that begins with its reason."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from itertools import takewhile
from typing import Any

import attrs

from cubespace.errors import UsageError
from cubespace.options import suggestion

SUFFIX = ".toml"


@attrs.frozen
class Preset:
    """Settings that go below all others, and why they are needed."""

    name: str
    reason: str
    settings: dict[str, Any]


def preset_names() -> list[str]:
    """Return the names of all presets."""
    entries = (entry.name for entry in files(__name__).iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in entries if name.endswith(SUFFIX))


def find_preset(name: str) -> Preset:
    """Return a preset; a name that is unknown is a :class:`UsageError` that lists the known ones."""
    known = preset_names()
    if name not in known:
        raise UsageError(f"No preset is called '{name}'. {suggestion(name, known)}Available: {', '.join(known)}.")
    text = files(__name__).joinpath(name + SUFFIX).read_text("utf-8")
    comment = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return Preset(name, " ".join(line.lstrip("# ").rstrip() for line in comment), tomllib.loads(text))
