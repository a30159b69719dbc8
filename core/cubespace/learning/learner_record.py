"""Which learner made a model, and how: what is said at the moment of use and kept in ``learner.json``."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from cubespace.base.options import parse_spec
from cubespace.learning.choice import Candidate, refusal
from cubespace.learning.code import Training
from cubespace.learning.measures import Measures
from cubespace.learning.registration.record import RegistrationRecord

USUAL_PRECISION = "float32"  # any other is named


@attrs.frozen(kw_only=True)
class LearnerRecord:
    """The learner of a run and all that were tried."""

    learner: str  # spec
    method: str  # what it does, in a few words
    bits: int
    labels: int | None  # of actions; None where none were learned
    variables: int | None  # groups of bits; None where bits are independent
    training: Training | None = None  # None: nothing was trained by gradient
    candidates: tuple[Candidate, ...] = ()
    doubt: str = ""
    registration: RegistrationRecord | None = None  # None: it was not asked whether the camera moves

    @property
    def updates(self) -> int:
        """Return the gradient updates that were made."""
        return 0 if self.training is None else self.training.updates

    @property
    def precision(self) -> str | None:
        """Return the arithmetic of the training; None if nothing was trained by gradient."""
        return None if self.training is None else self.training.precision

    @property
    def before_rewriting(self) -> Mapping[str, Measures]:
        """Return how good a network that was rewritten was as it was trained, by split; nothing for any other code."""
        return {} if self.training is None else self.training.before_rewriting or {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what went wrong with the choice: learners that broke down, and that no quick one fits."""
        broken = tuple(f"passed over: {each.reason}" for each in self.candidates if each.failed)
        if not self.candidates or any(each.fits for each in self.candidates):
            return broken
        return (*broken, f"{refusal(self.candidates)}; so a network was trained by gradient")

    @property
    def title(self) -> str:
        """Return the learner and, where one was trained, the apply module: ``places`` or ``autoencoder, btl``."""
        return title(self.learner, {} if self.training is None else self.training.parts)

    @property
    def summary(self) -> str:
        """Return one sentence: who made the model, and whether anything was trained."""
        trained = "no gradient training" if self.training is None else f"{self.updates:,} gradient updates"
        if self.training is not None:
            trained += "" if self.training.precision == USUAL_PRECISION else f" in {self.training.precision}"
            trained += ", then rewritten" if self.training.rewritten else ""
            parts = outline_parts(self.training.parts)
            trained += f"; {parts}" if parts else ""
        return f"learner {self.title}: {self.method or 'a bit learner'} ({trained})"


def title(learner: str, parts: Mapping[str, str]) -> str:
    """Return a learner and, if it is put together from parts with an apply module, that: ``autoencoder, btl``."""
    return ", ".join([learner, *([parts["apply"]] if "apply" in parts else [])])


def outline_parts(parts: Mapping[str, str]) -> str:
    """Return the parts that decide how a network learns: ``labels by head, objective paper, decoder mlp``."""
    words = {"action": "labels by", "objective": "objective", "decoder": "decoder"}
    return ", ".join(f"{word} {parse_spec(parts[kind]).name}" for kind, word in words.items() if kind in parts)
