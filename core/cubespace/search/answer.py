"""What a planner backend reads from its finished process."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from cubespace.search.solver import Outcome, Statistics


@attrs.frozen(kw_only=True)
class Answer:
    """What a backend read from its finished process."""

    outcome: Outcome
    plan: Sequence[int] | None = None  # rows of the model's actions
    statistics: Statistics = attrs.field(factory=Statistics)
    detail: str = ""  # what the planner said if it failed
