"""Rows of the result table: how many plans were found, valid and optimal, and how the others ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from cubespace.base.numbers import rounded
from cubespace.evaluation.plan_record import PlanRecord


@attrs.frozen(kw_only=True)
class PlannerResults:
    """A table row, counts of instances, and the record of each of them.

    Known states and steps are the fractions of states and of transitions, in all plans except the invalid ones, that
    were in the training split, so that they could have been memorised; None if there is no such plan.
    """

    instances: int
    found: int
    valid: int | None  # None: the domain cannot judge
    optimal: int | None
    all_seen: int  # plans of which the training split has every step
    doubtful: int = 0  # plans that nobody judges, with steps that lack what nearly all true moves have
    known_states: float | None
    known_transitions: float | None
    outcomes: Mapping[str, int]  # how the searches ended
    mean_seconds: float
    optimal_planner: bool  # whether its plans are guaranteed to be shortest in the model
    records: tuple[PlanRecord, ...]
    authors_valid: int | None = None  # by the rule of the paper's authors; None: it was not asked for
    authors_optimal: int | None = None


def summarise(records: Sequence[PlanRecord], *, optimal_planner: bool) -> PlannerResults:
    """Return the row of a planner."""
    outcomes = [record.outcome for record in records]
    found = [record for record in records if record.found]
    right = [record for record in found if record.valid is not False]
    steps = sum(record.steps for record in right)
    judged = all(record.valid is not None for record in found)
    twice = bool(records) and all(record.authors_valid is not None for record in records)
    return PlannerResults(
        instances=len(records),
        found=len(found),
        valid=sum(bool(record.valid) for record in found) if judged else None,
        optimal=sum(bool(record.optimal) for record in found) if judged else None,
        all_seen=sum(record.unseen_steps == () for record in found),
        doubtful=sum(record.doubtful for record in found),
        known_states=_fraction(sum(record.known_states or 0 for record in right), steps + len(right)),
        known_transitions=_fraction(sum(record.known_transitions or 0 for record in right), steps),
        outcomes={outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))},
        mean_seconds=round(sum(record.seconds for record in records) / max(1, len(records)), 3),
        optimal_planner=optimal_planner,
        records=tuple(records),
        authors_valid=sum(bool(record.authors_valid) for record in found) if twice else None,
        authors_optimal=sum(bool(record.authors_optimal) for record in found) if twice else None,
    )


def best_plan(records: Iterable[PlanRecord]) -> PlanRecord | None:
    """Return the plan to show first; None if there is none that has steps.

    The rule, which the report says too: optimal before valid, before all steps seen in training; where nobody judges,
    the fewest doubtful steps, then the fewest unseen ones; of equals the longest, of these the first.
    """
    return min((record for record in records if record.steps), key=_merit, default=None)


def _merit(record: PlanRecord) -> tuple[bool, bool, int, int, int]:
    unseen = len(record.unseen_steps or ())
    if record.valid is not None:
        return not record.optimal, not record.valid, 0, min(1, unseen), -record.steps
    return not record.optimal, not record.valid, len(record.doubtful_steps), unseen, -record.steps


def _fraction(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None
