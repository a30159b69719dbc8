"""How well a code suits its pictures, by pairs that were held out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Images
from cubespace.base.differences import coverage, packed_differences
from cubespace.learning.code import Code

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs

COMPARED_PIXELS = 400  # pixels whose errors are compared with each other
COMPARED_PICTURES = 1000


@attrs.frozen(kw_only=True)
class Trial:
    """Measures without a simulator: few differences that cover held-out pairs, and pictures redrawn but for noise."""

    bits: int
    differences: int  # distinct ones of the training pairs
    coverage: float  # fraction of held-out pairs whose difference the training pairs have shown
    description: float  # bits of information that the difference of a held-out pair takes
    unexplained: float  # fraction of the variance of held-out pictures that is lost by redrawing
    residue: float  # the part of it in which pixels still vary together: it is not noise, so something is lost

    def fits(self, most_residue: float, least_coverage: float) -> bool:
        """Return whether pictures are redrawn but for noise, and whether enough of what was learned occurs again."""
        return self.bits > 0 and self.residue <= most_residue and self.coverage >= least_coverage


def try_code(code: Code, training: Pairs, held_out: Pairs) -> Trial:
    """Look at what a code makes of pairs that were held out."""
    seen = code.encode(training.before), code.encode(training.after)
    new = code.encode(held_out.before), code.encode(held_out.after)
    unexplained, residue = _errors(code, np.concatenate([held_out.before, held_out.after]))
    known = packed_differences(*seen)
    return Trial(
        bits=code.bits,
        differences=len(np.unique(known, axis=0)),
        coverage=coverage(packed_differences(*new), known),
        description=_description(seen, new),
        unexplained=unexplained,
        residue=residue,
    )


def _errors(code: Code, images: Images) -> tuple[float, float]:
    """Return which fraction of the variance of pictures redrawing loses, and how much of that is not noise.

    The errors of independent pixels have a diagonal covariance C: the sum of its squares is about (trace C)² / pixels.
    If all errors are one pattern, more or less strong, it is (trace C)².
    """
    compared = images[:: max(1, len(images) // COMPARED_PICTURES)]
    seen = code.normalise(compared).reshape(len(compared), -1)
    drawn = code.decode(code.encode(compared)).reshape(len(compared), -1)
    error = (drawn - seen).astype(np.float64)
    total = float(np.square(seen - seen.mean(0)).sum(dtype=np.float64))
    if total == 0.0:
        return 0.0, 0.0
    unexplained = float(np.square(error).sum()) / total
    live = np.flatnonzero(seen.var(0) > 0)
    chosen = error[:, live[:: max(1, len(live) // COMPARED_PIXELS)]]
    chosen = chosen - chosen.mean(0)
    covariance = chosen.T @ chosen / len(chosen)  # (pixels, pixels)
    trace = float(covariance.trace())
    if trace == 0.0:
        return unexplained, 0.0
    on_diagonal = float(np.square(covariance.diagonal()).sum())
    off_diagonal = float(np.square(covariance).sum()) - on_diagonal
    by_chance = (trace**2 - on_diagonal) / len(chosen)
    shared = max(0.0, off_diagonal - by_chance) / trace**2
    return unexplained, unexplained * shared**0.5


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
