"""What must not be in the way: other variables that never have a value which an event leaves or takes.

A disk does not move while a smaller one is on its peg, or on the peg it would go to. This is a relation between two
variables, the one that changes and the one in its way, found in the transitions.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.criteria import Criteria
from cubespace.lifting.forms import Examples
from cubespace.lifting.variables import Observed


@attrs.frozen(eq=False, kw_only=True)
class Context:
    """Which variables must not have the values that an event is about."""

    variable: int  # the variable parameter that others block
    values: tuple[int, ...]  # the value parameters that a blocking variable must not have
    blocks: Bits  # (variables, variables): [e, d] if e blocks d
    certain: int  # blocking pairs that chance does not explain
    assumed: int  # blocking pairs that were never seen otherwise, which may be chance

    @property
    def total_order(self) -> bool:
        """Return whether of any two variables exactly one blocks the other, without cycles."""
        count = len(self.blocks)
        return sorted(self.blocks.sum(0).tolist()) == list(range(count))


def find_context(observed: Observed, named: Indices, examples: Examples, criteria: Criteria) -> Context | None:
    """Return what blocks the events of a form with a single variable, or None if nothing does.

    For each pair of variables: how often would the one have had a value that an event of the other is about, if it did
    not matter? If it never had, although chance would have brought it about, it blocks. Once there is such a relation,
    it holds for every pair that was never seen otherwise: rare events show few of their exceptions.
    """
    form = examples.form
    if form.variables != 1:
        return None
    count = named.shape[1]
    expected, violated = np.zeros((2, count, count))
    for row, event in zip(examples.arguments, examples.event, strict=True):
        values, changed = row[: form.values], int(row[form.values])
        possible = named[:, changed] == values[form.changes[0][1]]
        shown = observed.event == event
        for value in values.tolist():
            share = (named[possible] == value).mean(0)  # (variables,)
            expected[:, changed] += share * shown.sum()
            violated[:, changed] += (named[shown] == value).sum(0)
    others = ~np.eye(count, dtype=np.bool_)
    never = (violated <= criteria.accident_rate * expected) & others
    certain = never & (expected > math.log(count * (count - 1) / criteria.level))
    if not certain.any():
        return None
    return Context(
        variable=0,
        values=tuple(range(form.values)),
        blocks=never,
        certain=int(certain.sum()),
        assumed=int((never & ~certain).sum()),
    )
