"""Limits of one cell: of its time by the clock, and of the memory of each of its processes."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from cubespace.base.errors import CubeError
from cubespace.base.numbers import duration

MEGABYTE = 1 << 20


class CellTimeError(CubeError):
    """The cell took longer than it may."""


@contextmanager
def limited(seconds: float | None, megabytes: int | None) -> Iterator[None]:
    """End the block with an error when the time is over, or when a process asks for more memory than it may have.

    Memory is what the process may write to, as the kernel counts it (RLIMIT_DATA): not the libraries that are mapped.
    What is finished by then is kept.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    if megabytes is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, before[1]))

    def over(_: int, __: FrameType | None) -> None:
        raise CellTimeError(f"the cell took longer than its limit of {duration(seconds or 0)}")

    handler = signal.signal(signal.SIGALRM, over) if seconds is not None else None
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        if seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)
