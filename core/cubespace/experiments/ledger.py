"""Which stages of a matrix are done, and by which run: every run folder is read once, however many cells ask."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from cubespace.base.files import sha256
from cubespace.experiments.matrix import CHAIN, MatrixCell
from cubespace.experiments.sharing import finished_stages
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.read_once import ReadOnce
from cubespace.runs.folder.run_folder import RunFolder


@attrs.define
class Ledger:
    """What the cells of a matrix have finished, by the identity of each stage; :meth:`forget` begins anew."""

    cells: Sequence[MatrixCell]
    catalogue: Catalogue = attrs.field(repr=False)
    _digests: ReadOnce[str] = attrs.field(init=False, factory=lambda: ReadOnce(sha256), repr=False)
    _sharing: dict[tuple[str, str], list[MatrixCell]] = attrs.field(init=False, factory=dict, repr=False)
    _finished: dict[Path, frozenset[str]] = attrs.field(init=False, factory=dict, repr=False)
    _holders: dict[tuple[str, str], MatrixCell | None] = attrs.field(init=False, factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        """Group the cells by the identity of each stage."""
        for cell in self.cells:
            for stage, key in zip(CHAIN, cell.keys, strict=True):
                self._sharing.setdefault((stage, key), []).append(cell)

    def forget(self) -> None:
        """Look at the run folders again when next asked."""
        self._finished.clear()
        self._holders.clear()

    def finished(self, cell: MatrixCell, stage: str) -> bool:
        """Return whether the run folder of a cell has finished a stage with its settings."""
        if cell.folder not in self._finished:
            run = RunFolder(cell.folder, cell.config, self.catalogue, self._digests)
            self._finished[cell.folder] = finished_stages(run)
        return stage in self._finished[cell.folder]

    def holder(self, cell: MatrixCell, stage: str) -> MatrixCell | None:
        """Return the first cell that has done a stage of this identity, or None."""
        identity = stage, cell.keys[CHAIN.index(stage)]
        if identity not in self._holders:
            sharing = self._sharing[identity]
            self._holders[identity] = next((other for other in sharing if self.finished(other, stage)), None)
        return self._holders[identity]

    def lenders(self, cell: MatrixCell) -> tuple[Path, ...]:
        """Return the other run folders from which a cell can take over stages, the one with most stages first."""
        held = [self.holder(cell, stage) for stage in reversed(CHAIN)]
        return tuple({other.folder: None for other in held if other is not None and other.folder != cell.folder})
