"""The STRIPS model: propositions are bits, actions are rows of masks; everything works on batches of states."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.bool_]  # (batch, bits), or (actions, bits) where it is a mask
Indices = NDArray[np.intp]


def _masks(value: object) -> Bits:
    return np.ascontiguousarray(value, dtype=np.bool_)


@attrs.frozen(eq=False, kw_only=True)
class StripsModel:
    """Actions over propositional states.

    Row ``a`` of each mask belongs to action ``a``: bits it adds, bits it deletes, bits that must be true and bits that must
    be false before it. ``support`` counts the training transitions that showed the effect.
    """

    names: Sequence[str]
    add: Bits = attrs.field(converter=_masks)  # (actions, bits)
    delete: Bits = attrs.field(converter=_masks)  # (actions, bits)
    positive: Bits = attrs.field(converter=_masks)  # (actions, bits)
    negative: Bits = attrs.field(converter=_masks)  # (actions, bits)
    support: Indices  # (actions,)
    cost: Indices  # (actions,)

    def __attrs_post_init__(self) -> None:
        """Refuse contradictions: they would mean different things to different planners."""
        for mask in (self.delete, self.positive, self.negative):
            if mask.shape != self.add.shape:
                raise ValueError(f"masks of different shapes: {self.add.shape} and {mask.shape}")
        if len(self.names) != len(self.add) or len(set(self.names)) != len(self.names):
            raise ValueError("action names must be unique, one per action")
        if (self.add & self.delete).any() or (self.positive & self.negative).any():
            raise ValueError("an action adds and deletes, or wants and forbids, the same bit")

    @property
    def bits(self) -> int:
        """Return the number of propositions."""
        return self.add.shape[1]

    @property
    def actions(self) -> int:
        """Return the number of actions."""
        return self.add.shape[0]

    def applicable(self, states: Bits) -> Bits:
        """Return whether each action can be applied in each state, as (batch, actions)."""
        # counting violated literals as one matrix product is far faster than comparing all pairs of rows
        violated = (~states).astype(np.float32) @ self.positive.T.astype(np.float32)
        violated += states.astype(np.float32) @ self.negative.T.astype(np.float32)
        return violated == 0

    def apply(self, states: Bits, actions: Indices) -> Bits:
        """Return the successor of each state under the action of the same row, applicable or not."""
        return (states & ~self.delete[actions]) | self.add[actions]

    def execute(self, state: Bits, plan: Sequence[int]) -> Bits | None:
        """Return the states along a plan, (steps + 1, bits), or None if a step is not applicable."""
        trace = [state]
        for action in plan:
            row = trace[-1][None]
            held = row[0, self.positive[action]].all() and not row[0, self.negative[action]].any()
            if not held:
                return None
            trace.append(self.apply(row, np.array([action]))[0])
        return np.stack(trace)


@attrs.frozen(eq=False)
class Task:
    """A model with an initial state and a goal; a goal bit that is not cared about is False in ``care``."""

    model: StripsModel
    init: Bits  # (bits,)
    goal: Bits  # (bits,)
    care: Bits = attrs.field()  # (bits,)

    @care.default
    def _all(self) -> Bits:
        return np.ones_like(self.goal)

    def reached(self, state: Bits) -> bool:
        """Return whether the goal holds in a state."""
        return bool(((state == self.goal) | ~self.care).all())

    def solved_by(self, plan: Sequence[int]) -> bool:
        """Return whether the plan can be executed from the initial state and ends in the goal."""
        trace = self.model.execute(self.init, plan)
        return trace is not None and self.reached(trace[-1])
