"""Which steps of plans are doubtful: those that lack what nearly all true moves have, as far as pairs can say.

Plans pass through wrong moves more often than chance would, since they are shortcuts. So the plans of a run are judged
together, too: if all their steps were true moves, how probable is it that so many lack a sign?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.numbers import binomial_tail, percent, some_of
from cubespace.evaluation.judgement_record import Finding
from cubespace.evaluation.plan_record import SearchRecord
from cubespace.evaluation.precision_record import LOOKS, MEANINGS, STATE, Precision, Sign
from cubespace.evaluation.real_moves import Draw, KnownMoves, Look, redrawn

LEVEL = 0.01  # probability with which a plan of true moves, or all plans of a run together, would be doubted


@attrs.frozen(kw_only=True)
class Doubt:
    """What speaks against the steps of a plan, counted from 1."""

    lacking: Mapping[str, tuple[int, ...]] = attrs.field(factory=dict)  # by sign, the steps without it
    doubtful_steps: tuple[int, ...] = ()  # those without signs that nearly all true moves have


@attrs.frozen(eq=False, kw_only=True)
class Doubts:
    """Finds the doubtful steps of plans, by what learning saw and by how usual each sign is for true moves."""

    known: KnownMoves
    precision: Precision
    draw: Draw
    look: Look

    def of(self, trace: Bits | None) -> Doubt | None:
        """Return what speaks against a plan, given its states, (steps + 1, bits); None without a plan."""
        if trace is None:
            return None
        before, after = trace[:-1], trace[1:]
        has = self.known.signs(before, after)
        has[LOOKS] = redrawn(after, self.draw, self.look) if len(after) else np.ones(0, dtype=np.bool_)
        lacking = {name: tuple((np.flatnonzero(~steps) + 1).tolist()) for name, steps in has.items()}
        doubtful: set[int] = set()
        for sign in self.precision.signs:
            surprise = _surprise(sign, len(lacking[sign.name]), len(after)) * len(self.precision.signs)
            if surprise < LEVEL:
                doubtful.update(lacking[sign.name])
        return Doubt(lacking=lacking, doubtful_steps=tuple(sorted(doubtful)))


def plan_findings(records: Sequence[SearchRecord], precision: Precision | None) -> tuple[Finding, ...]:
    """Return what speaks against the plans of a run; a plan that a judge has found valid is not doubted."""
    found = [record for record in records if record.plan and record.valid is None and record.lacking is not None]
    if precision is None or not found:
        return ()
    steps = sum(record.steps for record in found)
    reasons = []
    for sign in precision.signs:
        lacking = sum(len((record.lacking or {}).get(sign.name, ())) for record in found)
        surprise = _surprise(sign, lacking, steps) * len(precision.signs)
        if surprise < LEVEL:
            reasons.append((surprise, sign, lacking))
    if not reasons:
        return ()
    findings = [_strange(found, precision)] if precision.saturated else []
    _, sign, lacking = min(reasons, key=lambda reason: reason[0])
    doubted = sum(bool(record.doubtful_steps) for record in found)
    text = f"{some_of(doubted, len(found))} plans rely on doubtful moves: of all steps "
    text += f"{percent(1 - lacking / steps)} {MEANINGS[sign.name]}, of true moves {percent(sign.true_moves)}."
    advice = "Look at the marked steps first."
    return (*filter(None, findings), Finding(about="plans", warning=True, text=text, advice=advice))


def _strange(found: Sequence[SearchRecord], precision: Precision) -> Finding | None:
    """Say how many plans pass through states that were never seen, where nearly all seem to have been."""
    strange = sum(bool((record.lacking or {}).get(STATE)) for record in found)
    if not strange:
        return None
    text = f"{some_of(strange, len(found))} plans pass through states that were never seen, though nearly all states "
    text += f"seem to have been seen ({precision.distinct_states:,} distinct ones)."
    return Finding(about="states", warning=True, text=text)


def _surprise(sign: Sign, lacking: int, steps: int) -> float:
    """Return how probable it is that so many of these steps, or more, lack a sign if all are true moves."""
    if not lacking:
        return 1.0
    usual = (sign.true_moves * sign.states + 0.5) / (sign.states + 1)  # the next true move may be the first without
    return binomial_tail(steps - lacking, steps, usual)
