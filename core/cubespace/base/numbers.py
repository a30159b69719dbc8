"""Numbers for people, on the terminal, in reports and in tables: rounding never turns a part into all or nothing.

0.99996 is not shown as 1, nor 0.00001 as 0: a reader would take either as a claim, not as a rounding.
"""

from __future__ import annotations

import math

NINETEEN_OF_TWENTY = 1.96  # standard deviations: the interval holds what is true 19 times of 20


def percent(fraction: float | None) -> str:
    """Return a fraction in percent, with two digits or more; only 1 is 100 % and only 0 is 0 %."""
    if fraction is None:
        return "?"
    if not 0.99 < fraction < 1:
        return f"{100 * fraction:.3g} %"
    return f"{math.floor(1e4 * fraction) / 100:.4g} %"  # rounded down: 0.99996 is 99.99 %


def fixed(value: float | None, digits: int = 4) -> str:
    """Return a number with a fixed number of digits, for columns; what is neither 0 nor 1 never looks like either."""
    if value is None:
        return "?"
    text = f"{value:.{digits}f}"
    if value != 0 and float(text) == 0:
        return f"{value:.0e}"
    if value < 1 <= float(text):
        return f"{math.floor(value * 10**digits) / 10**digits:.{digits}f}"
    if float(text) <= 1 < value:
        return f"{math.ceil(value * 10**digits) / 10**digits:.{digits}f}"
    return text


def rounded(fraction: float, digits: int = 4) -> float:
    """Return a fraction for JSON, rounded, unless that would make it 0 or 1."""
    shorter = round(fraction, digits)
    return fraction if shorter in (0.0, 1.0) else shorter


def number(value: float | None) -> str:
    """Return a number with few digits."""
    if value is None:
        return "?"
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    if abs(value) < 0.001:
        return f"{value:.0e}"
    return fixed(value) if abs(value) < 0.1 or 0.9995 <= value < 1 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """Return a duration in a suitable unit."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.2f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def size(count: int) -> str:
    """Return a number of bytes in a suitable unit."""
    return f"{count / 1024:.0f} kB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MB"


def some_of(part: int, whole: int) -> str:
    """Return a count and its share in words, such as "3 of 40 (7.5 %)"."""
    return f"{part:,} of {whole:,} ({percent(part / whole)})" if whole else "0 of 0"


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Return the fractions that a count is compatible with, as Wilson has it: 6 of 6 with 61 % and more."""
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, NINETEEN_OF_TWENTY**2 / whole
    middle = (share + square / 2) / (1 + square)
    away = math.sqrt(share * (1 - share) * square + square**2 / 4) / (1 + square)
    return max(0.0, middle - away), min(1.0, middle + away)


def estimated(part: int, whole: int) -> str:
    """Return a count and the shares that it is compatible with, such as "6 of 6 (100 %, compatible with 61 %)"."""
    low, high = wilson(part, whole)
    if not whole:
        return "0 of 0"
    bounds = percent(low) if part == whole else percent(high) if not part else f"{percent(low)} to {percent(high)}"
    return f"{part:,} of {whole:,} ({percent(part / whole)}, compatible with {bounds})"


def binomial_tail(successes: int, trials: int, probability: float) -> float:
    """Return the probability of at most so many successes."""
    yes, no = math.log(probability), math.log1p(-probability)
    ways = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(successes + 1)]
    return min(1.0, math.fsum(math.exp(way + k * yes + (trials - k) * no) for k, way in enumerate(ways)))
