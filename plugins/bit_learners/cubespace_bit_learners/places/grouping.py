"""Group the pixels that vary together."""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import ge
from numpy.typing import NDArray
from scipy.cluster.hierarchy import average, fcluster
from scipy.spatial.distance import squareform

from cubespace.base.options import option
from cubespace_bit_learners.places.lit import Lit

Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

MAX_LINKED_PIXELS = 600  # the linkage takes time in proportion to their number squared; other pixels join afterwards
MAX_CUTS = 5  # of the tree of merges that are tried, at the largest gaps
MAX_GROUPS = 150  # of a cut


@attrs.frozen(kw_only=True, slots=False)  # the options of a learner consist of several such classes
class GroupingOptions:
    """Which pixels vary, and which vary together."""

    min_variance: float = option(
        1.0,
        "variance, in squared grey levels, of a pixel that counts: rounding leaves 1/12, in dim light more",
        ge(0.0),
    )
    pixel_correlation: float = option(
        25.0,
        "squared correlation by which a pixel belongs to a group, as a multiple of what chance gives: 25 are five "
        "standard deviations",
        ge(0.0),
    )
    least_staying: float = option(
        0.25,
        "correlation of a pixel with itself in the next picture, where pixels are grouped by what stays: bad pixels "
        "and those that only a pointer changes have hardly any",
        ge(0.0),
    )
    group_correlation: float = option(
        5.0, "the same for the mean over all pixels of two groups that are merged", ge(0.0)
    )


def group_pixels(
    pictures: Floats, rng: np.random.Generator, options: GroupingOptions, later: Floats | None = None
) -> list[Numbers]:
    """Return ways to group pixels, as :func:`group_lit_pixels` does, of (pictures, pixels, colours)."""
    lit, after = (None if given is None else _as_they_are(given) for given in (pictures, later))
    assert lit is not None
    return group_lit_pixels(lit, pictures.shape[2], rng, options, after)


def _as_they_are(pictures: Floats) -> Lit:
    return Lit((pictures.reshape(len(pictures), -1),), (np.ones(len(pictures), dtype=np.float32),))


