"""``lifting.json``: the lifted model with what was found and checked, or the reasons why there is none."""

from __future__ import annotations

from typing import Literal

import attrs

from cubespace.evaluation.diagnosis import Diagnosis
from cubespace.lifting.checks import Checks
from cubespace.lifting.lift import WorldKind
from cubespace.lifting.model import LiftedModel

# encoder: the bits of the run; redrawn: groups of pixels as the network redraws them; pixels: those of the pictures
Source = Literal["encoder", "redrawn", "pixels"]


@attrs.frozen(kw_only=True)
class LiftingRecord:
    """What the stage ``lift`` records."""

    lifted: bool  # whether there is a model
    source: Source  # where the variables come from
    kind: WorldKind = "none"
    reasons: tuple[str, ...] = ()  # why there is no model
    notes: tuple[str, ...] = ()  # what was left out or taken for granted
    variables: int = 0
    events: int = 0
    agreement: float | None = None  # of the names of values, around all cycles of variables
    forms: int = 0  # of events, before rare ones are left out
    schemas: dict[str, int] = attrs.field(factory=dict)  # different events of each
    objects: dict[str, int] = attrs.field(factory=dict)  # number of objects of each type
    static_facts: int = 0
    actions: int = 0  # of the grounded model
    never_seen: int = 0  # actions that no training transition shows
    unknown_facts: int = 0  # calls of schemas that are left out because no bit stands for one of their facts
    checks: Checks | None = None  # against the transitions and the learned model
    score: Diagnosis | None = None  # against the true moves, where the domain knows them
    model: LiftedModel | None = None

    def __attrs_post_init__(self) -> None:
        """Refuse a record that contradicts itself."""
        if self.lifted != (self.model is not None):
            raise ValueError(f"lifted is {self.lifted}, but there is {'a' if self.model else 'no'} model")

    @property
    def summary(self) -> str:
        """Return the result in one line."""
        if not self.lifted:
            return f"this world was not lifted: {'; '.join(self.reasons)}"
        schemas = ", ".join(self.schemas)
        objects = ", ".join(f"{name} {count}" for name, count in self.objects.items())
        unseen = f", {self.never_seen} of them never seen" if self.never_seen else ""
        score = ""
        if self.score is not None:
            score = f"; recall {self.score.recall:.4f}, wrong per state {self.score.wrong:.4f}"
        return f"{self.kind}: {schemas}; {objects}; {self.actions} actions{unseen}{score}"
