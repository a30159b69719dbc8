"""Files that are written whole or not at all; everything that a run writes goes through here."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cubespace.base.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces ``path`` if the block succeeds and leaves no trace if it fails.

    Missing folders are made. Trouble with the folder or the disk is an :class:`InputError` that names the path.
    """
    # A hidden neighbour, since a rename is atomic only within one file system; not tempfile, whose files are private.
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the content must be on disk before the name is
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):  # if the folder could not be made, there is nothing to remove
            part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode())


def write_json(path: Path, value: object) -> None:
    """Write a JSON file that people can read, whole or not at all."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def remove(path: Path) -> None:
    """Remove a file if it is there."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot remove '{path}': {error.strerror or error}") from error


def read_json(path: Path) -> object:
    """Read a JSON file; one that is absent or damaged is an :class:`InputError` that names it."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
