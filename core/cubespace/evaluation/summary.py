"""Rows of the result table: how many plans were found, valid and optimal, and how the others ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cubespace.base.numbers import rounded


def summarise(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a table row: counts of instances, found, valid and optimal, how the rest ended, known states and steps.

    ``all_seen`` counts the plans of which the training split has every step. Known states and steps are the fractions
    of states and of transitions, in all plans except the invalid ones, that were in the training split, so that they
    could have been memorised. None if there is no such plan.
    """
    outcomes = [record["outcome"] for record in records]
    found = [record for record in records if record["plan"] is not None]
    right = [record for record in found if record["valid"] is not False]
    steps = sum(len(record["plan"]) for record in right)
    judged = all(record["valid"] is not None for record in found)
    return {
        "instances": len(records),
        "found": len(found),
        "valid": sum(record["valid"] for record in found) if judged else None,
        "optimal": sum(bool(record["optimal"]) for record in found) if judged else None,
        "all_seen": sum(record["unseen_steps"] == [] for record in found),
        "known_states": _fraction(sum(record["known_states"] for record in right), steps + len(right)),
        "known_transitions": _fraction(sum(record["known_transitions"] for record in right), steps),
        "outcomes": {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))},
        "mean_seconds": round(sum(record["seconds"] for record in records) / max(1, len(records)), 3),
    }


def best_plan(records: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the plan to show first; None if there is none that has steps.

    The rule, which the report says too: optimal before valid, before all steps seen in training; of equals the longest,
    of these the first.
    """
    found = [record for record in records if record["plan"]]
    return min(found, key=_merit, default=None)


def _merit(record: Mapping[str, Any]) -> tuple[bool, bool, bool, int]:
    return not record["optimal"], not record["valid"], bool(record.get("unseen_steps")), -len(record["plan"])


def accepted_steps(record: Mapping[str, Any]) -> range:
    """Return the steps of a plan, counted from 1, that a judge has found to be moves: all before the first mistake."""
    if record["valid"] is None or record["plan"] is None:
        return range(1, 1)
    end = record.get("wrong_step") if not record["valid"] else None
    return range(1, len(record["plan"]) + 1 if end is None else end)


def _fraction(part: int, whole: int) -> float | None:
    return rounded(part / whole) if whole else None
