"""What the paper's theorems say about the space that a run has learned."""

from __future__ import annotations

import attrs
import numpy as np

from cubespace.base.arrays import Bits, apply_effect, distinct_rows, step_keys
from cubespace.learning.code import Code
from cubespace.runs.folder.contents import RunContents
from cubespace.symbols.strips import StripsModel
from cubespace.theory.cube_like_graph import GraphNumbers, graph_numbers

STATES = 2000  # of the training split, on which the network is compared with its masks and the model's degree is taken


@attrs.frozen(kw_only=True)
class TheoryNumbers(GraphNumbers):
    """The numbers of Theorem 1 in the training transitions, those of the model, and whether Theorem 2 holds."""

    labels: int | None  # that the network uses; None where no actions were learned
    actions: int  # of the STRIPS model
    model_degree: int  # most successors of a training state in the model
    theorem_2: bool | None  # None: the apply module is not STRIPS-like


def theory_numbers(run: RunContents) -> TheoryNumbers:
    """Count in what a run has learned."""
    code, model, bits = run.code(), run.strips(), run.bits()["train"]
    states = distinct_rows(bits.before)[:STATES]
    return TheoryNumbers(
        **attrs.asdict(graph_numbers(bits.before, bits.after)),
        labels=None if code.actions is None else len(np.unique(code.actions.label(bits.before, bits.after))),
        actions=model.actions,
        model_degree=model_degree(model, states),
        theorem_2=theorem_2(code, states),
    )


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
