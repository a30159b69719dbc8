"""What is impossible in a picture, in words common to all simulators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

MOST_NAMED = 3  # of a kind: the rest is counted


def unclear(cells: NDArray[np.bool_], words: str) -> str:
    """Name the cells of a grid, (rows, columns), that show nothing known; ``words`` says what is wrong there."""
    named = [f"row {row + 1}, column {column + 1}" for row, column in np.argwhere(cells).tolist()]
    return f"{words} {listed(named)}" if named else ""


def miscounted(shown: Iterable[object], expected: Sequence[object], name: str = "") -> str:
    """Say which of the things ``expected`` once appear more often, and which are missing."""
    counts = Counter(shown)
    more = [f"{name}{thing} {_times(counts[thing])}" for thing in expected if counts[thing] > 1]
    fewer = [f"{name}{thing}" for thing in expected if counts[thing] == 0]
    return joined([listed(more), f"{listed(fewer)} missing" if fewer else ""])


def joined(parts: Iterable[str]) -> str:
    """Return the parts that are not empty as one text."""
    return ", ".join(part for part in parts if part)


def listed(names: Sequence[str]) -> str:
    """Return the first few names and how many more there are."""
    more = len(names) - MOST_NAMED
    return " and ".join([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])])


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"
