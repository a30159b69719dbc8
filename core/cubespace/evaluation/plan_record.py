"""The record of one search: all of a plan that is not a picture, as ``result.json`` holds it."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(kw_only=True)
class SearchRecord:
    """How a search ended, what its plan is worth and what the planner reported about its effort."""

    planner: str  # spec
    outcome: str  # in words, such as "solved" or "out of time"
    detail: str  # why it failed, in a few words
    plan: tuple[int, ...] | None  # rows of the model's actions or, if latent, labels of the network
    latent: bool = False  # whether the network was searched, not the STRIPS model
    trace: str | None  # the digest of the states of the plan
    valid: bool | None  # None: the domain cannot judge
    optimal: bool | None
    reason: str  # why the plan is not valid
    wrong_step: int | None  # the frame at which it goes wrong
    fault: str = ""  # what is impossible in that frame, if the domain can say
    seconds: float  # of the whole search, set-up included
    expansions: int | None = None  # None, here and below: the planner does not say
    expansions_until_last_jump: int | None = None
    evaluations: int | None = None
    generated: int | None = None
    search_seconds: float | None = None
    megabytes: float | None = None
    known_states: int | None  # of the plan, that training pictures show
    known_transitions: int | None
    unseen_steps: tuple[int, ...] | None  # counted from 1: those that no training pair shows
    lacking: Mapping[str, tuple[int, ...]] | None = None  # by sign of a true move, the steps without it
    doubtful_steps: tuple[int, ...] = ()  # those without signs that nearly all true moves have
    authors_valid: bool | None = None  # by the rule of the paper's authors; None: it was not asked for
    authors_optimal: bool | None = None

    @property
    def found(self) -> bool:
        """Return whether there is a plan."""
        return self.plan is not None

    @property
    def steps(self) -> int:
        """Return the length of the plan; 0 if there is none."""
        return len(self.plan or ())

    @property
    def doubtful(self) -> bool:
        """Return whether nobody judges the plan, and pairs speak against some of its steps."""
        return self.found and self.valid is None and bool(self.doubtful_steps)

    @property
    def explanation(self) -> str:
        """Return why the plan is not valid, with what is impossible in the wrong frame."""
        return f"{self.reason}: {self.fault}" if self.fault else self.reason

    @property
    def accepted_steps(self) -> range:
        """Return the steps, counted from 1, that a judge has found to be moves: all before the first mistake."""
        if self.valid is None or self.plan is None:
            return range(1, 1)
        wrong = None if self.valid else self.wrong_step
        return range(1, self.steps + 1 if wrong is None else wrong)


@attrs.frozen(kw_only=True)
class PlanRecord(SearchRecord):
    """The search of one planner for one instance of a run."""

    key: str  # the hash of all that the result depends on
    problem: str  # the name of the instance
    pictures: dict[str, str] = attrs.field(factory=dict)  # SHA-256 of those that were written for it, by name

    @classmethod
    def of(cls, search: SearchRecord, *, key: str, problem: str) -> PlanRecord:
        """Return a search as that of an instance."""
        return cls(key=key, problem=problem, **attrs.asdict(search, recurse=False))
