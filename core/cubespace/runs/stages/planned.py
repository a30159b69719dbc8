"""The model that instances are planned with: the learned one, the lifted one, or the learned one repaired by it."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.errors import UsageError
from cubespace.lifting.grounding import Grounded, ground
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.task import lifted_task
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.search.solver import SearchProblem
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.strips import StripsModel

Choice = Literal["learned", "lifted", "repaired"]


@attrs.frozen(eq=False, kw_only=True)
class Planned:
    """A STRIPS model and, if planners may be given lifted PDDL, the lifted model that it was grounded from."""

    name: Choice
    strips: StripsModel
    lifted: LiftedModel | None = None
    grounded: Grounded | None = None

    def with_lifted_task(self, problem: SearchProblem) -> SearchProblem:
        """Return a problem with its task in lifted PDDL too, if the lifted model describes both states completely."""
        if self.lifted is None or self.grounded is None:
            return problem
        if not (self.lifted.known(problem.init) and self.lifted.known(problem.goal)):
            return problem
        task = lifted_task(self.lifted, self.grounded, problem.init, problem.goal)
        return attrs.evolve(problem, lifted=task)


def planned_run(contents: RunContents) -> Planned:
    """Return the model that the settings of a run ask for."""
    choice, strips = contents.run.config.plan.model, contents.strips()
    if choice == "learned":
        return Planned(name="learned", strips=strips)
    seen = contents.bits()["train"]
    planned = planned_with(choice, contents.lifting(), strips, np.concatenate([seen.before, seen.after]))
    if planned.name == "learned":
        contents.observer.say("evaluate: the lifted model does not pass its checks: plans are those of the learned one")
    return planned


def planned_with(choice: Choice, record: LiftingRecord, learned: StripsModel, seen: Bits) -> Planned:
    """Return the model of a choice, given the record of the stage ``lift`` and the states of the training split."""
    model, reason = record.model, _unfit(record)
    passed = record.checks is not None and bool(record.checks.passed)
    if choice == "repaired" and (reason is not None or not passed):
        return Planned(name="learned", strips=learned)
    if model is None or reason is not None:
        raise UsageError(f"{reason}: plan with the learned model, plan.model=learned")
    grounded = ground(model)
    strips = attrs.evolve(grounded.model, mutexes=find_mutexes(grounded.model, seen), groups=learned.groups)
    if choice == "repaired":
        return Planned(name="repaired", strips=strips)
    return Planned(name="lifted", strips=strips, lifted=model, grounded=grounded)


def _unfit(record: LiftingRecord) -> str | None:
    """Return why no plans can be made with the lifted model of a run, or None."""
    if not record.lifted:
        return f"this world was not lifted ({'; '.join(record.reasons)})"
    if record.source != "encoder":
        return "the objects of this run were found in redrawn pictures, and its bits do not say which is where"
    return None
