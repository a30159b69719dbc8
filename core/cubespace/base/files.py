"""Files that are written whole or not at all; everything that a run writes goes through here."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from cubespace.base.errors import CubeError, InputError, is_memory_error

# the name of a write in progress: the file, the process, something random
PART = re.compile(r"\..+\.(\d+)-[0-9a-f]{8}\.part")
NAME_LENGTH = 50  # characters of the file's name that are kept in it, since names have a limit
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_in_use: list[Path] = []


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces ``path`` if the block succeeds and leaves no trace if it fails.

    Missing folders are created. Only a regular file is ever replaced, never a folder or a device. A problem with the
    folder or the disk is an :class:`InputError` that names the path.
    """
    _refuse_irregular(path)
    part = part_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the content must be on disk before the name is
        part.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        with contextlib.suppress(OSError):  # if the folder could not be created, there is nothing to remove
            part.unlink(missing_ok=True)


def part_of(path: Path) -> Path:
    """Return the name that a file has while it is being written.

    A hidden neighbour, since a rename is atomic only within one file system; not tempfile, whose files are private.
    """
    return path.with_name(f".{path.name[:NAME_LENGTH]}.{os.getpid()}-{secrets.token_hex(4)}.part")


def link(source: Path, target: Path) -> None:
    """Give a file a second name: files are replaced, never written into, so neither can change the other."""
    part = part_of(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, part)
        except OSError:  # another file system, or one without links
            shutil.copyfile(source, part)
        part.replace(target)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """Inside the block, nothing creates this folder again: if somebody removes it, writing there is an error."""
    _in_use.append(folder)
    try:
        yield
    finally:
        _in_use.remove(folder)


class Appended:
    """A text file to which lines are added; use it as a context. A link in its place is refused, not followed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Appended:
        """Open the file, or create it."""
        try:
            self.file = os.fdopen(_open_own(self.path), "a", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise _unwritable(self.path, error) from error
        return self

    def add(self, line: str) -> None:
        """Add a line; it is in the file when this returns, so that others can follow it."""
        try:
            if os.fstat(self.file.fileno()).st_nlink == 0:
                raise InputError(f"'{self.path}' was removed while it was in use")
            self.file.write(line + "\n")
            self.file.flush()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; what could not be written has been reported already."""
        with contextlib.suppress(OSError):
            self.file.close()


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all; bytes of file names that are not text are written as escapes."""
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


def write_json(path: Path, value: object) -> None:
    """Write an indented JSON file, whole or not at all."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def remove(path: Path) -> None:
    """Remove a file if it exists."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot remove '{path}': {error.strerror or error}") from error


def read_json(path: Path) -> object:
    """Read a JSON file; one that is absent or damaged is an :class:`InputError` that names it."""
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise InputError(f"cannot read '{path}': it is not a regular file")
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"'{path}' is damaged: {error}") from error
    except RecursionError:
        raise InputError(f"'{path}' is damaged: it is nested too deeply") from None


@contextmanager
def well_formed(*sources: Path | str) -> Iterator[None]:
    """Turn any error in the content of files into an :class:`InputError` that names the files.

    Their hashes prove that they are undamaged, but not that they have the form that this version writes.
    """
    try:
        yield
    except (CubeError, OSError):
        raise
    except Exception as error:  # malformed content may raise anything
        if is_memory_error(error):
            raise
        names = ", ".join(f"'{source}'" for source in sources)
        first = next(iter(str(error).splitlines()), "")
        raise InputError(
            f"the content of {names} does not have the form that it should have ({type(error).__name__}: {first})"
        ) from error


def _without_waiting(path: str, flags: int) -> int:
    """Open a file at once, even a pipe that nobody writes to."""
    return os.open(path, flags | os.O_NONBLOCK)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file; what is no file, such as a pipe that nobody writes to, is refused."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error


def _refuse_irregular(path: Path) -> None:
    """Raise if the path is occupied by something that must not be replaced, or if its folder is gone."""
    for folder in _in_use:
        if path.is_relative_to(folder) and not folder.is_dir():
            raise InputError(f"cannot write '{path}': '{folder}' was removed while it was in use")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise _unwritable(path, error) from error
    for is_kind, name in KINDS:
        if is_kind(mode):
            raise InputError(f"cannot write '{path}': it is {name}, and only a file is replaced")


def _open_own(path: Path) -> int:
    """Open a file to append to it, unless it is a link or not a file at all."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a file")
    return descriptor


def _unwritable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or error
    if getattr(error, "errno", None) == errno.ELOOP:
        reason = "it is a link, or leads through a circle of links"
    return InputError(f"cannot write '{path}': {reason}")
