"""What must not be the case elsewhere: other variables that are never at a value which an event leaves or takes.

A disk does not move while a smaller one is on its peg, or on the peg it would go to. This is a relation between two
variables, the one that changes and the one in its way, found in the transitions.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices
from cubespace.lifting.forms import Examples
from cubespace.lifting.variables import ACCIDENTS, Observed


@attrs.frozen(eq=False, kw_only=True)
class Context:
    """Variables that must not have some of the values that an event is about."""

    variable: int  # the variable parameter that others block
    values: tuple[int, ...]  # the value parameters that a blocking variable must not have
    blocks: Bits  # (variables, variables): [e, d] if e blocks d
    certain: int  # blocking pairs that chance does not explain
    assumed: int  # blocking pairs that were just never seen otherwise

    @property
    def total_order(self) -> bool:
        """Return whether of any two variables exactly one blocks the other, without cycles."""
        count = len(self.blocks)
        return sorted(self.blocks.sum(0).tolist()) == list(range(count))


def find_context(observed: Observed, named: Indices, examples: Examples, level: float) -> Context | None:
    """Return what blocks the events of a form with a single variable, or None if nothing does.

    For each pair of variables: how often would the one have had a value that an event of the other is about, if it had
    not mattered? If it never had, although chance had to be expected to bring it about, it blocks. Once there is such a
    relation, it holds for every pair that was never seen otherwise: rare events show few of their exceptions.
    """
    form = examples.form
    if form.variables != 1:
        return None
    count = named.shape[1]
    expected, violated = np.zeros((2, count, count))
    for row, event in zip(examples.arguments, examples.event, strict=True):
        values, changed = row[: form.values], int(row[form.values])
        able = named[:, changed] == values[form.changes[0][1]]
        shown = observed.event == event
        for value in values.tolist():
            share = (named[able] == value).mean(0)  # (variables,)
            expected[:, changed] += share * shown.sum()
            violated[:, changed] += (named[shown] == value).sum(0)
    others = ~np.eye(count, dtype=np.bool_)
    never = (violated <= ACCIDENTS * expected) & others
    certain = never & (expected > math.log(count * (count - 1) / level))
    if not certain.any():
        return None
    return Context(
        variable=0,
        values=tuple(range(form.values)),
        blocks=never,
        certain=int(certain.sum()),
        assumed=int((never & ~certain).sum()),
    )
