"""Intervals and tests for small experiments: exact or resampled, never by a normal approximation of few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, sqrt

import numpy as np

LEVEL = 0.95  # of confidence
NORMAL_QUANTILE = 1.959963984540054  # two-sided, for LEVEL
MOST_EXACT = 14  # pairs whose 2^n signs are all tried; of more, SAMPLES are drawn
SAMPLES = 20_000


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return Wilson's interval for a proportion: sensible at 0 and at 1, where a normal one has no width.

    It takes the trials as independent.
    """
    if not trials:
        return 0.0, 1.0
    share, z = successes / trials, NORMAL_QUANTILE
    centre = share + z * z / (2 * trials)
    half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (centre - half) / scale, (centre + half) / scale
    return (0.0 if not successes else low), (1.0 if successes == trials else high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p value of McNemar's test, that pairs which differ are split evenly."""
    pairs, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(pairs, count) for count in range(fewer + 1)) / 2**pairs
    return float(min(1.0, 2 * tail))


def sign_flips(differences: Sequence[float]) -> float:
    """Return the two-sided p value of the paired permutation test, that a mean difference is chance.

    Under the null hypothesis every difference is as likely as its negative: [2, 1] has the sums 3, 1, -1, -3, two of
    four as far from 0 as its own, so p is 0.5.
    """
    values = np.array([value for value in differences if value], dtype=np.float64)
    if not len(values):
        return 1.0
    seen = abs(values.sum())
    if len(values) <= MOST_EXACT:
        signs = np.array(list(product((1, -1), repeat=len(values))))
        extra = 0
    else:
        signs = np.random.default_rng(0).choice((1, -1), size=(SAMPLES, len(values)))
        extra = 1  # the order that was seen is one of those possible
    as_far = int((np.abs(signs @ values) >= seen * (1 - 1e-12)).sum())
    return (as_far + extra) / (len(signs) + extra)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values corrected for their number by Holm's method, in the order given."""
    corrected, least = [1.0] * len(p_values), 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[position]))
        corrected[position] = least
    return corrected
