"""An ``.npz`` with hashes of its arrays, written a part at a time: arrays are neither copied nor put in order whole."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from cubespace.base.arrays import Indices
from cubespace.base.files import replacing

PART_BYTES = 1 << 24  # of an array that are put in order at once


@attrs.frozen(eq=False)
class InOrder:
    """The rows of an array, in an order; all as they are if none is given."""

    array: NDArray[Any]
    rows: Indices | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the array in that order."""
        return self.array.shape if self.rows is None else (len(self.rows), *self.array.shape[1:])

    def parts(self) -> Iterator[NDArray[Any]]:
        """Yield some rows after the other, each part contiguous in memory."""
        if not self.array.ndim or not self.array.size:
            yield np.ascontiguousarray(self.array).reshape(self.shape)
            return
        step = max(1, PART_BYTES // max(1, self.array[0].nbytes))
        for first in range(0, self.shape[0], step):
            some = slice(first, first + step)
            yield np.ascontiguousarray(self.array[some if self.rows is None else self.rows[some]])


def write_archive(path: Path, arrays: Mapping[str, InOrder], about: Mapping[str, Any]) -> None:
    """Write arrays as one compressed ``.npz``, and what is known ``about`` them with their hashes as ``metadata``."""
    hashes = {}
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                hashes[name] = _write(member, array)
        metadata = json.dumps({**about, "sha256": hashes})
        with archive.open("metadata.npy", "w") as member:
            _write(member, InOrder(np.frombuffer(metadata.encode(), dtype=np.uint8)))


def _write(member: Any, array: InOrder) -> str:
    """Write an array as ``.npy`` does and return its hash."""
    header = {"descr": npy.dtype_to_descr(array.array.dtype), "fortran_order": False, "shape": array.shape}
    npy.write_array_header_1_0(member, header)
    digest = _begun(array.array.dtype, array.shape)
    for part in array.parts():
        digest.update(part.data)
        member.write(part.data)
    return digest.hexdigest()


def sha256_of(array: NDArray[Any]) -> str:
    """Hash the values of an array and its shape."""
    digest = _begun(array.dtype, array.shape)
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _begun(dtype: np.dtype[Any], shape: tuple[int, ...]) -> hashlib._Hash:
    return hashlib.sha256(f"{dtype} {shape} ".encode())
