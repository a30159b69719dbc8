"""The measures of a code on one split, as they are kept in files."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Measures:
    """Measures of one split; fractions are from 0 to 1. What needs learned actions is None where there are none."""

    transitions: int
    reconstruction: float  # Rec: mean squared error of x0
    successor: float | None  # Succ: mean squared error of x1 by way of the action
    direct: float | None  # Direct: mean absolute error of the predicted bits
    exact: float | None  # fraction of transitions whose bits are predicted without any error
    total: float | None  # the paper's total loss: mean squared errors of x0, x1 and x1 by way of the action, and Direct
    differences: int  # |D|: distinct pairs (z1 - z0, z0 - z1)
    actions: int | None  # distinct labels that are given
    live_bits: int  # bits that are neither always true nor always false
    stable_bits: float  # fraction of bits that pixel noise leaves as they are
    stable_states: float  # fraction of states of which it leaves every bit as it is
    covered: float | None  # fraction of transitions whose difference occurs in the training split
    possible: float | None = None  # fraction of transitions that the discriminator takes for possible …
    possible_random: float | None = None  # … and of those made by random actions from the same states
    discriminator_f: float | None = None  # F measure of telling the two apart; some random ones are possible

    @property
    def authors_loss(self) -> float | None:
        """Return what the paper's authors choose among trainings by: the mean of Rec and Succ, plus Direct."""
        if self.successor is None or self.direct is None:
            return None
        return (self.reconstruction + self.successor) / 2 + self.direct


@attrs.frozen(kw_only=True)
class HeldOutMeasures:
    """The measures of the splits from which nothing is learned: what ``measures.json`` holds."""

    validation: Measures
    test: Measures
