"""The early stopping of the paper's released code: when validation is at rest, and when it is hopeless."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from cubespace.settings.recipe import TrainConfig


class EarlyStop:
    """Looks at ½ Rec + ½ Succ + Direct on validation, epoch by epoch; ``recent`` are the values of the last ones."""

    def __init__(self, config: TrainConfig) -> None:
        self.config = config.stopping
        self.delay = config.settled
        self.recent: list[float] = []

    def after(self, row: Mapping[str, Any], epoch: int, epochs: int) -> bool:
        """Return whether the phase, of which so many epochs are done, ends with this row of measures."""
        window = self.config.window
        if window == 0:
            return False
        rec, succ, direct = (float(row[f"validation_{name}"]) for name in ("reconstruction", "successor", "direct"))
        full = len(self.recent) == window  # before this epoch: theirs look for the first time one epoch later
        self.recent = [*self.recent, (rec + succ) / 2.0 + direct][-window:]
        last = epoch - 1  # counted from 0, as their callbacks do
        if not full or last < self.delay * epochs:
            return False
        at_rest = max(self.recent) - min(self.recent) <= self.config.change
        return at_rest or (self.config.ceiling and median(self.recent) >= 1.0 - last / epochs)
