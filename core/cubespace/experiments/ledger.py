"""Which stages of a matrix are done, and by which run: every run folder is read once, however many cells ask."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from cubespace.experiments.matrix import CHAIN, MatrixCell
from cubespace.experiments.sharing import recorded_stages


@attrs.define
class Ledger:
    """What the cells of a matrix have finished, by the identity of each stage; :meth:`forget` begins anew."""

    cells: Sequence[MatrixCell]
    _sharing: dict[tuple[str, str], list[MatrixCell]] = attrs.field(init=False, factory=dict, repr=False)
    _recorded: dict[Path, frozenset[str]] = attrs.field(init=False, factory=dict, repr=False)
    _holders: dict[tuple[str, str], MatrixCell | None] = attrs.field(init=False, factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        """Group the cells by the identity of each stage."""
        for cell in self.cells:
            for stage, key in zip(CHAIN, cell.keys, strict=True):
                self._sharing.setdefault((stage, key), []).append(cell)

    def forget(self) -> None:
        """Look at the run folders again when next asked."""
        self._recorded.clear()
        self._holders.clear()

    def recorded(self, cell: MatrixCell, stage: str) -> bool:
        """Return whether the run folder of a cell says that a stage is done with its settings."""
        if cell.folder not in self._recorded:
            self._recorded[cell.folder] = recorded_stages(cell.folder, cell.config)
        return stage in self._recorded[cell.folder]

    def holder(self, cell: MatrixCell, stage: str) -> MatrixCell | None:
        """Return the first cell that has done a stage of this identity, or None."""
        identity = stage, cell.keys[CHAIN.index(stage)]
        if identity not in self._holders:
            sharing = self._sharing[identity]
            self._holders[identity] = next((other for other in sharing if self.recorded(other, stage)), None)
        return self._holders[identity]

    def lenders(self, cell: MatrixCell) -> tuple[Path, ...]:
        """Return the other run folders from which a cell can take over stages, the one with most stages first."""
        held = [self.holder(cell, stage) for stage in reversed(CHAIN)]
        return tuple({other.folder: None for other in held if other is not None and other.folder != cell.folder})
