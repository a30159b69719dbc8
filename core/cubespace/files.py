"""Files that are either whole or not there: everything a run writes goes through here."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cubespace.errors import InputError


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Give a temporary file beside ``path`` to write to; when the block ends well it takes the place of ``path``.

    The name ends like ``path``'s, for libraries that choose the format by it. Trouble with the folder or the disk is an
    :class:`InputError` that names the path, and leaves nothing behind.
    """
    draft: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
        os.close(handle)
        draft = Path(name)
        draft.chmod(0o644)  # mkstemp makes it private
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())  # the content must be on disk before the name is
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with atomic(path) as draft:
        draft.write_text(text, "utf-8")


def write_json(path: Path, value: object) -> None:
    """Write a JSON file that people can read, whole or not at all."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def read_json(path: Path) -> object:
    """Read a JSON file; one that is absent or damaged is an :class:`InputError` that names it."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from error


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
