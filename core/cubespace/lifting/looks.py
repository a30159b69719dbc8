"""What pictures show of variables beyond their values, to name objects in an order that a reader can follow."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Images, Indices

SAME_ROW = 0.5  # of the median height of a region: middles closer than this are in one row of names


@attrs.frozen(eq=False, kw_only=True)
class Looks:
    """Where variables are in the picture, and which of their values is brightest; None if pictures do not show it."""

    order: tuple[int, ...]  # the variables, as one reads: row by row, from left to right
    middles: NDArray[np.float64] | None = None  # (variables, 2)
    bright: tuple[int, ...] | None = None  # of each variable

    def centre(self, about: tuple[int, ...]) -> int | None:
        """Return the variable nearest to the middle of several."""
        if self.middles is None:
            return None
        middle = self.middles[list(about)].mean(0)
        return int(((self.middles - middle) ** 2).sum(1).argmin())


def find_looks(count: int, regions: NDArray[np.intp] | None, pictures: Images, values: Indices) -> Looks:
    """Return the looks of variables, given their pixels and pictures with their values, (pictures, variables)."""
    if regions is None or any(not (regions == number).any() for number in range(count)):
        return Looks(order=tuple(range(count)))
    middles = np.array([np.argwhere(regions == number).mean(0) for number in range(count)])
    heights = [float(np.ptp(np.flatnonzero((regions == number).any(1)))) + 1 for number in range(count)]
    bright = []
    for number in range(count):
        light = pictures[:, regions == number].reshape(len(pictures), -1).mean(1)
        known = np.unique(values[:, number])
        bright.append(int(max(known.tolist(), key=lambda value: float(light[values[:, number] == value].mean()))))
    order = _reading_order(middles, SAME_ROW * float(np.median(heights)))
    return Looks(order=order, middles=middles, bright=tuple(bright))


def _reading_order(middles: NDArray[np.float64], height: float) -> tuple[int, ...]:
    """Return the order of middles by rows, within which heights differ little, and from left to right."""
    row, rows = -1, np.zeros(len(middles), dtype=np.intp)
    last = -np.inf
    for number in np.argsort(middles[:, 0], kind="stable").tolist():
        if middles[number, 0] - last > height:
            row += 1
            last = middles[number, 0]
        rows[number] = row
    return tuple(np.lexsort((middles[:, 1], rows)).tolist())
