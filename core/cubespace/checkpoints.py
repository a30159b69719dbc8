"""Checkpoints: whole or not there, verified by hash, read without running any code, the previous one kept.

A checkpoint is a file of ``torch.save`` with its SHA-256 appended. The result of a training is a safetensors file with
the configuration in its metadata.
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
import safetensors
import safetensors.torch
import torch
from torch import Tensor

from cubespace.autoencoder import SpaceAutoEncoder, build_model
from cubespace.config import flat
from cubespace.devices import pick_device
from cubespace.errors import InputError, UsageError
from cubespace.files import replacing
from cubespace.options import structure
from cubespace.plugins import Catalogue
from cubespace.recipe import ModelConfig

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
    """Raise if two identities differ, and name the keys."""
    there, here = flat(saved), flat(json.loads(json.dumps(wanted)))
    keys = [key for key in sorted(there.keys() | here.keys()) if there.get(key) != here.get(key)]
    if keys:
        changes = ", ".join(f"{key} ({_short(there.get(key))} there, {_short(here.get(key))} now)" for key in keys)
        raise UsageError(
            f"{path} is of a training with other settings: {changes}. Restore them or choose another folder"
        )


def _short(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 20 else text[:8] + "…"


def save_model(path: Path, model: SpaceAutoEncoder, **facts: object) -> None:
    """Write the weights with all that :func:`load_model` needs to build the network again, and further ``facts``."""
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    about = {
        "format": FORMAT,
        "model": attrs.asdict(model.config),
        "image_shape": list(model.image_shape),
        "sha256": _digest(tensors),
        **facts,
    }
    content = safetensors.torch.save(tensors, metadata={"cubespace": json.dumps(about)})
    with replacing(path) as file:
        file.write(content)


def load_model(path: Path | str, device: str = "cpu", catalogue: Catalogue | None = None) -> SpaceAutoEncoder:
    """Build the network of a model file and load its weights, ready for evaluation."""
    path = Path(path)
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})["cubespace"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
        digest = about["sha256"]
        shape = tuple(int(size) for size in about["image_shape"])
        settings = dict(about["model"])
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a forged file can make the reader raise anything
        raise InputError(f"{path} is damaged or not a model of cubespace ({type(error).__name__})") from error
    if _digest(tensors) != digest:
        raise InputError(f"{path} is damaged: its weights do not match their SHA-256. Train again to make it anew")
    model = build_model(structure(ModelConfig, settings, str(path)), shape, catalogue)
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise InputError(f"{path} does not fit its own configuration: {str(error).splitlines()[0]}") from error
    return model.to(pick_device(device)).eval()


def _digest(tensors: Mapping[str, Tensor]) -> str:
    """Return one SHA-256 of the names and values of tensors."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.numpy().data)
    return digest.hexdigest()