def group_lit_pixels(
    pictures: Lit, colours: int, rng: np.random.Generator, options: GroupingOptions, later: Lit | None = None
) -> list[Numbers]:
    """Return ways to group pixels, most clear-cut first: the group of each, or -1.

    Pixels are linked by squared correlation, on average over two groups; each way cuts at one of the largest ratios
    between successive merges. Pixels that agree with no other significantly, such as constant ones, are in no group.
    With ``later`` pictures of the same pairs, each pixel is correlated with others as they are then: light, a pointer
    and bad pixels, which differ from picture to picture, link nothing.
    """
    chance = 1 / len(pictures)
    significant = options.pixel_correlation * chance
    seen = Standardised(pictures, later, colours, options)
    live, near, linked = seen.linked(rng)
    if len(live) == 0:
        return []
    near[linked, np.arange(len(linked))] = 0
    sociable = near[linked].max(1, initial=0) > significant
    linked, near = linked[sociable], near[:, sociable]
    if len(linked) < 2:
        return []
    between = (near[linked] + near[linked].T) / 2
    tree = average(squareform(1 - np.minimum(between, 1), checks=False))
    near[linked, np.arange(len(linked))] = 1
    ways = []
    for cut in _largest_gaps(tree, chance, options.group_correlation):
        member = fcluster(tree, tree[cut, 2], "distance") - 1
        one_hot = np.eye(member.max() + 1, dtype=np.float32)[member]
        nearest = (near @ (one_hot / one_hot.sum(0))).argmax(1)
        label = np.full(pictures.width // colours, -1, dtype=np.intp)
        label[live] = np.where(near.max(1) > significant, nearest, -1)
        ways.append(label)
    return ways


@attrs.frozen(eq=False)
class Standardised:
    """Pixels that vary, without their means and scaled, and the same in later pictures if there are any.

    A part of the pixels at a time: those of large pictures would not all fit into memory as numbers.
    """

    pictures: Lit
    later: Lit | None
    colours: int
    options: GroupingOptions
    _known: dict[int, Block] = attrs.field(factory=dict)  # where there is only one part

    def linked(self, rng: np.random.Generator) -> tuple[Numbers, Floats, Numbers]:
        """Return the pixels that vary, their squared correlations with some, (live, linked), and which those are."""
        blocks = self.pictures.blocks(self.colours)
        lives = [self._block(block).live for block in blocks]
        live = np.concatenate(lives)
        chosen = np.sort(rng.permutation(len(live))[:MAX_LINKED_PIXELS])
        if not len(chosen):
            return live, np.zeros((0, 0), dtype=np.float32), chosen
        parts = [np.flatnonzero(np.isin(part, live[chosen])) for part in lives]
        some = [self._block(block).some(part) for block, part in zip(blocks, parts, strict=True)]
        pixels, following = (np.concatenate(each, axis=1) for each in zip(*some, strict=True))
        near = [self._near(self._block(block), pixels, following) for block in blocks]
        return live, np.concatenate(near), chosen

    def _near(self, block: Block, pixels: Floats, following: Floats) -> Floats:
        near = _squared_correlation(block.pixels, following)
        if self.later is not None:
            near = (near + _squared_correlation(block.following, pixels)) / np.float32(2)
        return near

    def _block(self, columns: slice) -> Block:
        """Return a part of the pixels; with later pictures, those that say nothing about themselves are left out."""
        if columns.start in self._known:
            return self._known[columns.start]
        pixels, live = _standardised(self._located(self.pictures, columns), self.options.min_variance)
        following = pixels
        if self.later is not None:
            following, _ = _standardised(self._located(self.later, columns), self.options.min_variance, live)
            stays = np.abs((pixels * following).mean(0).sum(1)) > self.options.least_staying
            pixels, following, live = pixels[:, stays], following[:, stays], live[stays]
        block = Block(pixels, following, live + columns.start // self.colours)
        if columns == slice(0, self.pictures.width):
            self._known[columns.start] = block
        return block

    def _located(self, pictures: Lit, columns: slice) -> Floats:
        return pictures.pixels(columns).reshape(len(pictures), -1, self.colours)


@attrs.frozen(eq=False)
class Block:
    """Some of the pixels that vary."""

    pixels: Floats  # (pictures, pixels, colours)
    following: Floats  # the same in the later pictures, or the same
    live: Numbers  # (pixels,), which they are

    def some(self, rows: Numbers) -> tuple[Floats, Floats]:
        """Return some of them."""
        return self.pixels[:, rows], self.following[:, rows]


def _largest_gaps(tree: NDArray[np.float64], chance: float, group_correlation: float) -> list[int]:
    """Return the merges of a tree after which to cut it: those with the largest ratio to the next one."""
    strength = np.maximum(1 - tree[:, 2], chance)  # of each merge, falling
    gap = np.log(strength / np.append(strength[1:], chance))
    groups = len(tree) - np.arange(len(gap))  # that are left after each merge
    gap[(strength <= group_correlation * chance) | (groups > MAX_GROUPS)] = -1
    return [int(cut) for cut in np.argsort(-gap)[:MAX_CUTS] if gap[cut] >= 0]


def _standardised(pictures: Floats, min_variance: float, chosen: Numbers | None = None) -> tuple[Floats, Numbers]:
    """Return the pixels that vary, or those chosen, without their means and scaled, and which they are.

    Scaled such that the squared covariances of one pixel's colours with each other add up to 1.
    """
    pixels = pictures - pictures.mean(0)
    variance = np.sqrt((np.einsum("npc,npd->pcd", pixels, pixels, optimize=True) ** 2).sum((1, 2))) / len(pixels)
    live = np.flatnonzero(variance > min_variance) if chosen is None else chosen
    return pixels[:, live] / np.sqrt(np.maximum(variance[live], min_variance))[:, None], live


def _squared_correlation(one: Floats, other: Floats) -> Floats:
    """Return the squared covariances of each two pixels, summed over their colours (the RV coefficient)."""
    count, rows, colours = one.shape
    columns = other.shape[1]
    cross = one.reshape(count, rows * colours).T @ other.reshape(count, columns * colours) / count
    shared: Floats = (cross**2).reshape(rows, colours, columns, colours).sum((1, 3))  # either may be empty
    return shared
