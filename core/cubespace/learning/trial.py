"""What a prepared encoder and decoder are worth before any training, by pairs that were held out."""

from __future__ import annotations

import attrs
import numpy as np
import torch
from torch import Tensor

from cubespace.autoencoder.inference import as_pixels, decode_pixels, encode_pixels
from cubespace.autoencoder.joint_phases import PREPARED_WITH, prepare
from cubespace.autoencoder.model import SpaceAutoEncoder, evaluating
from cubespace.base.arrays import Bits, Images
from cubespace.base.differences import coverage, number_rows, packed_differences

COMPARED_PIXELS = 400  # pixels whose errors are compared with each other
COMPARED_PICTURES = 1000


@attrs.frozen(kw_only=True)
class Trial:
    """Measures without a simulator: few differences that cover held-out pairs, and pictures redrawn but for noise."""

    bits: int
    differences: int  # distinct ones of the training pairs
    coverage: float  # fraction of held-out pairs whose difference the training pairs have shown
    description: float  # bits of information needed to tell the difference of a held-out pair
    unexplained: float  # fraction of the variance of held-out pictures that is lost by redrawing
    residue: float  # the part of it in which pixels still vary together: it is not noise, so something is lost

    def fits(self, most_residue: float, least_coverage: float) -> bool:
        """Return whether pictures are redrawn but for noise, and whether enough of what was learned comes again."""
        return self.bits > 0 and self.residue <= most_residue and self.coverage >= least_coverage


def try_network(model: SpaceAutoEncoder, training: tuple[Images, Images], held_out: tuple[Images, Images]) -> Trial:
    """Prepare a network with training pictures and look at what it makes of pairs that were held out."""
    known = [as_pixels(images, model.device) for images in training]
    fresh = [as_pixels(images, model.device) for images in held_out]
    step = max(1, len(known[0]) // PREPARED_WITH)
    prepare(model, known[0][::step].float().div(255.0))
    before, after = (encode_pixels(model, pixels).cpu().numpy() for pixels in known)
    new_before, new_after = (encode_pixels(model, pixels).cpu().numpy() for pixels in fresh)
    seen, new = packed_differences(before, after), packed_differences(new_before, new_after)
    unexplained, residue = _errors(model, torch.cat(fresh))
    return Trial(
        bits=model.bits,
        differences=len(number_rows(seen)),
        coverage=coverage(new, seen),
        description=_description((before, after), (new_before, new_after)),
        unexplained=unexplained,
        residue=residue,
    )


def _errors(model: SpaceAutoEncoder, pixels: Tensor) -> tuple[float, float]:
    """Return which fraction of the variance of pictures redrawing loses, and how much of that is not noise.

    The errors of independent pixels have a diagonal covariance C: the sum of its squares is about (trace C)² / pixels.
    If all errors are one pattern, more or less strong, it is (trace C)².
    """
    step = max(1, len(pixels) // COMPARED_PICTURES)
    some = pixels[::step]
    with evaluating(model):
        seen = model.encoder.normalised(some.float().div(255.0))
    drawn = decode_pixels(model, encode_pixels(model, some))
    error = (drawn - seen).double()
    total = float((seen - seen.mean(0)).square().sum())
    if total == 0.0:
        return 0.0, 0.0
    unexplained = float(error.square().sum()) / total
    live = torch.nonzero(seen.var(0) > 0)[:, 0]
    chosen = error[:, live[:: max(1, len(live) // COMPARED_PIXELS)]]
    chosen = chosen - chosen.mean(0)
    covariance = chosen.T @ chosen / len(chosen)  # (pixels, pixels)
    trace = float(covariance.trace())
    if trace == 0.0:
        return unexplained, 0.0
    off_diagonal = float(covariance.square().sum() - covariance.diagonal().square().sum())
    by_chance = (trace**2 - float(covariance.diagonal().square().sum())) / len(chosen)
    shared = max(0.0, off_diagonal - by_chance) / trace**2
    return unexplained, unexplained * shared**0.5


def _description(seen: tuple[Bits, Bits], new: tuple[Bits, Bits]) -> float:
    """Return the bits of information that a held-out difference takes, given how often each was seen in training.

    As Witten and Bell have it, seen and new ones share the probability by how often one was new in training. A new one
    is spelt: how many bits change, and which.
    """
    counts: dict[bytes, int] = {}
    for row in packed_differences(*seen):
        counts[row.tobytes()] = counts.get(row.tobytes(), 0) + 1
    kinds, total = len(counts), len(seen[0])
    bits = max(2, seen[0].shape[1])
    changed = (new[0] != new[1]).sum(1)
    told = []
    for row, number in zip(packed_differences(*new), changed.tolist(), strict=True):
        count = counts.get(row.tobytes(), 0)
        spelt = (number + 1) * np.log2(bits) - np.log2(kinds)
        told.append((-np.log2(count) if count else spelt) + np.log2(total + kinds))
    return float(np.mean(told))
