"""``trace.npz`` of a plan: the states it goes through, so that nobody has to execute it again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.files import replacing

TRACE = "trace.npz"


def trace_digest(trace: Bits) -> str:
    """Return what tells the states of a plan, (steps + 1, bits), from all others."""
    return hashlib.sha256(f"{trace.shape} ".encode() + np.packbits(trace).tobytes()).hexdigest()


def save_trace(path: Path, trace: Bits) -> None:
    """Write the states of a plan, eight bits to a byte."""
    with replacing(path) as file:
        np.savez_compressed(file, allow_pickle=False, bits=np.array(trace.shape[1]), states=np.packbits(trace, axis=1))


def load_trace(path: Path, digest: str | None) -> Bits | None:
    """Return the states of a plan, or None if the file is not there or has the states of another plan."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            states, width = archive["states"], int(archive["bits"])
        trace: Bits = np.unpackbits(states, axis=1, count=width).astype(np.bool_)
    except Exception:  # a damaged archive raises anything: zlib.error, BadZipFile, KeyError …
        return None
    return trace if trace_digest(trace) == digest else None
