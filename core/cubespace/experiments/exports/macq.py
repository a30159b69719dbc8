"""Training transitions as the CSV that macq loads: a column per bit, the action, and the trace that a line belongs to.

``macq.generate.csv.load(file, "action", "trace")`` reads it. A transition is a trace of two states.
"""

from __future__ import annotations

import numpy as np

from cubespace.base.arrays import Bits, Indices, row_keys
from cubespace.symbols.effects import differences
from cubespace.symbols.strips import StripsModel

ACTION, TRACE = "action", "trace"
NO_ACTION = "end"  # of the last state of a trace: macq requires a name in every line


def macq_csv(before: Bits, after: Bits, model: StripsModel) -> tuple[str, int]:
    """Return the CSV of transitions, and how many are left out because no action of the model explains them."""
    actions = explaining_actions(before, after, model)
    head = ",".join([TRACE, ACTION, *(f"z{bit}" for bit in range(model.bits))])
    lines = [head]
    for number in np.flatnonzero(actions >= 0):
        for name, state in ((model.names[actions[number]], before[number]), (NO_ACTION, after[number])):
            lines.append(",".join([str(number), name, *np.where(state, "1", "0")]))
    return "\n".join(lines) + "\n", int((actions < 0).sum())


def explaining_actions(before: Bits, after: Bits, model: StripsModel) -> Indices:
    """Return for each transition the first action that applies and has exactly its effect, or -1."""
    effects = differences(before, after)
    of_model = row_keys(np.concatenate([model.add, model.delete], axis=1))
    actions = np.full(len(before), -1, dtype=np.intp)
    for effect, key in enumerate(row_keys(np.concatenate([effects.add, effects.delete], axis=1))):
        shown = np.flatnonzero(effects.action == effect)
        for action in (row for row, known in enumerate(of_model) if known == key):
            left = shown[actions[shown] < 0]
            states = before[left]
            holds = states[:, model.positive[action]].all(1) & ~states[:, model.negative[action]].any(1)
            actions[left[holds]] = action
    return actions
