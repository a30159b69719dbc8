"""How fast domains draw: bytes of pictures per second, against the bandwidth of copying memory in the same process.

    python benchmarks/render.py [DOMAIN …] [--mandrill PICTURE] [--output FILE.md]

One thread, the best of several rounds over 64 MB. Drawing allocates its result, copying does not. The first ratio is
for one batch of all 64 MB, whose memory the system allocates again each time; the second for batches of 16 MB, whose
memory is used again. A ratio above 1 means that tables and results stay in the cache.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from processes import domain_spec

from cubespace.base.errors import InputError
from cubespace.base.files import write_text
from cubespace.data.domain import Simulator
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment

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
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", default=DOMAINS, metavar="DOMAIN")
    parser.add_argument("--mandrill", type=Path, metavar="PICTURE", help="otherwise an installed copy is looked for")
    parser.add_argument("--output", type=Path, metavar="FILE.md")
    arguments = parser.parse_args()
    machine = environment()
    lines = [
        "# Speed of drawing",
        "",
        f"`{' '.join(['python', *sys.argv])}`, {machine['date']}, {machine['processor']}, one thread.",
        "",
        "| domain | frame | copy GB/s | 64 MB at once, M frames/s | ratio | 16 MB at once, M frames/s | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [measure(spec, domain_spec(spec, arguments.mandrill)) for spec in arguments.domains]
    print("\n".join(lines))
    if arguments.output:
        write_text(arguments.output, "\n".join([*lines, ""]))


def measure(name: str, spec: str) -> str:
    """Return the row of a domain."""
    try:
        domain = load_plugins().create("domain", spec)
    except InputError as error:
        return f"| {name} | skipped: {error} |"
    height, width = domain.image_shape
    copied = copy_bandwidth()  # beside each domain: other work on the machine changes both
    cells = [name, f"{height}x{width}", f"{copied / 1e9:.2f}"]
    for at_once in BATCHES:
        drawn = draw_bandwidth(domain, at_once)
        cells += [f"{drawn / (height * width) / 1e6:.2f}", f"{drawn / copied:.2f}"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
