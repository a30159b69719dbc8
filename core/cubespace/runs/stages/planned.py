"""The model that instances are planned with: the learned one, the lifted one, or the learned one repaired by it."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np

from cubespace.base.arrays import Bits
from cubespace.base.errors import UsageError
from cubespace.evaluation.precision_record import Precision
from cubespace.lifting.checks import Checks, LearnedCheck
from cubespace.lifting.grounding import Grounded, ground
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.task import lifted_task
from cubespace.runs.folder.contents import RunContents
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.search.solver import SearchProblem
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.strips import StripsModel

Choice = Literal["learned", "lifted", "repaired", "auto"]
Name = Literal["learned", "lifted", "repaired"]

WORDS = {"learned": "learned model", "lifted": "lifted model", "repaired": "lifted model, grounded again"}


@attrs.frozen(eq=False, kw_only=True)
class Planned:
    """A STRIPS model and, if planners may be given lifted PDDL, the lifted model that it was grounded from."""

    name: Name
    strips: StripsModel
    why: str = ""  # why it was chosen, if there was a choice
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


def announced_model(run: RunContents) -> Planned:
    """Return the model that plans are made with, and say why it is that one."""
    planned = planned_run(run)
    if planned.why:
        run.observer.say(f"evaluate: {planned.why}")
    return planned


def planned_run(contents: RunContents) -> Planned:
    """Return the model that the settings of a run ask for."""
    choice, strips = contents.run.config.plan.model, contents.strips()
    if choice == "learned":
        return Planned(name="learned", strips=strips)
    record, seen = contents.lifting(), contents.bits()["train"]
    name, why = choose(choice, record, contents.extraction().precision)
    planned = planned_with(name, record, strips, np.concatenate([seen.before, seen.after]))
    return attrs.evolve(planned, why=f"planned with the {WORDS[name]}: {why}")


def choose(choice: Choice, record: LiftingRecord, precision: Precision | None = None) -> tuple[Name, str]:
    """Return which model a choice stands for, and why, given the record of the stage ``lift``.

    *auto* takes the lifted model, grounded again, if it passes its checks and is better: it explains more held-out or
    training pairs, or pairs speak against the learned one: by the same checks, or by the ``precision`` of that one,
    where it has steps that the lifted one lacks. Of equals, it takes the learned one, which generalises less.
    """
    if choice in ("learned", "lifted"):
        return choice, "the settings say so"
    reason = _unfit(record)
    if reason is not None:
        return "learned", reason
    checks = record.checks
    if checks is None or checks.learned is None or not checks.passed:
        failures = () if checks is None else checks.failures
        return "learned", f"the lifted one does not pass its checks: {'; '.join(failures)}"
    return ("repaired", "it passes its checks") if choice == "repaired" else _better(checks, checks.learned, precision)


def _better(checks: Checks, learned: LearnedCheck, precision: Precision | None) -> tuple[Name, str]:
    """Return the better of the learned model and a lifted one that passes its checks, and why."""
    for split, own, other in (
        ("held-out", checks.held_out, learned.held_out),
        ("training", checks.training, learned.training),
    ):
        if own.explained > other.explained:
            counts = f"{own.explained} of {own.transitions} {split} pairs, the learned one {other.explained}"
            return "repaired", f"it explains {counts}, and nothing speaks against it"
    if learned.refutation is not None and not learned.refutation.stands:
        return "repaired", f"the learned one is too general: {learned.refutation.words}"
    if precision is not None and precision.clearest is not None and learned.missing:
        return "repaired", f"pairs speak against the learned one, which has steps of its own: {precision.words}"
    explained = f"{learned.held_out.explained} of {learned.held_out.transitions} held-out pairs"
    return "learned", f"both explain {explained}, and nothing speaks against either"


def planned_with(name: Name, record: LiftingRecord, learned: StripsModel, seen: Bits) -> Planned:
    """Return a model, given the record of the stage ``lift`` and the states of the training split."""
    if name == "learned":
        return Planned(name="learned", strips=learned)
    model, reason = record.model, _unfit(record)
    if model is None or reason is not None:
        raise UsageError(f"{reason}: plan with the learned model, plan.model=learned")
    refutation = None if record.checks is None else record.checks.refutation
    if refutation is not None and not refutation.stands:
        raise UsageError(
            f"the lifted model is too general: {refutation.words}: plan with the learned model, plan.model=learned"
        )
    grounded = ground(model)
    strips = attrs.evolve(grounded.model, mutexes=find_mutexes(grounded.model, seen), groups=learned.groups)
    if name == "repaired":
        return Planned(name="repaired", strips=strips)
    return Planned(name="lifted", strips=strips, lifted=model, grounded=grounded)


def _unfit(record: LiftingRecord) -> str | None:
    """Return why no plans can be made with the lifted model of a run, or None."""
    if not record.lifted:
        return f"this world was not lifted ({'; '.join(record.reasons)})"
    if record.source != "encoder":
        return "the objects of this run were found in redrawn pictures, and its bits do not say which is where"
    return None
