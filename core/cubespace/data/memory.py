"""How much memory it takes to learn from pictures: a run that would not fit is refused before anything is drawn."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path

from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain

# measured with benchmarks/memory.py on pictures of 14 to 256 pixels, rounded up
FIXED_BYTES = 900_000_000  # libraries, and what learning takes whatever the pictures are
COPIES = 1.1  # of all pictures, as bytes, that are in memory at once
WORKING_PICTURES = 20_000  # what learning holds besides, in bytes for each pixel: some thousand pictures
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # the limit of the container, if it is one


def needed_bytes(count: int, image_shape: tuple[int, ...]) -> int:
    """Return about how many bytes a run takes that learns from ``count`` pairs of pictures by a quick learner."""
    pixels = math.prod(image_shape)
    return int(FIXED_BYTES + COPIES * 2 * count * pixels + min(2 * count, WORKING_PICTURES) * pixels)


def memory() -> int:
    """Return the bytes of memory of this machine, or of the container that we are in."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
        return min(there, int(CONTAINER.read_text("utf-8")))
    return there


def check_count(domain: Domain, count: int | None) -> None:
    """Raise if learning from ``count`` transitions does not fit into memory."""
    if count is not None:
        check_memory(count, domain.image_shape)


def check_memory(count: int, image_shape: tuple[int, ...]) -> None:
    """Raise if learning from ``count`` pairs of pictures of a shape does not fit into memory."""
    needed, there = needed_bytes(count, image_shape), memory()
    if needed > there:
        raise UsageError(
            f"learning from {count:,} transitions takes about {needed / 1e9:,.1f} GB of memory, this machine has "
            f"{there / 1e9:,.1f}: fewer (data.transitions) or smaller pictures need less"
        )
