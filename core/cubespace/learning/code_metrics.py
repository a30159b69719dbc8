"""How good a code is, on any split: Table 1 of the paper and the health of bits and actions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, squared_errors
from cubespace.base.differences import coverage, packed_differences
from cubespace.learning.code import Code, LearnedActions
from cubespace.learning.measures import Measures

NOISE = 0.1  # standard deviation of the pixel noise under which stability is measured
BATCH = 1000  # pictures that are held in memory as numbers at once …
MOST_NUMBERS = 1 << 23  # … and numbers, of large pictures


def measure(
    code: Code, before: Images, after: Images, training: tuple[Bits, Bits] | None = None, seed: int = 0
) -> Measures:
    """Measure a split; ``training`` are the bits of the split whose differences should cover it."""
    first, last = code.encode(before), code.encode(after)
    changes = packed_differences(first, last)
    stable_bits, stable_states = stability(code, np.concatenate([before, after]), np.concatenate([first, last]), seed)
    both = np.concatenate([first, last])
    return Measures(
        transitions=len(before),
        reconstruction=picture_error(code, first, before),
        **_prediction(code, (before, after), (first, last)),
        differences=len(np.unique(changes, axis=0)),
        actions=None if code.actions is None else len(np.unique(code.actions.label(first, last))),
        live_bits=int((both.any(0) & ~both.all(0)).sum()),
        stable_bits=stable_bits,
        stable_states=stable_states,
        covered=None if training is None else coverage(changes, packed_differences(*training)),
        **_discrimination(code.actions, first, last, seed),
    )


def _prediction(code: Code, images: tuple[Images, Images], bits: tuple[Bits, Bits]) -> dict[str, float | None]:
    """Return Succ and Direct as in Table 1, the fraction of exact transitions and the total loss."""
    if code.actions is None:
        return {"successor": None, "direct": None, "exact": None, "total": None}
    predicted = code.actions.successors(bits[0], code.actions.label(*bits))
    wrong = predicted != bits[1]  # (transitions, bits)
    pictures = picture_error(code, bits[0], images[0]) + picture_error(code, bits[1], images[1])
    successor = picture_error(code, predicted, images[1])
    direct = float(wrong.mean())
    return {
        "successor": successor,
        "direct": direct,
        "exact": float((~wrong.any(1)).mean()),
        "total": pictures + successor + direct,
    }


def picture_error(code: Code, bits: Bits, images: Images) -> float:
    """Return the mean squared error of drawn states against pictures."""
    parts = _batches(images)
    errors = [squared_errors(code.decode(bits[rows]), images[rows]) for rows in parts]
    return float(np.concatenate(errors).mean(dtype=np.float64))


def _batches(images: Images) -> list[slice]:
    """Return parts of pictures that are as large as memory should hold as numbers."""
    size = max(1, min(BATCH, MOST_NUMBERS // max(1, math.prod(images.shape[1:]))))
    return [slice(start, start + size) for start in range(0, len(images), size)]


def redrawing_errors(code: Code, images: Images) -> NDArray[np.float32]:
    """Return the mean squared error of each picture after encoding and decoding it, (pictures,)."""
    errors = [squared_errors(code.decode(code.encode(images[rows])), images[rows]) for rows in _batches(images)]
    return np.concatenate(errors) if errors else np.zeros(0, dtype=np.float32)


def stability(code: Code, images: Images, bits: Bits, seed: int) -> tuple[float, float]:
    """Return the fractions of bits and of whole states that do not change when the pixels are noisy."""
    rng = np.random.default_rng(seed)
    same_bits, same_states = 0.0, 0.0
    for rows in _batches(images):
        batch = images[rows]
        noise = rng.standard_normal(batch.shape, dtype=np.float32) * np.float32(NOISE * 255.0)
        noisy = (batch + noise).round().clip(0.0, 255.0).astype(np.uint8)
        same = code.encode(noisy) == bits[rows]  # (batch, bits)
        same_bits += float(same.mean(1).sum())
        same_states += float(same.all(1).sum())
    return same_bits / len(images), same_states / len(images)


def _discrimination(actions: LearnedActions | None, before: Bits, after: Bits, seed: int) -> dict[str, float]:
    """Return how well the discriminator, if there is one, tells transitions from those that random labels make."""
    if actions is None or not actions.discriminates:
        return {}
    given = np.unique(actions.label(before, after))
    labels = np.random.default_rng(seed).choice(given, size=len(before))
    observed = float(actions.plausible(before, after).mean())
    random = float(actions.plausible(before, actions.successors(before, labels)).mean())
    precision = observed / max(observed + random, 1e-9)
    f_measure = 2 * precision * observed / max(precision + observed, 1e-9)
    return {"possible": observed, "possible_random": random, "discriminator_f": f_measure}
