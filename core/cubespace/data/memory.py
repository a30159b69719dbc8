"""How much memory it takes to learn from pictures: a run that would not fit is refused before anything is drawn."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path

from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain

# of a run by a quick learner, measured with benchmarks/memory.py and rounded up, in bytes
LIBRARIES = 750_000_000
COPIES = 1.2  # of all pictures in memory at once, with what a report of them takes
PROBED_PIXEL = 17_000  # for each pixel, where it is seen whether the camera moves: some hundred pictures, as numbers …
MOST_PROBED = 1_400_000_000  # … of which there are fewer if they are large
LEARNED_PICTURES = 5_000  # at most, that a learner has a copy of, if they are large …
LEARNED = 1 << 29  # … and if they are not, as many as this holds
COMPARED_PIXEL = 48_000  # for each pixel, where pixels are compared …
MOST_COMPARED = 250_000_000  # … a part of them at a time
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # the limit of the container, if it is one


def needed_bytes(count: int, image_shape: tuple[int, ...]) -> int:
    """Return about how many bytes a run takes that learns from ``count`` pairs of pictures by a quick learner."""
    pixels = math.prod(image_shape)
    copied = min(2 * count, max(LEARNED_PICTURES, LEARNED // pixels)) * pixels
    learning = copied + min(MOST_COMPARED, COMPARED_PIXEL * pixels)
    probing = min(MOST_PROBED, PROBED_PIXEL * pixels)
    return int(LIBRARIES + COPIES * 2 * count * pixels + max(learning, probing))


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
