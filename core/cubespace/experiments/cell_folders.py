"""Where the cells of a matrix are: a new one is named after what varies, one that was begun keeps its name.

What varies changes when a matrix is continued: with a second planner, ``mnist-0a1b2c3d`` would be called
``fd-lmcut-0a1b2c3d``, and all that it has finished would be done again. The hash at the end is of the settings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

import attrs

from cubespace.base.errors import CubeError
from cubespace.runs.folder.run_folder import CONFIG
from cubespace.settings.run_config import RunConfig, load_stored

CELLS = "cells"  # the folder of the run folders, below that of the matrix
HASH = re.compile(r"-([0-9a-f]{8})$")
LAST = "evaluate"  # the stage whose identity tells cells from each other


@attrs.frozen
class CellFolders:
    """The run folders that a matrix has, by the hash in their names."""

    folder: Path
    _begun: dict[str, list[Path]]

    @classmethod
    def of(cls, matrix: Path) -> CellFolders:
        """Look for the run folders of a matrix."""
        folder, begun = matrix / CELLS, defaultdict[str, list[Path]](list)
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if found := HASH.search(path.name):
                begun[found[1]].append(path)
        return cls(folder, dict(begun))

    def place(self, words: str, key: str) -> Path:
        """Return the folder of the cell with this key: where it was begun under whatever name, or one named anew."""
        named = self.folder / f"{words}-{key[:8]}"
        begun = self._begun.get(key[:8], [])
        if not begun or named in begun:
            return named
        return next((path for path, config in _configurations(begun) if config.key(LAST) == key), named)

    def others(self, taken: Collection[Path]) -> Iterator[tuple[Path, RunConfig]]:
        """Yield the run folders that are not among those taken, with their settings: of axes that the matrix had."""
        yield from _configurations([path for begun in self._begun.values() for path in begun if path not in taken])


def _configurations(folders: Collection[Path]) -> Iterator[tuple[Path, RunConfig]]:
    for path in folders:
        if (path / CONFIG).is_file():
            with suppress(CubeError):  # damaged, or of another version
                yield path, load_stored(path / CONFIG)
