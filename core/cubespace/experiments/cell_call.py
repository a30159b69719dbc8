"""How the cells of an experiment work: what every call of ``cube cell`` is told, whoever runs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from cubespace.settings.recipe import Execution


@attrs.frozen(kw_only=True)
class CellCall:
    """What cells are told besides their run folder; no part of the identity of a result."""

    execution: Execution = attrs.field(factory=Execution)
    observers: tuple[str, ...] = ()  # as NAME or NAME:key=value,…
    blocked: tuple[str, ...] = ()  # plugins that are not loaded
    seconds: float | None = None  # that a cell may take, by the clock
    megabytes: int | None = None  # that each process of a cell may have

    def words(self, folder: Path, until: str, lenders: Sequence[Path], *, diagnose: bool) -> tuple[str, ...]:
        """Return the words after ``cube`` for the stages of a run folder up to ``until``."""
        words = ["cell", str(folder), "--until", until]
        words += [word for lender in lenders for word in ("--reuse", str(lender))]
        words += ["--device", self.execution.device, "--searches", str(self.execution.searches)]
        if self.execution.checkpoint_seconds != Execution().checkpoint_seconds:
            words += ["--checkpoint-seconds", str(self.execution.checkpoint_seconds)]
        words += ["--diagnose"] * diagnose
        words += [word for observer in self.observers for word in ("--observer", observer)]
        words += [word for plugin in self.blocked for word in ("--no-plugin", plugin)]
        for flag, limit in (("--cell-time", self.seconds), ("--cell-memory", self.megabytes)):
            words += [] if limit is None else [flag, str(limit)]
        return tuple(words)
