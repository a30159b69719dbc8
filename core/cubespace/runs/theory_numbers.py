"""What the paper's theorems say about the space that a run has learned."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from cubespace.base.arrays import Bits, apply_effect, distinct_rows, step_keys
from cubespace.learning.code import Code
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.symbols.strips import StripsModel
from cubespace.theory.cube_like_graph import graph_numbers

STATES = 2000  # of the training split, on which the network is compared with its masks and the model's degree is taken


def theory_numbers(pipeline: Pipeline) -> dict[str, Any]:
    """Return the numbers of Theorem 1, of the training transitions and of the model, and whether Theorem 2 holds."""
    code, model, bits = pipeline.code(), pipeline.strips(), pipeline.bits()["train"]
    before, after = bits.before, bits.after
    numbers: dict[str, Any] = attrs.asdict(graph_numbers(before, after))
    states = distinct_rows(before)[:STATES]
    numbers["labels"] = None if code.actions is None else len(np.unique(code.actions.label(before, after)))
    numbers["actions"] = model.actions
    numbers["model_degree"] = model_degree(model, states)
    numbers["theorem_2"] = theorem_2(code, states)
    return numbers


def model_degree(model: StripsModel, states: Bits) -> int:
    """Return the most successors that the model has for one of the states."""
    rows, actions = np.nonzero(model.applicable(states))
    after = model.apply(states[rows], actions)
    _, first = np.unique(step_keys(rows, after), return_index=True)
    return int(np.bincount(rows[first], minlength=1).max())


def theorem_2(code: Code, states: Bits) -> bool | None:
    """Return whether every label of the network sets the same bits in all states; None if it has no such effects."""
    actions = code.actions
    if actions is None or not actions.strips:
        return None
    add, delete = actions.effects()
    for label in range(actions.count):
        after = actions.successors(states, np.full(len(states), label))
        if (after != apply_effect(states, add[label], delete[label])).any():
            return False
    return True
