"""The paper's rule."""

from __future__ import annotations

from cubespace.preconditions import Evidence, PreconditionLearner, Preconditions


class Static(PreconditionLearner):
    """Needs every literal that held in all examples; a rare action then needs much that held by chance."""

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return the static literals."""
        return Preconditions.of(evidence.static())
