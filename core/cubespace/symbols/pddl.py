"""PDDL: the exchange format. Propositions are ``(z0)``, ``(z1)``, …, one per bit; actions have no parameters.

Some planners do not support negative preconditions. For these, every bit has a second proposition ``(n0)``, ``(n1)``, …
that is true where the bit is false, and actions keep the two complementary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cubespace.base.arrays import Bits
from cubespace.symbols.strips import StripsModel, Task

DOMAIN = "cubespace"


def write_domain(model: StripsModel, *, negation: bool = True) -> str:
    """Return the domain; without ``negation`` it is in plain STRIPS with complementary propositions."""
    said = _Words(model.bits, negation)
    costs = not model.unit_cost
    requirements = ":strips" + " :negative-preconditions" * negation + " :action-costs" * costs
    lines = [
        f"(define (domain {DOMAIN})",
        f"  (:requirements {requirements})",
        f"  (:predicates {' '.join(said.propositions)})",
        *(["  (:functions (total-cost) - number)"] if costs else []),
    ]
    for action, name in enumerate(model.names):
        effect = said.change(model.add[action], model.delete[action])
        if costs:
            effect.append(f"(increase (total-cost) {model.cost[action]})")
        lines += [
            f"  (:action {name}",
            "    :parameters ()",
            f"    :precondition {_conjunction(said.condition(model.positive[action], model.negative[action]))}",
            f"    :effect {_conjunction(effect)})",
        ]
    return "\n".join([*lines, ")", ""])


def write_problem(task: Task, *, negation: bool = True) -> str:
    """Return the problem that belongs to ``write_domain`` with the same ``negation``."""
    said = _Words(task.model.bits, negation)
    init = [*said.state(task.init), *([] if task.model.unit_cost else ["(= (total-cost) 0)"])]
    goal = said.condition(task.goal & task.care, ~task.goal & task.care)
    lines = [
        "(define (problem instance)",
        f"  (:domain {DOMAIN})",
        f"  (:init {' '.join(init)})",
        f"  (:goal {_conjunction(goal)})",
        *([] if task.model.unit_cost else ["  (:metric minimize (total-cost))"]),
    ]
    return "\n".join([*lines, ")", ""])


def write_plan(steps: Iterable[str]) -> str:
    """Return a plan, given by the names of its steps, in the format that planners write and VAL reads."""
    return "".join(f"({name})\n" for name in steps)


def read_plan(model: StripsModel, text: str) -> list[int]:
    """Return the actions of a plan file; comments begin with ";". A ValueError names a line that is not an action."""
    rows = {name: row for row, name in enumerate(model.names)}
    plan = []
    for line in text.splitlines():
        words = line.partition(";")[0].strip()
        if not words:
            continue
        name = words.removeprefix("(").removesuffix(")").strip().lower()
        if words[0] != "(" or words[-1] != ")" or name not in rows:
            raise ValueError(f"'{words[:80]}' in the plan is not an action of the model")
        plan.append(rows[name])
    return plan


class _Words:
    """How literals are written."""

    def __init__(self, bits: int, negation: bool) -> None:
        true = [f"(z{bit})" for bit in range(bits)]
        # some parsers refuse an empty conjunction: where nothing is needed, plain STRIPS names this proposition
        self.given = [] if negation else ["(given)"]
        self.propositions = true + ([] if negation else [f"(n{bit})" for bit in range(bits)]) + self.given
        self.true = np.array(true, dtype=object)
        self.false = np.array(
            [f"(not {name})" if negation else f"(n{bit})" for bit, name in enumerate(true)], dtype=object
        )
        self.negation = negation

    def condition(self, true: Bits, false: Bits) -> list[str]:
        return [*self.true[true], *self.false[false]] or self.given

    def change(self, add: Bits, delete: Bits) -> list[str]:
        if self.negation:
            return [*self.true[add], *self.false[delete]]
        gone = [f"(not {name})" for name in (*self.false[add], *self.true[delete])]
        return [*self.true[add], *self.false[delete], *gone]

    def state(self, state: Bits) -> list[str]:
        return [*self.true[state]] if self.negation else [*self.true[state], *self.false[~state], *self.given]


def _conjunction(parts: Sequence[str]) -> str:
    return f"(and {' '.join(parts)})" if parts else "(and)"
