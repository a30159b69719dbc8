"""Checkpoints: whole or not there, verified by hash, read without running any code, the previous one kept.

A checkpoint is a file of ``torch.save`` with its SHA-256 appended.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import torch

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import replacing
from cubespace.settings.recipe import Recipe
from cubespace.settings.run_config import flat

CURRENT, PREVIOUS = "checkpoint.pt", "checkpoint.previous.pt"
MARK = b"\nsha256 "  # stands before the digest, at the end of the file
TAIL = len(MARK) + 64
FORMAT = 1


@attrs.frozen
class Restored:
    """A state that was read back, and what the user should know about how."""

    state: dict[str, Any]
    notes: tuple[str, ...] = ()


def save_checkpoint(folder: Path, state: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    """Write a checkpoint of the training that ``identity`` describes; the one before it is kept beside it."""
    buffer = io.BytesIO()
    torch.save({"format": FORMAT, "identity": json.dumps(identity, sort_keys=True), "state": dict(state)}, buffer)
    content = buffer.getbuffer()
    digest = hashlib.sha256(content).hexdigest().encode()
    with replacing(folder / CURRENT) as file:
        file.write(content)
        file.write(MARK + digest)
        file.flush()
        os.fsync(file.fileno())  # whole on disk before the name it replaces is moved away
        if (folder / CURRENT).exists():
            (folder / CURRENT).replace(folder / PREVIOUS)


def load_checkpoint(folder: Path, identity: Mapping[str, Any]) -> Restored | None:
    """Read the newest undamaged checkpoint, or None if there is none at all.

    A damaged one is set aside under another name and the one before it is used; the notes say so. One of another
    training is refused.
    """
    for leftover in folder.glob(f".{CURRENT}.*.part"):  # of a process that was killed while writing
        leftover.unlink(missing_ok=True)
    notes = []
    for path in (folder / CURRENT, folder / PREVIOUS):
        if not path.exists():
            continue
        try:
            saved_identity, state = _read(path)
        except _DamagedError as damage:
            aside = path.with_suffix(".damaged")
            path.replace(aside)  # it must never take the place of a good one
            notes.append(f"{path} {damage}; moved to {aside.name}")
            continue
        _refuse_other(path, saved_identity, identity)
        if notes:
            notes[-1] += f", {path.name} is used instead"
        return Restored(state, tuple(notes))
    if notes:
        raise InputError(f"{'; '.join(notes)}. No good checkpoint is left: start again to train from the beginning")
    return None


class _DamagedError(Exception):
    """A file is no good checkpoint; the message says why."""


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return identity and state of a checkpoint; no code of the file is run, whatever it holds."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    body, tail = content[:-TAIL], content[-TAIL:]
    if not tail.startswith(MARK):
        raise _DamagedError("is truncated or not a checkpoint of cubespace")
    if hashlib.sha256(body).hexdigest().encode() != tail[len(MARK) :]:
        raise _DamagedError("is damaged: its content does not match its SHA-256")
    try:
        saved = torch.load(io.BytesIO(body), map_location="cpu", weights_only=True)
        if saved["format"] != FORMAT:
            raise _DamagedError(f"has format {saved['format']}, not {FORMAT}")
        return json.loads(saved["identity"]), saved["state"]
    except _DamagedError:
        raise
    except Exception as error:  # a forged file can make the reader raise anything
        raise _DamagedError(f"is not a checkpoint of cubespace ({type(error).__name__})") from error


def _refuse_other(path: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise if two identities differ, and name the keys; a setting newer than the checkpoint had its default there."""
    usual, there, here = flat(attrs.asdict(Recipe())), flat(saved), flat(json.loads(json.dumps(wanted)))
    there = {key: value for key, value in usual.items() if key in here} | there
    keys = [key for key in sorted(there.keys() | here.keys()) if there.get(key) != here.get(key)]
    if keys:
        changes = ", ".join(f"{key} ({_short(there.get(key))} there, {_short(here.get(key))} now)" for key in keys)
        raise UsageError(
            f"{path} is of a training with other settings: {changes}. Restore them or choose another folder"
        )


def _short(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 20 else text[:8] + "…"
