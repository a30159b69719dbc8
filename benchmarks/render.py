"""How fast domains draw: bytes of pictures per second, against the bandwidth of copying memory in the same process.

    python benchmarks/render.py [DOMAIN …] [--mandrill PICTURE] [--results results]

One thread, the best of several rounds over 64 MB. Drawing allocates its result, copying does not. The first ratio is
for one batch of all 64 MB, whose memory the system allocates again each time; the second for batches of 16 MB, whose
memory is used again. A ratio above 1 means that tables and results stay in the cache. Writes render.json and render.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from processes import domain_spec
from record_pages import write_records

from cubespace.base.errors import InputError
from cubespace.data.domain import Simulator
from cubespace.plugins.catalogue import load_plugins

DOMAINS = ("mnist", "mnist:size=4", "mandrill", "spider", "photo", "photo:size=4", "lightsout", "twisted", "hanoi")
BYTES = 1 << 26
BATCHES = {"whole": BYTES, "parts": 1 << 24}  # bytes drawn at a time
COLUMNS = {
    "domain": ("domain", "s"),
    "frame": ("frame", "s"),
    "copy_gb": ("copy GB/s", ".2f"),
    "whole_frames": ("64 MB at once, M frames/s", ".2f"),
    "whole_ratio": ("ratio", ".2f"),
    "parts_frames": ("16 MB at once, M frames/s", ".2f"),
    "parts_ratio": ("ratio", ".2f"),
}
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
    """Measure each domain, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", nargs="*", default=DOMAINS, metavar="DOMAIN")
    parser.add_argument("--mandrill", type=Path, metavar="PICTURE", help="otherwise an installed copy is looked for")
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="FOLDER")
    arguments = parser.parse_args()
    records = []
    for name in arguments.domains:
        try:
            domain = load_plugins().create("domain", domain_spec(name, arguments.mandrill))
        except InputError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        records.append(measure(name, domain))
    write_records(arguments.results / "render", "Speed of drawing", COLUMNS, records)


def measure(name: str, domain: Simulator) -> dict[str, Any]:
    """Return the record of a domain."""
    height, width = domain.image_shape[:2]
    copied = copy_bandwidth()  # beside each domain: other work on the machine changes both
    record = {"domain": name, "frame": f"{height}x{width}", "copy_gb": copied / 1e9}
    for batch, at_once in BATCHES.items():
        drawn = draw_bandwidth(domain, at_once)
        record[f"{batch}_frames"] = drawn / float(np.prod(domain.image_shape)) / 1e6
        record[f"{batch}_ratio"] = drawn / copied
    return record


if __name__ == "__main__":
    main()
