"""Group the pixels that vary together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, fcluster
from scipy.spatial.distance import squareform

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

FAINTEST = 1.0  # variance, in grey levels, of a pixel that says something; rounding leaves 1/12, in dim light more
GROUPED_PIXELS = 600  # the linkage takes the square of it; the other pixels join afterwards
SIGNIFICANT = 25.0  # times the squared correlation that chance gives: five standard deviations
ABOVE_CHANCE = 5.0  # times the same, for the mean over many pixels at which groups merge
CUTS = 5  # largest gaps that are tried
MOST_GROUPS = 150  # of a cut


def group_pixels(pictures: Floats, rng: np.random.Generator) -> list[Numbers]:
    """Return ways to group pixels, most clear-cut first: the group of each, or -1, for (pictures, pixels, colours).

    Pixels are linked by squared correlation, on average over two groups; each way cuts at one of the largest ratios
    between successive merges. Pixels that agree with no other significantly, such as constant ones, are in no group.
    """
    chance = 1 / len(pictures)
    pixels, live = _standardised(pictures)
    if len(live) == 0:
        return []
    some = np.sort(rng.permutation(len(live))[:GROUPED_PIXELS])
    near = _squared_correlation(pixels, pixels[:, some])  # (live, some)
    near[some, np.arange(len(some))] = 0
    sociable = near[some].max(1, initial=0) > SIGNIFICANT * chance
    some, near = some[sociable], near[:, sociable]
    if len(some) < 2:
        return []
    alike = near[some]
    tree = average(squareform(1 - np.minimum(alike, 1), checks=False))
    strength = np.maximum(1 - tree[:, 2], chance)  # of each merge, falling
    gap = np.log(strength / np.append(strength[1:], chance))
    gap[(strength <= ABOVE_CHANCE * chance) | (len(some) - 1 - np.arange(len(gap)) > MOST_GROUPS)] = -1
    near[some, np.arange(len(some))] = 1
    cuts = [cut for cut in np.argsort(-gap)[:CUTS] if gap[cut] >= 0]
    ways = []
    for cut in cuts:
        member = fcluster(tree, tree[cut, 2], "distance") - 1
        one_hot = np.eye(member.max() + 1, dtype=np.float32)[member]
        nearest = (near @ (one_hot / one_hot.sum(0))).argmax(1)
        label = np.full(pictures.shape[1], -1, dtype=np.intp)
        label[live] = np.where(near.max(1) > SIGNIFICANT * chance, nearest, -1)
        ways.append(label)
    return ways


def _standardised(pictures: Floats) -> tuple[Floats, Numbers]:
    """Return the pixels that vary, without their means and scaled, and which they are.

    Scaled such that the squared covariances of one pixel's colours with each other add up to 1.
    """
    pixels = pictures - pictures.mean(0)
    own = np.sqrt((np.einsum("npc,npd->pcd", pixels, pixels, optimize=True) ** 2).sum((1, 2))) / len(pixels)
    live = np.flatnonzero(own > FAINTEST)
    return pixels[:, live] / np.sqrt(own[live])[:, None], live


def _squared_correlation(one: Floats, other: Floats) -> Floats:
    """Return the squared covariances of each two pixels, summed over their colours (the RV coefficient)."""
    count, rows, colours = one.shape
    cross = one.reshape(count, -1).T @ other.reshape(count, -1) / count
    shared: Floats = (cross**2).reshape(rows, colours, -1, colours).sum((1, 3))
    return shared
