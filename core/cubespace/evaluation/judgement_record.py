"""What a judgement consists of: numbers, findings, and the record of both in ``judgement.json``."""

from __future__ import annotations

import attrs

from cubespace.evaluation.merged_values import MergedValue
from cubespace.evaluation.own_changes import OwnChange


@attrs.frozen(kw_only=True)
class Finding:
    """Something that a user should know, and what helps."""

    about: str
    warning: bool
    text: str
    advice: str = ""

    @property
    def words(self) -> str:
        """Return it as one or two sentences."""
        return f"{self.text} {self.advice}".rstrip()


@attrs.frozen(kw_only=True)
class Numbers:
    """Everything that is counted."""

    length: int  # of the plans that are wanted
    transitions: int  # of the training split
    distinct_transitions: int
    differences: int
    seen_once: int  # differences, here and below
    seen_from_one_state: int
    estimated_differences: int  # seen or not
    estimated_new: float  # fraction of further pairs that would show a new one
    held_out: int  # pairs
    held_out_also_in_training: int
    held_out_covered: int  # the model has their effect
    held_out_reproduced: int  # an applicable action has it
    unseen_covered: int  # the same of those that training pairs do not show
    unseen_reproduced: int
    known_states: float  # fraction of the states held out that training pairs show
    known_pictures: float | None
    effects: str
    labels: int | None
    most_labels: int | None
    idle: int  # training pairs that change no bit
    distinct_states: int
    look_different: int
    looked_at: int
    own_changes: tuple[OwnChange, ...]
    merged: tuple[MergedValue, ...] = ()  # values that seem to be two


@attrs.frozen(kw_only=True)
class JudgementRecord(Numbers):
    """A judgement as ``judgement.json`` holds it."""

    findings: tuple[Finding, ...]
    paragraph: str
