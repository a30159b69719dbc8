"""The choice between learners: every quick one is tried, and held-out pairs decide."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import attrs

from cubespace.base.errors import CubeError
from cubespace.base.numbers import fixed
from cubespace.base.words import listed
from cubespace.learning.bit_learner import BitLearner, Unsuitable, Work
from cubespace.learning.code import Code
from cubespace.learning.contract_check import check_code
from cubespace.learning.trial import Trial, try_code
from cubespace.settings.recipe import LearnerConfig

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs


DIGITS = 6  # of a description that are compared: sums of equal numbers in another order differ in the last ones

Guard = Callable[[BitLearner], AbstractContextManager[object]]  # names the learner that fails in its block


@attrs.frozen(kw_only=True)
class Candidate:
    """A learner that was tried, and how its code did on held-out pairs."""

    learner: str
    fits: bool
    seconds: float
    trial: Trial | None = None
    reason: str = ""  # why there is no code, or why the one there is does not fit
    failed: bool = False  # whether the learner itself broke down: that says nothing about the pictures

    @property
    def summary(self) -> str:
        """Return one line for the user."""
        if self.trial is None:
            return f"{self.learner}: not possible, {self.reason}"
        fit = "fits" if self.fits else f"does not fit, as {self.reason}"
        return (
            f"{self.learner}: {fit}, {self.trial.differences} differences, "
            f"covering {fixed(self.trial.coverage)} of held-out pairs, {self.trial.description:.2f} bits each, "
            f"residue {fixed(self.trial.residue)}, structure {fixed(self.trial.structure)}, {self.seconds} s"
        )


def refusal(candidates: Sequence[Candidate]) -> str:
    """Return why none of some learners was taken, in one line."""
    return "no quick learner fits these pictures: " + listed([f"{each.learner}: {each.reason}" for each in candidates])


@attrs.frozen(eq=False, kw_only=True)
class Choice:
    """The learner that was taken, its code, and all that were tried. No learner if none fits."""

    learner: str | None
    code: Code | None
    candidates: tuple[Candidate, ...] = ()


def choose_code(
    learners: Mapping[str, BitLearner],
    training: Pairs,
    held_out: Pairs,
    work: Work,
    config: LearnerConfig,
    guard: Guard = nullcontext,
) -> Choice:
    """Try learners, by spec, and take the one whose code describes held-out transitions in the fewest bits.

    Of codes that describe them equally well, the one with fewer bits is taken. A code is taken only if it fits: it
    lacks hardly anything that stays, and what was learned occurs again. A learner that fails is passed over; ``guard``
    says who it was.
    """
    tried = [_try(spec, learner, training, held_out, work, config, guard) for spec, learner in learners.items()]
    candidates = tuple(candidate for candidate, _ in tried)
    fitting = [(candidate, code) for candidate, code in tried if candidate.fits and code is not None]
    if not fitting:
        return Choice(learner=None, code=None, candidates=candidates)
    best, code = min(fitting, key=lambda pair: _description(pair[0]))
    return Choice(learner=best.learner, code=code, candidates=candidates)


def _description(candidate: Candidate) -> tuple[float, int]:
    """Return the bits that describe a transition, rounded so that equal codes are equal, and those of the code."""
    if candidate.trial is None:
        return float("inf"), 0
    return round(candidate.trial.description, DIGITS), candidate.trial.bits


def _try(
    spec: str,
    learner: BitLearner,
    training: Pairs,
    held_out: Pairs,
    work: Work,
    config: LearnerConfig,
    guard: Guard,
) -> tuple[Candidate, Code | None]:
    """Let one learner learn and score its code; one that has no code does not fit."""
    begun = time.perf_counter()
    try:
        with guard(learner):
            code = check_code(learner.learn(training, held_out, work), learner, training.before)
            trial = try_code(code, training, held_out)
    except CubeError as error:
        seconds, failed = round(time.perf_counter() - begun, 2), not isinstance(error, Unsuitable)
        return Candidate(learner=spec, fits=False, seconds=seconds, reason=str(error), failed=failed), None
    reason = code.doubt or trial.misfit(config)
    seconds = round(time.perf_counter() - begun, 2)
    return Candidate(learner=spec, fits=not reason, seconds=seconds, trial=trial, reason=reason), code
