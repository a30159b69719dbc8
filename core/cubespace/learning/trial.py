"""How well a code suits its pictures, by pairs that were held out."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, Indices
from cubespace.base.differences import coverage, packed_differences
from cubespace.base.numbers import percent
from cubespace.learning.code import Code

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs
    from cubespace.settings.recipe import LearnerConfig

Numbers = NDArray[np.float64]
Pixels = NDArray[np.float32]

SURE = 3.0  # standard deviations: what chance hardly ever shows
COMPARED_PIXELS = 400  # pixels whose errors are compared with each other
COMPARED_PICTURES = 1000
MOST_NUMBERS = 1 << 23  # that are held in double precision at once


@attrs.frozen(kw_only=True)
class Trial:
    """Measures without a simulator: few differences that cover held-out pairs, and nothing lost that stays."""

    bits: int
    differences: int  # distinct ones of the training pairs
    coverage: float  # fraction of held-out pairs whose difference the training pairs have shown
    description: float  # bits of information that the difference of a held-out pair takes
    unexplained: float  # fraction of the variance of held-out pictures that is lost by redrawing
    residue: float  # the part of it that pictures before and after an action share: it stays, so bits lack something
    structure: float = 0.0  # the part of it in which pixels vary together, be it another light or things that move

    def fits(self, config: LearnerConfig) -> bool:
        """Return whether bits lack hardly anything that stays, and whether enough of what was learned occurs again."""
        return not self.misfit(config)

    def misfit(self, config: LearnerConfig) -> str:
        """Return in words why it does not fit; nothing if it does."""
        if not self.bits:
            return "it has no bits"
        faults = []
        if self.residue > config.most_residue:
            faults.append(f"bits lack something that stays, {percent(self.residue)} of what varies in pictures")
        if self.structure > config.most_structure:
            faults.append(
                f"bits lack something that pixels share, {percent(self.structure)} of what varies in pictures"
            )
        if self.coverage < config.least_coverage:
            faults.append(f"of held-out changes, only {percent(self.coverage)} were seen before")
        return ", and ".join(faults)


def try_code(code: Code, training: Pairs, held_out: Pairs) -> Trial:
    """Look at what a code makes of pairs that were held out."""
    seen = code.encode(training.before), code.encode(training.after)
    new = code.encode(held_out.before), code.encode(held_out.after)
    unexplained, residue, structure = _errors(code, held_out)
    known = packed_differences(*seen)
    return Trial(
        bits=code.bits,
        differences=len(np.unique(known, axis=0)),
        coverage=coverage(packed_differences(*new), known),
        description=_description(seen, new),
        unexplained=unexplained,
        residue=residue,
        structure=structure,
    )


def _errors(code: Code, pairs: Pairs) -> tuple[float, float, float]:
    """Return which fraction of the variance of pictures redrawing loses, how much of that stays, and is not noise.

    Noise, a shadow or another exposure differ from picture to picture. What the bits lack, such as a second tile that
    was taken for the first, is there before an action and, mostly, after it: the errors of pixels before it and after
    it have a covariance C. If all errors are one pattern that stays, the sum of the squares of C is (trace C)². If they
    are one pattern that comes and goes, this is so for the covariance of the errors of one picture.
    """
    compared = pairs[:: max(1, 2 * len(pairs) // COMPARED_PICTURES)]
    shown = [_redrawn(code, images) for images in (compared.before, compared.after)]
    width = shown[0][0].shape[1]
    total, missed, varies = 0.0, 0.0, np.zeros(width, dtype=np.bool_)
    for first in range(0, width, step := max(1, MOST_NUMBERS // max(1, 2 * len(compared)))):
        some = slice(first, first + step)
        seen = np.concatenate([each[:, some].astype(np.float64) for each, _ in shown])
        total += float(np.square(seen - seen.mean(0)).sum(dtype=np.float64))
        missed += float(np.square(np.concatenate([_error(*each, some) for each in shown])).sum())
        varies[some] = seen.var(0) > 0
    if total == 0.0:
        return 0.0, 0.0, 0.0
    live = np.flatnonzero(varies)
    pixels = live[:: max(1, len(live) // COMPARED_PIXELS)]
    errors = [_error(*each, pixels) for each in shown]
    before, after = (each - each.mean(0) for each in errors)
    error = np.concatenate(errors)
    unexplained = missed / total
    patterns = math.sqrt(_patterned(error - error.mean(0)))
    return unexplained, unexplained * math.sqrt(_shared(before, after)), unexplained * patterns


def _redrawn(code: Code, images: Images) -> tuple[Pixels, Pixels]:
    """Return pictures as the code sees them, and redrawn: (pictures, pixels)."""
    drawn = code.decode(code.encode(images)).reshape(len(images), -1)
    return code.normalise(images).reshape(len(images), -1), drawn


def _error(seen: Pixels, drawn: Pixels, columns: slice | Indices) -> Numbers:
    """Return by how much some pixels differ when they are redrawn."""
    return np.asarray(drawn[:, columns] - seen[:, columns].astype(np.float64))


def _shared(before: Numbers, after: Numbers) -> float:
    """Return which part of the errors, squared, pictures before and after share, beyond what chance may show."""
    count = len(before)
    spread = math.sqrt(float(np.square(before).sum() / count) * float(np.square(after).sum() / count))
    if spread == 0.0:
        return 0.0
    common = float(np.square(before.T @ after / count).sum())
    within = math.sqrt(math.prod(float(np.square(each.T @ each / count).sum()) for each in (before, after)))
    by_chance = (spread**2 + SURE * math.sqrt(2) * within) / count
    return max(0.0, common - by_chance) / spread**2


def _patterned(error: Numbers) -> float:
    """Return which part of the errors, squared, pixels share; of independent ones the covariance is diagonal."""
    covariance = error.T @ error / len(error)  # (pixels, pixels)
    trace = float(covariance.trace())
    if trace == 0.0:
        return 0.0
    on_diagonal = float(np.square(covariance.diagonal()).sum())
    off_diagonal = float(np.square(covariance).sum()) - on_diagonal
    by_chance = (trace**2 - on_diagonal) / len(error)
    return max(0.0, off_diagonal - by_chance) / trace**2


def _description(seen: tuple[Bits, Bits], new: tuple[Bits, Bits]) -> float:
    """Return the bits of information that a held-out difference takes, given how often each was seen in training.

    As Witten and Bell have it, seen and new ones share the probability by how often one was new in training. A new one
    is spelt out: how many bits change, and which.
    """
    counts = Counter(row.tobytes() for row in packed_differences(*seen))
    kinds, total = len(counts), len(seen[0])
    bits = max(2, seen[0].shape[1])
    changed = (new[0] != new[1]).sum(1)
    lengths = []
    for row, number in zip(packed_differences(*new), changed.tolist(), strict=True):
        count = counts[row.tobytes()]
        spelt_out = (number + 1) * np.log2(bits) - np.log2(kinds)
        lengths.append((-np.log2(count) if count else spelt_out) + np.log2(total + kinds))
    return float(np.mean(lengths))
