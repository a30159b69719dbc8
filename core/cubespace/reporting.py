"""What a pipeline tells while it works; who listens decides how it looks."""

from __future__ import annotations

from typing import Protocol


class Reporter(Protocol):
    """Listens to the stages of a run."""

    def stage(self, name: str, about: str) -> None:
        """A stage begins."""

    def step(self, done: int, total: int, about: str) -> None:
        """Some of the present stage is done."""

    def say(self, line: str) -> None:
        """Something the user should know."""


class Silent:
    """Listens to nothing."""

    def stage(self, name: str, about: str) -> None:
        """Ignore it."""

    def step(self, done: int, total: int, about: str) -> None:
        """Ignore it."""

    def say(self, line: str) -> None:
        """Ignore it."""
