"""Groups of pixels that hardly say anything by themselves: the edge of a place, seen by a camera that moves."""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, gt, le
from numpy.typing import NDArray

from cubespace.base.options import option

Doubles = NDArray[np.float64]
Numbers = NDArray[np.intp]


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class AbsorbingOptions:
    """When a group of pixels is a part of another one."""

    camera_absorbed: float = option(
        0.5,
        "information of a group of pixels, as a share, that a larger one has, too, so that they may be one place, if "
        "the camera moves",
        and_(gt(0.0), le(1.0)),
    )


def absorbed(groups: list[Numbers], codes: Numbers, options: AbsorbingOptions) -> list[Numbers]:
    """Return groups of which small ones are parts of the larger one that knows most about them; codes as (2, pairs, …).

    Worked example: the uppermost pixels of a peg show the smallest disk if all others are below. What the rest of the
    peg shows tells nearly always whether they do, so they belong to it.
    """
    part_of = np.arange(len(groups))
    for small in np.argsort([len(pixels) for pixels in groups]).tolist():
        larger = [number for number in range(len(groups)) if len(groups[number]) > len(groups[small])]
        known = [_known(codes[:, :, small].ravel(), codes[:, :, number].ravel()) for number in larger]
        if known and max(known) > options.camera_absorbed:
            part_of[small] = larger[int(np.argmax(known))]
    while (part_of[part_of] != part_of).any():  # the larger one may be a part itself
        part_of = part_of[part_of]
    return [
        np.sort(np.concatenate([groups[number] for number in np.flatnonzero(part_of == kept)]))
        for kept in np.unique(part_of)
    ]


def _known(code: Numbers, other: Numbers) -> float:
    """Return which share of the information of a code another one has, beyond what chance gives."""
    table = np.zeros((int(code.max()) + 1, int(other.max()) + 1))
    np.add.at(table, (code, other), 1)
    own, its, both = (_entropy(part) for part in (table.sum(1), table.sum(0), table.ravel()))
    chance = (len(table) - 1) * (table.shape[1] - 1) / (2 * np.log(2) * len(code))
    return (own + its - both - chance) / own if own > 0 else 1.0


def _entropy(counts: Doubles) -> float:
    """Return the entropy of counts, in bits."""
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
