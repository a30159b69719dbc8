"""How fast domains draw: bytes of pictures per second, against the bandwidth of copying memory in the same process.

    python benchmarks/render.py [DOMAIN …]

One thread, the best of several rounds over 64 MB. Drawing allocates its result, copying does not. The first ratio is
for one batch of all 64 MB, whose memory the system hands out anew each time; the second for batches of 16 MB, whose
memory is used again. A ratio above 1 means that tables and results stay in the cache.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from cubespace.domains import Simulator
from cubespace.errors import InputError
from cubespace.plugins import load_plugins

DOMAINS = ("mnist", "mnist:size=4", "mandrill", "spider", "photo", "photo:size=4", "lightsout", "twisted", "hanoi")
BYTES = 1 << 26
BATCHES = (BYTES, 1 << 24)  # bytes drawn at a time
ROUNDS = 9


def seconds(work: Callable[[], object]) -> float:
    """Return the time of the fastest round, after one to warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def copy_bandwidth() -> float:
    """Return bytes per second."""
    source, target = np.ones(BYTES, dtype=np.uint8), np.zeros(BYTES, dtype=np.uint8)
    return BYTES / seconds(lambda: np.copyto(target, source))


def draw_bandwidth(domain: Simulator, at_once: int) -> float:
    """Return bytes per second, when drawing ``at_once`` bytes at a time."""
    frame = int(np.prod(domain.image_shape))
    batch = at_once // frame
    states = domain.random_states(BYTES // frame, np.random.default_rng(0))

    def draw() -> None:
        for first in range(0, len(states), batch):
            domain.render(states[first : first + batch])

    return len(states) * frame / seconds(draw)


def main() -> None:
    """Print one line per domain."""
    print(f"{'domain':24}{'frame':>8}{'copy GB/s':>11}" + 2 * f"{'M frames/s':>12}{'GB/s':>7}{'ratio':>7}")
    for spec in sys.argv[1:] or DOMAINS:
        try:
            domain = load_plugins().create("domain", spec)
        except InputError as error:
            print(f"{spec:24}skipped: {error}")
            continue
        height, width = domain.image_shape
        copied = copy_bandwidth()  # beside each domain: other work on the machine changes both
        row = f"{spec[:23]:24}{f'{height}x{width}':>8}{copied / 1e9:11.2f}"
        for at_once in BATCHES:
            drawn = draw_bandwidth(domain, at_once)
            row += f"{drawn / (height * width) / 1e6:12.2f}{drawn / 1e9:7.2f}{drawn / copied:7.2f}"
        print(row)


if __name__ == "__main__":
    main()
