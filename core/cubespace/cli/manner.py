"""The options with which ``cube matrix`` and ``cube tune`` say how their cells work."""

from __future__ import annotations

import attrs

from cubespace.cli.options import (
    DEFAULTS,
    CellMemory,
    CellTime,
    CheckpointSeconds,
    Device,
    Searches,
    Watchers,
    observers,
)
from cubespace.experiments.cell_call import CellCall
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.recipe import Execution


@attrs.frozen
class Manner:
    """How every cell works, which is not part of the identity of its result."""

    searches: Searches = DEFAULTS.searches
    device: Device = DEFAULTS.device
    checkpoint_seconds: CheckpointSeconds = DEFAULTS.checkpoint_seconds
    observer: Watchers = None
    cell_time: CellTime = None
    cell_memory: CellMemory = None

    def call(self, loaded: Catalogue, blocked: list[str] | None) -> CellCall:
        """Return what cells are told; a bad observer is refused here, the device is for each cell to check."""
        return CellCall(
            execution=Execution(searches=self.searches, device=self.device, checkpoint_seconds=self.checkpoint_seconds),
            observers=tuple(observers(loaded, self.observer)),
            blocked=tuple(blocked or ()),
            seconds=self.cell_time,
            megabytes=self.cell_memory,
        )
