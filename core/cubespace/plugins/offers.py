"""What a plugin can offer besides components: presets and commands; and the record of a plugin that was skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import attrs

from cubespace.base.toml import parse_toml
from cubespace.base.words import printable, shortened
from cubespace.plugins import blame

if TYPE_CHECKING:
    import typer

NAME = re.compile(r"[\w.+-]+")


@attrs.frozen
class Failure:
    """A plugin that was skipped, and why."""

    plugin: str
    distribution: str
    reason: str

    @classmethod
    def of(cls, plugin: str, distribution: str, error: BaseException) -> Failure:
        """Return the failure of a plugin that raised; the first line of the error is enough."""
        return cls(plugin, distribution, blame.reason(error))

    def __str__(self) -> str:
        """Return the line shown to the user."""
        return shortened(printable(f"skipped plugin '{self.plugin}' ({self.distribution}): {self.reason}"))


@attrs.frozen
class Preset:
    """Settings that all others override, and why they are needed."""

    name: str
    reason: str
    settings: dict[str, Any]
    plugin: str
    distribution: str

    def copy(self) -> Preset:
        """Return a preset whose settings the caller may change."""
        return attrs.evolve(self, settings=deepcopy(self.settings))


@attrs.define
class PresetRegistry:
    """What ``cube_presets`` is given: it collects the presets that one plugin offers."""

    plugin: str
    distribution: str
    presets: list[Preset] = attrs.field(factory=list)

    def add(self, name: str, settings: Mapping[str, Any] | str, reason: str = "") -> None:
        """Offer settings under ``name``: nested tables, or TOML text that may begin with a comment, the reason."""
        check_offer(name, reason)
        if isinstance(settings, str):
            reason = reason or leading_comment(settings)
            settings = parse_toml(settings)
        if not isinstance(settings, Mapping):
            raise TypeError(f"preset '{name}' must be tables or TOML text, not {settings!r}")
        if not reason:
            raise ValueError(f"preset '{name}' gives no reason: say why the defaults are not enough")
        self.presets.append(Preset(name, reason, dict(settings), self.plugin, self.distribution))


@attrs.frozen
class CommandPlugin:
    """A plugin that adds commands to ``cube``."""

    plugin: str
    distribution: str
    add_to: Callable[[typer.Typer], None]


def check_offer(name: object, summary: object) -> None:
    """Raise unless a component or preset has a name that can be written on a command line and a summary in text."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise TypeError(f"{name!r} is not a name: use letters, digits, '-', '_', '+' and '.'")
    if not isinstance(summary, str):
        raise TypeError(f"the line that describes '{name}' must be text, not {summary!r}")


def leading_comment(text: str) -> str:
    """Return the words of the comment that a text begins with."""
    comment = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.lstrip("# ").rstrip() for line in comment)
