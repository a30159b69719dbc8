"""The arrays that all rooms exchange, and the few operations on them that must have a single definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.uint8]  # (batch, variables): small non-negative integers
Images = NDArray[np.uint8]  # (batch, height, width) or, in colour, (batch, height, width, 3)
Bits = NDArray[np.bool_]  # (batch, bits), or (actions, bits) where it is a mask
Indices = NDArray[np.intp]


def literals(true: Bits, false: Bits | None = None) -> Bits:
    """Return masks over literals, ``(…, 2 * bits)``: first the bits that are true, then the bits that are false.

    The state 101 of three bits has the literals 101 010: bits 0 and 2 are true, bit 1 is false.
    """
    return np.concatenate([true, ~true if false is None else false], axis=-1)


def apply_effect(states: Bits, add: Bits, delete: Bits) -> Bits:
    """Return the states after an effect: what it deletes is false, what it adds is true, the rest is unchanged."""
    return (states & ~delete) | add


def row_keys(rows: Bits) -> list[bytes]:
    """Return one hashable key per row: equal rows have equal keys."""
    packed = np.packbits(rows, axis=1)
    if not packed.size:  # rows without bits are all the same
        return [b""] * len(rows)
    keys: list[bytes] = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0].tolist()
    return keys


def step_keys(sources: Indices, states: Bits) -> NDArray[np.void]:
    """Return one comparable key per step: the number of the state it starts from, and the state it leads to."""
    packed = np.packbits(states, axis=1)
    rows = np.concatenate([sources.astype(">u4")[:, None].view(np.uint8), packed], axis=1)
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()


def distinct_rows(rows: Bits) -> Bits:
    """Return the distinct rows in a fixed order."""
    packed = np.unique(np.packbits(rows, axis=1), axis=0)
    return np.unpackbits(packed, axis=1, count=rows.shape[1]).astype(np.bool_)


def squared_errors(drawn: NDArray[np.float32], images: Images) -> NDArray[np.float32]:
    """Return the mean squared error of each drawn picture, in [0, 1], against a picture in bytes, (batch,)."""
    return np.asarray(np.square(drawn - images / np.float32(255)).reshape(len(images), -1).mean(1), dtype=np.float32)
