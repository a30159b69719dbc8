"""Static literals that chance does not explain."""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, gt, le

from cubespace.base.arrays import literals
from cubespace.base.options import option
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions


@attrs.frozen(kw_only=True)
class SignificantOptions:
    """How unlikely it must be that a literal holds in all examples by chance."""

    threshold: float = option(
        1e-2, "a literal is kept if chance explains it with a probability below this", and_(gt(0), le(1))
    )


class Significant(PreconditionLearner):
    """Requires what the effect implies, and static literals too infrequent to hold in all n examples by chance."""

    revision = 1
    Options = SignificantOptions
    options: SignificantOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return implied and significant static literals."""
        frequency = literals(evidence.before).mean(0)  # (2 bits,)
        chance = frequency[None] ** evidence.support[:, None]  # (actions, 2 bits)
        kept = evidence.static() & (chance < self.options.threshold)
        return Preconditions.of(np.asarray(evidence.implied() | kept, dtype=np.bool_))
