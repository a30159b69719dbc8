"""The precision of a model, as far as pairs can say: the record, and what it means in words."""

from __future__ import annotations

import attrs

from cubespace.base.numbers import percent

STEP, STATE, COMPANY, CONTEXT, LOOKS = "step", "state", "company", "context", "looks"
MEANINGS = {  # what a move that has a sign does
    STEP: "were seen as they are",
    STATE: "lead to a state that was seen",
    COMPANY: "lead to a state of which any two facts were seen together",
    CONTEXT: "happen where each fact was seen before the same change",
    LOOKS: "lead to a state that is the same one when it is drawn and read again",
}
SURE = 3.0  # standard errors: one in a thousand
SATURATED = 0.01  # at most this fraction of new pairs leads to a state that was not seen


@attrs.frozen(kw_only=True)
class Sign:
    """What one sign says about the moves of a model."""

    name: str
    true_moves: float  # fraction that has it, of true moves that the memory did not have
    model_moves: float  # of the model's moves in the same states
    wrong: float  # fraction of the model's moves that are wrong at least; exact for ``step``
    error: float  # standard error of it
    states: int  # in which it was looked for

    @property
    def significance(self) -> float:
        """Return by how many standard errors the model's moves lack the sign more often than true ones."""
        return self.wrong / self.error


@attrs.frozen(kw_only=True)
class Precision:
    """About which fraction of a model's moves is wrong in states that were seen, and between which bounds."""

    wrong: float | None  # None: pairs cannot say
    low: float
    high: float
    states: int  # that were looked at, and the model's moves there
    moves: int
    distinct_states: int  # of the training pairs
    unseen_states: float  # fraction of new pairs that would lead to a state not seen (Good and Turing)
    signs: tuple[Sign, ...]

    @property
    def saturated(self) -> bool:
        """Return whether nearly all states seem to have been seen."""
        return self.unseen_states <= SATURATED

    @property
    def clearest(self) -> Sign | None:
        """Return the sign that speaks most clearly against the model; None if none does, or others speak for it."""
        sign = max(self.signs, key=lambda each: each.significance, default=None)
        return sign if sign is not None and sign.significance >= SURE and self.low > 0 else None

    @property
    def words(self) -> str:
        """Return the figure in a sentence."""
        if self.wrong is None:
            return "Pairs cannot say how many moves of the model are wrong: too little of what they show occurs again."
        if self.low == 0.0:
            return (
                f"No move of the model seems to be wrong (at most {_hundredths(self.high)} of 100, as pairs have it)."
            )
        return (
            f"About {_hundredths(self.wrong)} of 100 moves of the model are wrong "
            f"(between {_hundredths(self.low)} and {_hundredths(self.high)})."
        )

    @property
    def reason(self) -> str:
        """Return what speaks against the model, in a sentence; "" if nothing does."""
        sign = self.clearest
        if sign is None:
            return ""
        return (
            f"Of true moves in such states {percent(sign.true_moves)} {MEANINGS[sign.name]}, "
            f"of the model's only {percent(sign.model_moves)}."
        )


def _hundredths(fraction: float) -> str:
    """Return a fraction of 1 as a number of 100, in two digits."""
    return f"{100 * fraction:.2g}" if fraction < 0.995 else "100"
