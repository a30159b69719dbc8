"""The model that instances are planned with: the learned one, the lifted one, or the learned one repaired by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.errors import UsageError
from cubespace.lifting.grounding import Grounded, ground
from cubespace.lifting.model import LiftedModel, read_record
from cubespace.lifting.task import lifted_task
from cubespace.runs.folder.contents import RunContents
from cubespace.search.solver import SearchProblem
from cubespace.settings.stages import LIFTING
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

    def told(self, problem: SearchProblem) -> SearchProblem:
        """Return a problem with its task in lifted PDDL, if that says all of both states."""
        if self.lifted is None or self.grounded is None:
            return problem
        if not (self.lifted.known(problem.init) and self.lifted.known(problem.goal)):
            return problem
        task = lifted_task(self.lifted, self.grounded, problem.init, problem.goal)
        return attrs.evolve(problem, lifted=task)


def planned_run(pipeline: RunContents) -> Planned:
    """Return the model that the settings of a run ask for."""
    wanted, strips = pipeline.run.config.plan.model, pipeline.strips()
    if wanted == "learned":
        return Planned(name="learned", strips=strips)
    seen = pipeline.bits()["train"]
    planned = planned_with(wanted, pipeline.table(LIFTING), strips, np.concatenate([seen.before, seen.after]))
    if planned.name == "learned":
        pipeline.observer.say("evaluate: the lifted model does not pass its checks: plans are those of the learned one")
    return planned


def planned_with(wanted: Choice, record: Mapping[str, Any], learned: StripsModel, seen: Bits) -> Planned:
    """Return the model by what the stage ``lift`` recorded; ``seen`` are the states of the training split."""
    reason = _unfit(record)
    if wanted == "repaired" and (reason is not None or not record["checks"]["passed"]):
        return Planned(name="learned", strips=learned)
    if reason is not None:
        raise UsageError(f"{reason}: plan with the learned model, plan.model=learned")
    model = read_record(record["model"])
    grounded = ground(model)
    strips = attrs.evolve(grounded.model, mutexes=find_mutexes(grounded.model, seen), groups=learned.groups)
    if wanted == "repaired":
        return Planned(name="repaired", strips=strips)
    return Planned(name="lifted", strips=strips, lifted=model, grounded=grounded)


def _unfit(record: Mapping[str, Any]) -> str | None:
    """Return why no plans can be made with the lifted model of a run, or None."""
    if not record["lifted"]:
        return f"this world was not lifted ({'; '.join(record['reasons'])})"
    if record["source"] != "encoder":
        return "the objects of this run were found in redrawn pictures, and its bits do not say which is where"
    return None
