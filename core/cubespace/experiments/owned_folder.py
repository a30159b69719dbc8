"""A folder that one driver at a time works on: that of a matrix, or of a tuning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from cubespace.base.errors import InputError, UsageError

LOCK = ".lock"


@contextmanager
def owned(folder: Path, kind: str, mark: str) -> Iterator[None]:
    """Create the folder and lock out every other driver; ``mark`` is the file that identifies a folder of this kind."""
    inside = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if inside - {LOCK} and mark not in inside:  # a driver killed at once leaves only its lock
        raise InputError(f"{folder} is not empty and not a {kind}: choose another folder with -o")
    lock = filelock.FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise UsageError(f"another process works on the {kind} {folder}: wait for it") from None
    except OSError as error:
        raise InputError(f"cannot write to '{folder}': {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()
