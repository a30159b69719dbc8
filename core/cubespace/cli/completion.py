"""What the shell offers when the user presses the tab key: names of components, presets and settings."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import typer

from cubespace.plugins.catalogue import load_plugins
from cubespace.plugins.component import KINDS
from cubespace.plugins.scaffold import STARTS
from cubespace.settings.run_config import RunConfig, flat

Offers = list[tuple[str, str]]  # (what to type, one line about it)


def names(kind: str) -> Callable[[str], Offers]:
    """Return the completion of an option that takes a component of one kind."""

    def complete(incomplete: str) -> Offers:
        return _offered(kind, incomplete)

    return complete


def kinds(incomplete: str) -> Offers:
    """Complete the first argument of ``cube plugins``."""
    return [(kind.name, f"{kind.title}s") for kind in KINDS.values() if kind.name.startswith(incomplete)]


def names_of_kind(ctx: typer.Context, incomplete: str) -> Offers:
    """Complete the second argument of ``cube plugins``, which depends on the first."""
    kind = ctx.params.get("kind")
    return _offered(kind, incomplete) if kind in KINDS else []


def starts(incomplete: str) -> Offers:
    """Complete ``cube new-plugin --kind``."""
    return [(name, start.about) for name, start in STARTS.items() if name.startswith(incomplete)]


def presets(incomplete: str) -> Offers:
    """Complete ``--preset``."""
    known = load_plugins().presets.values()
    return [(preset.name, preset.reason) for preset in known if preset.name.startswith(incomplete)]


def settings(incomplete: str) -> Offers:
    """Complete the key of ``--set``."""
    defaults = flat(attrs.asdict(RunConfig()))
    return [(f"{key}=", f"default: {value}") for key, value in defaults.items() if key.startswith(incomplete)]


def _offered(kind: str, incomplete: str) -> Offers:
    components = load_plugins().components[kind].values()
    return [(component.name, component.summary) for component in components if component.name.startswith(incomplete)]
