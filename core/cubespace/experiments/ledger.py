"""Which stages of a matrix are done, and by which run: every run folder is read once, however many cells ask.

Run folders that are in the matrix but not among its cells lend what they have finished: those of other planners, say,
or of other settings of the searches, with which the matrix was run before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import attrs

from cubespace.base.files import sha256
from cubespace.experiments.cell_folders import CellFolders
from cubespace.experiments.matrix import CHAIN, MatrixCell
from cubespace.experiments.sharing import finished_stages
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.folder.read_once import ReadOnce
from cubespace.runs.folder.run_folder import RunFolder

Sharing = dict[tuple[str, str], list[MatrixCell]]  # by stage and its identity


@attrs.define(slots=False)
class Ledger:
    """What the cells of a matrix have finished, by the identity of each stage; :meth:`forget` begins anew."""

    folder: Path  # of the matrix
    cells: Sequence[MatrixCell]
    catalogue: Catalogue = attrs.field(repr=False)
    _digests: ReadOnce[str] = attrs.field(init=False, factory=lambda: ReadOnce(sha256), repr=False)
    _sharing: Sharing = attrs.field(init=False, factory=dict, repr=False)
    _finished: dict[Path, frozenset[str]] = attrs.field(init=False, factory=dict, repr=False)
    _holders: dict[tuple[str, str], MatrixCell | None] = attrs.field(init=False, factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        """Group the cells by the identity of each stage."""
        self._sharing = _by_identity(self.cells)

    @cached_property
    def formerly(self) -> Sequence[MatrixCell]:
        """Return the run folders of earlier axes of this matrix; they are looked for only where cells lack a stage."""
        taken = {cell.folder for cell in self.cells}
        found = CellFolders.of(self.folder).others(taken)
        return [MatrixCell(values={}, config=config, folder=path) for path, config in found]

    @cached_property
    def _formerly_sharing(self) -> Sharing:
        return _by_identity(self.formerly)

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
        """Return the first cell, else the first of earlier axes, that has done a stage of this identity, or None."""
        identity = stage, cell.keys[CHAIN.index(stage)]
        if identity not in self._holders:
            self._holders[identity] = self._finisher(self._sharing[identity], stage) or self._finisher(
                self._formerly_sharing.get(identity, ()), stage
            )
        return self._holders[identity]

    def _finisher(self, sharing: Sequence[MatrixCell], stage: str) -> MatrixCell | None:
        return next((cell for cell in sharing if self.finished(cell, stage)), None)

    def lenders(self, cell: MatrixCell) -> tuple[Path, ...]:
        """Return the other run folders from which a cell can take over stages, the one with most stages first."""
        held = [self.holder(cell, stage) for stage in reversed(CHAIN)]
        return tuple({other.folder: None for other in held if other is not None and other.folder != cell.folder})


def _by_identity(cells: Sequence[MatrixCell]) -> Sharing:
    sharing: Sharing = {}
    for cell in cells:
        for identity in zip(CHAIN, cell.keys, strict=True):
            sharing.setdefault(identity, []).append(cell)
    return sharing
