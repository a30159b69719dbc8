"""The entry points of group ``cubespace``, and imports by ``"module:Class"``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Any

from cubespace.plugins.hookspecs import PROJECT


def installed() -> Iterator[tuple[EntryPoint, str]]:
    """Yield the entry points of the group with the name and version of their distribution, each once."""
    seen = set()
    sources: dict[Distribution, str] = {}  # cached, since a distribution reads its files again for each query
    for entry_point in sorted(entry_points(group=PROJECT), key=lambda entry: entry.name):
        distribution = entry_point.dist
        if distribution is not None and distribution not in sources:
            sources[distribution] = f"{distribution.name} {distribution.version}"
        source = "unknown" if distribution is None else sources[distribution]
        key = (entry_point.name, entry_point.value, source)
        if key not in seen:  # an editable install can be on the path twice
            seen.add(key)
            yield entry_point, source


def import_target(target: str) -> Any:
    """Return what ``"module:Class"`` names."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)
