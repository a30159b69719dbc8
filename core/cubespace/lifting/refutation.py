"""Is a model too general? What it would allow should have been seen, where there was opportunity enough."""

from __future__ import annotations

import math

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from cubespace.base.arrays import Bits, Indices, step_keys
from cubespace.symbols.strips import CHUNK, StripsModel

Numbers = NDArray[np.float64]
LISTED = 20  # refuted actions that are kept by name


@attrs.frozen(kw_only=True)
class Refutation:
    """What a model allows and pairs speak against.

    ``refuted`` are actions with successors that only this model has, of which chance cannot explain that none was seen.
    """

    refuted: dict[str, float]  # how often these successors should have been seen; the first few
    number: int  # of refuted actions
    extra: int  # steps from training states that only this model has …
    steps: int  # … of so many
    unseen: int  # actions that were never seen …
    expected_unseen: float  # … and how many chance explains
    held_out: int  # held-out transitions that are steps of its own …
    expected_held_out: float  # … and how many should be
    accident_rate: float  # fraction of what is expected that accidents of the data may show
    level: float  # largest probability with which chance may refute a right model

    @property
    def too_many_unseen(self) -> bool:
        """Return whether there are more actions that were never seen than chance explains."""
        return self.unseen > 0 and bool(gammainc(self.unseen, self.expected_unseen) < self.level)

    @property
    def missing_held_out(self) -> bool:
        """Return whether its own steps are hardly ever seen in held-out transitions, where they should be."""
        enough = self.expected_held_out > -math.log(self.level)
        return enough and self.held_out <= self.accident_rate * self.expected_held_out

    @property
    def stands(self) -> bool:
        """Return whether nothing speaks against the model."""
        return not (self.number or self.too_many_unseen or self.missing_held_out)

    @property
    def words(self) -> str:
        """Return what speaks against the model, "" if nothing does."""
        parts = []
        if self.number:
            parts.append(
                f"{self.number} of its actions have successors that should have been seen and never were "
                f"({self.extra} of its {self.steps} steps from training states are its own)"
            )
        if self.too_many_unseen:
            parts.append(f"{self.unseen} actions were never seen, where chance explains {self.expected_unseen:.1f}")
        if self.missing_held_out:
            parts.append(
                f"{self.held_out} held-out pairs show steps that only it has, where {self.expected_held_out:.0f} should"
            )
        return "; ".join(parts)


@attrs.frozen(eq=False)
class Transitions:
    """Transitions in bits, (transitions, bits) each."""

    before: Bits
    after: Bits


def refute(
    model: StripsModel,
    other: StripsModel,
    training: Transitions,
    held_out: Transitions,
    *,
    level: float,
    accident_rate: float,
) -> Refutation:
    """Look for steps that only ``model`` has and ``other`` has not, and that transitions should have shown.

    Both models are tried before each transition. An action is expected at the rate at which the common steps are seen;
    at the lowest usual one, since actions may differ. Of the training transitions every action has its own test, of the
    held-out ones, which had no say in what either model allows, all together have one.
    """
    own = _Opportunities.of(model, other, training)
    fresh = _Opportunities.of(model, other, held_out)
    rate = _lowest_rate(own.common_seen, own.common, level)
    expected = rate * own.extra
    out = (expected > math.log(max(1, (own.extra > 0).sum()) / level)) & (own.extra_seen <= accident_rate * expected)
    rows = np.flatnonzero(out)
    tried = own.common + own.extra
    return Refutation(
        refuted={model.names[row]: round(float(expected[row]), 1) for row in rows[:LISTED].tolist()},
        number=len(rows),
        extra=int(own.extra.sum()),
        steps=int(tried.sum()),
        unseen=int((own.common_seen + own.extra_seen == 0).sum()),
        expected_unseen=round(float(np.exp(-rate * tried).sum()), 3),
        held_out=int(fresh.extra_seen.sum()),
        expected_held_out=round(rate * float(fresh.extra.sum()), 1),
        accident_rate=accident_rate,
        level=level,
    )


@attrs.frozen(eq=False)
class _Opportunities:
    """How often each action could be applied before a transition, and was what it showed: (actions,) each."""

    common: Indices  # to a successor that the other model has, too
    common_seen: Indices
    extra: Indices
    extra_seen: Indices

    @classmethod
    def of(cls, model: StripsModel, other: StripsModel, shown: Transitions) -> _Opportunities:
        counts = np.zeros((4, model.actions), dtype=np.intp)
        for start in range(0, len(shown.before), CHUNK):
            old, new = shown.before[start : start + CHUNK], shown.after[start : start + CHUNK]
            row, action = np.nonzero(model.applicable(old))
            reached = model.apply(old[row], action)
            known_row, known = np.nonzero(other.applicable(old))
            shared = np.isin(step_keys(row, reached), step_keys(known_row, other.apply(old[known_row], known)))
            seen = (reached == new[row]).all(1)
            for number, chosen in enumerate((shared, shared & seen, ~shared, ~shared & seen)):
                counts[number] += np.bincount(action[chosen], minlength=model.actions)
        return cls(*counts)


def _lowest_rate(seen: Indices, tried: Indices, level: float) -> float:
    """Return the rate that hardly any action stays below, from actions tried often enough to tell; 0 if none was.

    Rates are taken to spread below their median as far, in ratio, as they do above it.
    """
    enough = tried >= -math.log(level)
    if not enough.any():
        return 0.0
    median, high = np.quantile(seen[enough] / tried[enough], [0.5, 0.95])
    return float(median**2 / high) if high else 0.0
