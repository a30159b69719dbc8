"""``results.json``: who made the model of a run, what was asked of the planners, and what they found."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from cubespace.evaluation.judgement_record import Finding
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.summary import PlannerResults, best_plan
from cubespace.learning.bit_learner import EffectSource
from cubespace.search.solver import Limits, Outcome


@attrs.frozen(kw_only=True)
class RunResults:
    """Who made the model, what was asked of the planners, and a row for each of them."""

    learner: str  # with the apply module, if one was trained
    updates: int  # gradient updates that were made
    precision: str | None = None  # of the arithmetic of training; None if nothing was trained by gradient
    effects: EffectSource  # where they come from
    preconditions: str  # the learner of preconditions
    domain: str
    model: str  # that plans were made with: learned, lifted or repaired
    limits: Limits
    length: int  # of the shortest plans of instances, where the domain knows it
    known_pictures: float  # fraction of the pictures of instances that learning has seen
    known_states: float  # the same of their states
    planners: Mapping[str, PlannerResults]
    findings: tuple[Finding, ...] = ()  # what speaks against the plans, where nobody judges them
    model_why: str = ""  # why they were made with this one, if there was a choice

    @property
    def records(self) -> list[PlanRecord]:
        """Return the record of every instance, planner after planner."""
        return [record for row in self.planners.values() for record in row.records]

    @property
    def best(self) -> PlanRecord | None:
        """Return the plan to show first."""
        return best_plan(self.records)

    @property
    def all_doubtful(self) -> bool:
        """Return whether there are plans that nobody judges, and pairs speak against every one of them."""
        found = [record for record in self.records if record.found]
        return bool(found) and all(record.doubtful for record in found)

    @property
    def crashed(self) -> int:
        """Return how many searches crashed."""
        return sum(row.outcomes.get(Outcome.CRASHED, 0) for row in self.planners.values())
