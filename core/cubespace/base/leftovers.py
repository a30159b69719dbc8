"""Files that killed processes leave behind: recognised by the process id in their name, and removed."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from cubespace.base.errors import InputError
from cubespace.base.files import PART

ABANDONED_SECONDS = 3600.0  # without a change, after which a write in progress counts as abandoned
EVIDENCE_SECONDS = 24 * 3600.0  # for which evidence is kept, so that somebody can look at it
# a temporary folder: the process it belongs to, whether it is kept as evidence, something random
TEMPORARY = re.compile(r"cube-(\d+)-(evidence-)?\w+")


def remove_temporary_folders() -> None:
    """Remove the temporary folders of our own processes that were killed."""
    try:
        entries = list(Path(tempfile.gettempdir()).iterdir())
    except OSError:  # if there is no temporary folder at all, whoever needs one reports it
        return
    for entry in entries:
        match = TEMPORARY.fullmatch(entry.name)
        if match is None or _is_running(int(match[1])) or not _is_own_folder(entry):
            continue
        if match[2] is None or _age(entry) > EVIDENCE_SECONDS:
            shutil.rmtree(entry, ignore_errors=True)


def temporary_prefix() -> str:
    """Return how the name of a temporary folder of ours begins, so that it is removed even if we are killed."""
    return f"cube-{os.getpid()}-"


def evidence_folder() -> Path:
    """Make a temporary folder for something that an error message points to; it is kept for a day."""
    return Path(tempfile.mkdtemp(prefix=f"{temporary_prefix()}evidence-"))


def remove_parts(folder: Path) -> None:
    """Remove the files that killed processes have left half-written in a folder and in all folders below."""
    for place, _, names in os.walk(folder):
        for name in names:
            match = PART.fullmatch(name)
            if match is not None and _abandoned(Path(place, name), int(match[1])):
                with contextlib.suppress(OSError):  # not ours to remove, or gone
                    Path(place, name).unlink()


def refuse_links(folder: Path) -> None:
    """Raise if a folder inside ``folder`` is a link: what is written there would land elsewhere."""
    for place, names, _ in os.walk(folder):
        for name in names:
            if Path(place, name).is_symlink():
                raise InputError(f"'{Path(place, name)}' is a link, and nothing is written through it: remove it")


def _abandoned(part: Path, writer: int) -> bool:
    """Return whether a write in progress will never be finished, by its process or, if the number was reused, its age.

    This process has only just started: a file that bears its number was left by an earlier one.
    """
    if writer == os.getpid() or not _is_running(writer):
        return True
    return _age(part) > ABANDONED_SECONDS


def _age(path: Path) -> float:
    """Return the seconds since a file was changed; 0 if it is gone."""
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:
        return 0.0


def _is_own_folder(entry: Path) -> bool:
    try:
        return entry.lstat().st_uid == os.geteuid() and entry.is_dir() and not entry.is_symlink()
    except OSError:
        return False


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True
