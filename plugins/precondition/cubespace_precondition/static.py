"""The paper's rule: a precondition is every literal that held in all examples of the action."""

from __future__ import annotations

from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions


class Static(PreconditionLearner):
    """Requires every literal that held in all examples; for a rare action, many of these held only by chance."""

    revision = 1

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return the static literals."""
        return Preconditions.of(evidence.static())
