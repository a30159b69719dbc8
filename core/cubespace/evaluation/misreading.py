"""How many pictures a code misreads, where two values of a variable differ by little more than noise.

Along the line from what one value looks like to what the other does, pictures lie around either end. How far they
scatter there says how many lie beyond the middle, though none that does can be told from one that belongs there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from cubespace.base.arrays import Bits

Pixels = NDArray[np.float32]  # (pictures, pixels), from 0 to 1

FEWEST = 20  # pictures that must show each of two values
HALF = 0.5  # of the way from one value to the other


def misread_share(bits: Bits, seen: Pixels, drawn: Pixels, groups: Sequence[int], regions: NDArray[np.intp]) -> float:
    """Return which fraction of pictures shows another value than is read, for some variable; errors as of a normal law.

    ``drawn`` is what the code draws of what is ``seen``. Nothing should have been learned from these pictures: others
    lie nearer to what is drawn. ``groups`` gives the variable of each bit, ``regions`` the one of each pixel, (height,
    width). Worked example: two tiles differ by six standard deviations of noise, so one picture in 740 of those that
    show them lies beyond three, where the other tile is nearer.
    """
    numbers, colours = np.asarray(groups), seen.shape[1] // regions.size
    right = 1.0
    for variable in np.unique(numbers):
        pixels = np.flatnonzero(np.repeat((regions == variable).ravel(), colours))
        shown = bits[:, numbers == variable]
        shown = shown[:, shown.sum(0) >= FEWEST]
        for one in range(shown.shape[1]):
            for other in range(one):
                both = shown[:, one] | shown[:, other]
                right *= 1 - float(both.mean()) * _beyond(seen, drawn, shown[:, one], shown[:, other], pixels)
    return 1 - right


def _beyond(seen: Pixels, drawn: Pixels, one: Bits, other: Bits, pixels: NDArray[np.intp]) -> float:
    """Return the probability that a picture of either value lies nearer to the other."""
    ends = [drawn[np.ix_(rows[:FEWEST], pixels)].mean(0) for rows in map(np.flatnonzero, (one, other))]
    line = ends[1] - ends[0]
    length = float(line @ line)
    if not length:
        return 0.0
    sides = ((one, ends[0], line), (other, ends[1], -line))
    inward = [(seen[np.ix_(np.flatnonzero(rows), pixels)] - end) @ way / length for rows, end, way in sides]
    margins = HALF - np.concatenate(inward)
    scatter = float(margins.std())
    return float(norm.sf(margins.mean() / scatter)) if scatter else 0.0
