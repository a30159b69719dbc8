"""Limits of one cell: of its time by the clock, and of the memory of each of its processes."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from cubespace.base.errors import CubeError, is_memory_error
from cubespace.base.numbers import duration

MEGABYTE = 1 << 20
NO_LIBRARY = "failed to map segment"  # what the system says of a library for which there is no memory


class CellTimeError(CubeError):
    """The cell took longer than it may."""


class CellMemoryError(CubeError):
    """A process of the cell needed more memory than it may have."""


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
    except Exception as error:
        if megabytes is not None and _is_of_memory(error):
            raise CellMemoryError(f"the cell needs more memory than its limit of {megabytes:,} MB") from error
        raise
    finally:
        if seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _is_of_memory(error: BaseException | None) -> bool:
    """Return whether an error, or one that led to it, says that there is no memory."""
    while error is not None:
        if is_memory_error(error) or NO_LIBRARY in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
