"""The file of a code: a safetensors file with its arrays, and in the metadata all that builds it again."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from cubespace.base.errors import CubeError, InputError
from cubespace.base.files import replacing
from cubespace.base.options import structure
from cubespace.learning.code import Code, SavedCode, Training

FORMAT = 2  # 1 was a network that clustering could pass for …
REGISTERED_FORMAT = 3  # … and this is a code behind a registration, which earlier versions cannot read
MOST_PIXELS = 10**8  # of a picture; no picture that is read has more
MOST_BITS = 10**6
LENGTH = 8  # bytes at the beginning of a safetensors file: how long its header is
Read = Callable[[str, SavedCode], Code]  # (learner, saved code)


def save_code(path: Path, code: Code, learner: str) -> None:
    """Write a code, and the spec of the learner that can read it again."""
    write_saved(path, code.saved(), learner)


def write_saved(path: Path, saved: SavedCode, learner: str) -> None:
    """Write a code that was taken apart, and the spec of the learner that can read it again."""
    arrays = {name: np.ascontiguousarray(array) for name, array in saved.arrays.items()}
    about = {
        "format": REGISTERED_FORMAT if saved.registered else FORMAT,
        "learner": learner,
        "image_shape": list(saved.image_shape),
        "bits": saved.bits,
        "groups": saved.groups,
        "training": None if saved.training is None else attrs.asdict(saved.training),
        "details": dict(saved.details),
        "sha256": _digest(arrays),
    }
    content = safetensors.numpy.save(arrays, metadata={"cubespace": json.dumps(about)})
    with replacing(path) as file:
        file.write(content)


def load_code(path: Path | str, read: Read) -> Code:
    """Let ``read`` build the code that a file holds."""
    path = Path(path)
    about, arrays = _content(path)
    if about.get("format") not in (FORMAT, REGISTERED_FORMAT):
        raise InputError(
            f"{path} has format {about.get('format')!r}, this version reads {FORMAT} and {REGISTERED_FORMAT}: learn "
            "again, or use the version that made it"
        )
    try:
        digest, learner = about["sha256"], str(about["learner"])
        saved = _saved(about, arrays)
    except Exception as error:  # a forged file can make the reader raise anything
        raise InputError(f"{path} is damaged or not a model of cubespace ({type(error).__name__})") from error
    if _digest(arrays) != digest:
        raise InputError(f"{path} is damaged: its weights do not match their SHA-256. Train again to make it anew")
    try:
        return _read(read, learner, saved)
    except CubeError as error:
        raise InputError(f"{path} holds a code that cannot be built: {error}") from error
    except Exception as error:  # forged settings can make a network of any size, or none
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path} holds a code that cannot be built: {first}") from error


def _read(read: Read, learner: str, saved: SavedCode) -> Code:
    """Build a code, behind its registration if it has one."""
    if not saved.registered:
        return read(learner, saved)
    from cubespace.learning.registration.front import RegisteredCode, taken_apart  # needs torch

    inner, registration = taken_apart(saved)
    return RegisteredCode(read(learner, inner), registration)


def _content(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the metadata and the arrays of a file."""
    try:
        content = path.read_bytes()  # not every version of the library opens a path that is not UTF-8
        size = int.from_bytes(content[:LENGTH], "little")
        about = json.loads(json.loads(content[LENGTH : LENGTH + size])["__metadata__"]["cubespace"])
        return dict(about), safetensors.numpy.load(content)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a forged file can make the reader raise anything
        raise InputError(f"{path} is damaged or not a model of cubespace ({type(error).__name__})") from error


def _saved(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> SavedCode:
    bits = int(about["bits"])
    groups = None if about["groups"] is None else tuple(map(int, about["groups"]))
    if not 0 <= bits <= MOST_BITS or (groups is not None and len(groups) != bits):
        raise ValueError(f"{bits} bits")
    return SavedCode(
        image_shape=_shape(about["image_shape"]),
        bits=bits,
        groups=groups,
        details=dict(about["details"]),
        arrays=arrays,
        training=None if about["training"] is None else structure(Training, about["training"], "training"),
    )


def _shape(sizes: Sequence[int]) -> tuple[int, ...]:
    shape = tuple(int(size) for size in sizes)
    if len(shape) not in (2, 3) or min(shape) < 1 or math.prod(shape) > MOST_PIXELS:
        raise ValueError(f"pictures of shape {shape}")
    return shape


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return one SHA-256 of the names and values of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
