"""What was read from files is kept while the files are the same on disk: one command reads and hashes each once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import attrs

T = TypeVar("T")


@attrs.frozen
class FileIdentity:
    """What the disk knows of a file: some of it changes whenever the file is replaced or written to."""

    device: int
    inode: int
    size: int
    modified: int  # when its content was changed, in nanoseconds; a program can set it back …
    changed: int  # … but not the time of that

    @classmethod
    def of(cls, path: Path) -> FileIdentity | None:
        """Return the identity of a file, or None if there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


@attrs.frozen(eq=False)
class ReadOnce(Generic[T]):
    """Calls ``read`` for a file, and again only when the file on disk is another than the one that was read."""

    read: Callable[[Path], T]
    _known: dict[Path, tuple[FileIdentity, T]] = attrs.field(init=False, factory=dict, repr=False)

    def __call__(self, path: Path) -> T:
        """Return what the file holds."""
        identity = FileIdentity.of(path)
        known = self._known.pop(path, None)
        if known is None or known[0] != identity:
            known = None  # so that the memory is free for what is read now
            value = self.read(path)
        else:
            value = known[1]
        if identity is not None and FileIdentity.of(path) == identity:  # nobody wrote to it meanwhile
            self._known[path] = identity, value
        return value

    def forget(self) -> None:
        """Let go of all that was read."""
        self._known.clear()
