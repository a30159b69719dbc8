"""What a setting may be while it is tuned: one of some choices, or any number of a range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from cubespace.base.errors import UsageError
from cubespace.base.options import structure

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Choice = str | int | float | bool


@attrs.frozen(kw_only=True)
class Range:
    """All numbers from ``low`` to ``high``, whole ones if both are; ``log``: evenly spread over magnitudes."""

    low: float
    high: float
    log: bool = False

    @classmethod
    def read(cls, key: str, table: Mapping[str, Any]) -> Range:
        """Return the range of a table; a wrong one is refused."""
        found = structure(cls, table, f"space: '{key}'")
        if not found.low < found.high or (found.log and found.low <= 0):
            raise UsageError(f"space: '{key}' needs low < high, and low > 0 with log")
        whole = all(isinstance(table[end], int) for end in ("low", "high"))
        return attrs.evolve(found, low=int(found.low), high=int(found.high)) if whole else found

    @property
    def whole(self) -> bool:
        """Return whether its numbers are whole."""
        return isinstance(self.low, int)

    @property
    def size(self) -> float:
        """Return how many numbers it has."""
        return self.high - self.low + 1 if self.whole else math.inf

    def distribution(self) -> BaseDistribution:
        """Return it in Optuna's terms."""
        from optuna.distributions import FloatDistribution, IntDistribution  # only the extra [tune] has it

        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(self.low, self.high, log=self.log)

    def random(self, rng: np.random.Generator) -> Choice:
        """Return a number of it."""
        ends = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        if self.whole and not self.log:
            return int(rng.integers(int(self.low), int(self.high), endpoint=True))
        drawn = float(rng.uniform(*ends))
        value = min(self.high, max(self.low, math.exp(drawn) if self.log else drawn))
        return round(value) if self.whole else float(value)


@attrs.frozen
class Choices:
    """Some values."""

    values: tuple[Choice, ...]

    @property
    def size(self) -> float:
        """Return how many there are."""
        return len(self.values)

    def distribution(self) -> BaseDistribution:
        """Return them in Optuna's terms."""
        from optuna.distributions import CategoricalDistribution  # only the extra [tune] has it

        return CategoricalDistribution(self.values)

    def random(self, rng: np.random.Generator) -> Choice:
        """Return one of them."""
        return self.values[int(rng.integers(len(self.values)))]


Dimension = Range | Choices


def dimension(key: str, given: Any) -> Dimension:
    """Return what a setting may be, from a list of values or a table with ``low`` and ``high``."""
    if isinstance(given, Mapping):
        return Range.read(key, given)
    if not given or len({repr(choice) for choice in given}) < len(given):
        raise UsageError(f"space: '{key}' needs choices, each given once, or a range: {{low = 1, high = 9}}")
    return Choices(tuple(given))


def samples(of: Dimension) -> list[Choice]:
    """Return values that are checked before any work is done: all choices, or both ends."""
    return list(of.values) if isinstance(of, Choices) else [of.low, of.high]
