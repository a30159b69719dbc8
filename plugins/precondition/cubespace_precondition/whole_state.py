"""The rule of AMA1: an action may be done in the very states in which it was seen, and nowhere else."""

from __future__ import annotations

import numpy as np

from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions


class WholeState(PreconditionLearner):
    """Requires all bits of the state: one conjunction for each state in which an action was seen."""

    revision = 1

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return the distinct states of each action.

        With three bits: an action that was seen in 010 and 011 has the conjunctions (not z0, z1, not z2) and
        (not z0, z1, z2).
        """
        rows = np.unique(np.concatenate([evidence.action[:, None], evidence.before], axis=1), axis=0)
        states = rows[:, 1:].astype(np.bool_)
        return Preconditions(action=rows[:, 0].astype(np.intp), positive=states, negative=~states)
