"""Bits that a linear decoder can do without: those that move hardly any pixel, and those that others make needless.

Both only make more kinds of transitions than there are. They are found in the bits and pictures of the training split.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from cubespace.base.arrays import Bits, Indices

ROWS_AT_ONCE = 4096  # pictures as numbers of double precision
RIDGE = 1e-6  # keeps the least squares solvable where two bits are equal


def weak_bits(sprites: Tensor, live: Tensor, fraction: float) -> Tensor:
    """Return the bits that move no pixel by more than a ``fraction`` of what a typical live bit does, bool (bits,).

    ``sprites`` is (pixels, bits). With three bits whose largest pixels are 1, 0.9 and 0.1, the third is weak at .3.
    """
    size = sprites.abs().amax(0)
    return size < fraction * size[live].median() if bool(live.any()) else torch.zeros_like(live)


def mixed_bits(before: Tensor, after: Tensor, pixels: Tensor, free: Tensor, lost: float) -> list[int]:
    """Return bits whose absence leaves fewer kinds of transitions and pictures that are drawn nearly as well.

    One after the other, the bit is taken that saves most differences, as long as the pictures lose less than the
    fraction ``lost`` of their variance when the other bits draw them as well as they can. ``before`` and ``after`` are
    bool (transitions, bits), ``pixels`` uint8 (2 * transitions, pixels), ``free`` the bits that may be taken.
    """
    states = torch.cat((before, after)).cpu()
    products, shares, variance = _moments(states, pixels)
    live = (free.cpu() & states.any(0) & ~states.all(0)).numpy()
    first, last = before.cpu().numpy().copy(), after.cpu().numpy().copy()
    taken: list[int] = []
    while live.any():
        bits = np.flatnonzero(live)
        savings = _savings(first, last, bits)
        inverse = torch.linalg.inv(products[bits][:, bits] + RIDGE * torch.eye(len(bits), dtype=torch.double))
        weights = inverse @ shares[bits]  # (bits, pixels)
        losses = (weights.square().mean(1) / inverse.diagonal()).numpy()  # of the error without each bit
        able = (savings > 0) & (losses < lost * variance)
        if not able.any():
            break
        bit = int(bits[np.flatnonzero(able)[savings[able].argmax()]])
        taken.append(bit)
        live[bit] = False
        first[:, bit] = last[:, bit] = False
    return taken


def equal_bits(states: Tensor, live: Tensor) -> list[tuple[int, int, bool]]:
    """Return the bits that equal an earlier one in every state, or differ in every state: (earlier, later, differ).

    ``states`` is bool (states, bits). In the states 001 and 110, bit 1 equals bit 0, and bit 2 is its opposite.
    """
    signs = states ^ states[0]  # as seen from the first state, opposite bits are equal
    first: dict[bytes, int] = {}
    pairs = []
    for bit in live.nonzero()[:, 0].tolist():
        column = signs[:, bit].cpu().numpy().tobytes()
        if column in first:
            pairs.append((first[column], bit, bool(states[0, bit] != states[0, first[column]])))
        else:
            first[column] = bit
    return pairs


def _moments(states: Tensor, pixels: Tensor) -> tuple[Tensor, Tensor, float]:
    """Return the covariances of bits, (bits, bits), and of bits and pixels, (bits, pixels), and the pixels' variance.

    Some rows at a time: in double precision, all pictures of a large data set would not fit into memory.
    """
    mean = states.double().mean(0)
    background = torch.zeros(pixels.shape[1], dtype=torch.double)
    for part in pixels.split(ROWS_AT_ONCE):
        background += _doubles(part).sum(0) / len(pixels)
    products = torch.zeros(len(mean), len(mean), dtype=torch.double)
    shares = torch.zeros(len(mean), len(background), dtype=torch.double)
    squares = torch.zeros((), dtype=torch.double)
    for bits, part in zip(states.split(ROWS_AT_ONCE), pixels.split(ROWS_AT_ONCE), strict=True):
        centred, shown = bits.double() - mean, _doubles(part) - background  # (rows, bits), (rows, pixels)
        products += centred.T @ centred / len(states)
        shares += centred.T @ shown / len(states)
        squares += shown.square().mean(1).sum()
    return products, shares, float(squares) / len(states)


def _doubles(pixels: Tensor) -> Tensor:
    """Return bytes as numbers in [0, 1], on the CPU: not every device has double precision."""
    return pixels.cpu().float().div_(255.0).double()


def _savings(before: Bits, after: Bits, bits: Indices) -> Indices:
    """Return how many fewer distinct differences there are without each of some bits."""
    # a difference as one random number per changed bit: equal sums are equal differences, but for a negligible chance
    keys = np.random.default_rng(0).integers(-(2**62), 2**62, size=before.shape[1])
    change = (after.astype(np.int64) - before.astype(np.int64)) * keys  # (transitions, bits)
    total = change.sum(1)
    count = len(np.unique(total))
    return np.array([count - len(np.unique(total - change[:, bit])) for bit in bits], dtype=np.intp)
