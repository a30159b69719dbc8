"""Hashes of the user's files, kept in the run folder: a file is read again only if the disk says that it changed."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import attrs

from cubespace.base.errors import CubeError
from cubespace.base.files import read_json, write_json
from cubespace.runs.folder.read_once import FileIdentity

HASHES = "hashes.json"
SETTLED_NS = 2_000_000_000  # a file that was changed later than this may change again without a new time

Entries = dict[str, tuple[FileIdentity, str]]


@attrs.define(eq=False)
class KeptHashes:
    """Returns the hash of a file, from ``file`` if it is known there; :meth:`save` writes down what was new."""

    file: Path
    digest: Callable[[Path], str]
    _entries: Entries | None = None
    _new: bool = False

    def __call__(self, path: Path) -> str:
        """Return the hash of a file of the user."""
        entries, name, identity = self._known(), os.path.abspath(path), FileIdentity.of(path)
        if name in entries and entries[name][0] == identity:
            return entries[name][1]
        value = self.digest(path)
        if identity is not None and identity == FileIdentity.of(path) and _settled(identity):
            entries[name], self._new = (identity, value), True
        return value

    def save(self) -> None:
        """Keep what was hashed since the last time; where nothing can be written, it is hashed again."""
        if self._new:
            with contextlib.suppress(CubeError):
                rows = {name: [*attrs.astuple(found), sha] for name, (found, sha) in self._known().items()}
                write_json(self.file, rows)
            self._new = False

    def _known(self) -> Entries:
        """Return the entries of the file; none if it is damaged, since all of them can be made again."""
        if self._entries is None:
            self._entries = {}
            with contextlib.suppress(CubeError, AttributeError, TypeError, ValueError):
                table = read_json(self.file) if self.file.is_file() else {}
                self._entries = {name: (FileIdentity(*row[:-1]), str(row[-1])) for name, row in table.items()}  # type: ignore[attr-defined]
        return self._entries


def _settled(identity: FileIdentity) -> bool:
    """Return whether the last change of a file is long enough ago that the next one will have another time."""
    return time.time_ns() - max(identity.modified, identity.changed) > SETTLED_NS
