"""A planning task in lifted PDDL, beside the equivalent grounded task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from cubespace.base.arrays import Bits
from cubespace.lifting.grounding import Grounded
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pddl import write_lifted_domain, write_lifted_problem

if TYPE_CHECKING:
    from cubespace.symbols.strips import Task


@attrs.frozen(eq=False, kw_only=True)
class LiftedTask:
    """The texts of domain and problem, and which actions of the grounded model a call of a schema may be.

    A call such as ``(press b1)`` may be several actions; the state decides which. ``plain`` says that no quantifier and
    no conditional effect is needed: then every search of a planner can be used on its translation.
    """

    domain: str
    problem: str
    actions: Mapping[str, tuple[int, ...]]
    plain: bool

    def read_plan(self, task: Task, text: str) -> list[int]:
        """Return the actions of a plan file in the grounded task; a ValueError names a step that is not an action."""
        state, plan = task.init, list[int]()
        for line in text.splitlines():
            call = " ".join(line.partition(";")[0].lower().split())
            if not call:
                continue
            steps = ((row, task.model.execute(state, [row])) for row in self.actions.get(call, ()))
            row, trace = next(((row, trace) for row, trace in steps if trace is not None), (None, None))
            if row is None or trace is None:
                raise ValueError(f"'{call[:80]}' in the plan is not an action that can be applied")
            plan.append(row)
            state = trace[-1]
        return plan


def lifted_task(model: LiftedModel, grounded: Grounded, init: Bits, goal: Bits) -> LiftedTask:
    """Return the task that leads from one state to another."""
    actions: dict[str, tuple[int, ...]] = {}
    for row, call in enumerate(grounded.calls):
        actions[call] = (*actions.get(call, ()), row)
    return LiftedTask(
        domain=write_lifted_domain(model),
        problem=write_lifted_problem(model, init, goal),
        actions=actions,
        plain=not any(schema.flips or schema.forbidden for schema in model.schemas),
    )


def write_lifted_plan(grounded: Grounded, plan: Iterable[int]) -> str:
    """Return a plan of grounded actions as calls of schemas, in the format that planners write and VAL reads."""
    return "".join(f"{grounded.calls[row]}\n" for row in plan)
