"""What a judgement is made of, and all that is counted in it."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices, distinct_rows, row_keys
from cubespace.base.numbers import rounded
from cubespace.evaluation.diagnosis import MOVES_PER_BATCH, mismatches
from cubespace.evaluation.judgement_record import Numbers
from cubespace.evaluation.memorisation import TrainingMemory
from cubespace.evaluation.merged_values import MergedValue
from cubespace.evaluation.own_changes import OwnChange
from cubespace.evaluation.precision_record import Precision
from cubespace.symbols.effects import differences
from cubespace.symbols.strips import StripsModel

USUAL_LENGTH = 7  # of plans: that of the paper's instances


@attrs.frozen(eq=False, kw_only=True)
class Observed:
    """What a judgement is made of: transitions in bits, (transitions, bits) each, the model, and how it was made."""

    before: Bits
    after: Bits
    held_before: Bits  # of pairs that nothing was learned from
    held_after: Bits
    model: StripsModel
    length: int = USUAL_LENGTH  # of the plans that are wanted
    effects: str  # where the effects come from: differences, network or observed
    labels: int | None  # distinct ones that the network gives
    most_labels: int | None  # that it can give
    known_pictures: float | None = None  # fraction of held-out pictures that are training pictures, byte by byte
    look_different: int = 0  # training pictures that look unlike an earlier one with the same bits …
    looked_at: int = 0  # … of so many that have the bits of an earlier one
    own_changes: Sequence[OwnChange] = ()
    precision: Precision | None = None
    merged: Sequence[MergedValue] = ()
    misread: float = 0.0  # fraction of pictures that noise makes look like another state


def count(seen: Observed) -> Numbers:
    """Return everything that is counted."""
    effects = differences(seen.before, seen.after)
    support = effects.support
    memory = TrainingMemory.of(seen.before, seen.after)
    known = np.array(memory.known_transitions(seen.held_before, seen.held_after), dtype=np.bool_)
    covered, reproduced = has_effect(seen.model, seen.held_before, seen.held_after)
    sources = [len(set(row_keys(seen.before[effects.action == row]))) for row in range(len(effects.add))]
    held = np.concatenate([seen.held_before, seen.held_after])
    return Numbers(
        length=seen.length,
        transitions=len(seen.before),
        distinct_transitions=len(memory.transitions),
        differences=len(effects.add),
        seen_once=int((support == 1).sum()),
        seen_from_one_state=sum(count == 1 for count in sources),
        estimated_differences=_richness(support),
        estimated_new=rounded(float((support == 1).sum() / max(1, len(seen.before)))),
        held_out=len(seen.held_before),
        held_out_also_in_training=int(known.sum()),
        held_out_covered=int(covered.sum()),
        held_out_reproduced=int(reproduced.sum()),
        unseen_covered=int((covered & ~known).sum()),
        unseen_reproduced=int((reproduced & ~known).sum()),
        known_states=memory.known_states(held),
        known_pictures=seen.known_pictures,
        effects=seen.effects,
        labels=seen.labels,
        most_labels=seen.most_labels,
        idle=int((seen.before == seen.after).all(1).sum()),
        distinct_states=len(distinct_rows(np.concatenate([seen.before, seen.after]))),
        look_different=seen.look_different,
        looked_at=seen.looked_at,
        own_changes=tuple(seen.own_changes),
        merged=tuple(seen.merged),
    )


def has_effect(model: StripsModel, before: Bits, after: Bits) -> tuple[Bits, Bits]:
    """Return of which transitions the model has the effect, and which an applicable action reproduces."""
    covered, reproduced = (np.zeros(len(before), dtype=np.bool_) for _ in range(2))
    for start in range(0, len(before), MOVES_PER_BATCH):
        part = slice(start, start + MOVES_PER_BATCH)
        same = mismatches(model, before[part], after[part]) == 0  # (transitions, actions)
        covered[part] = same.any(1)
        reproduced[part] = (same & model.applicable(before[part])).any(1)
    return covered, reproduced


def _richness(support: Indices) -> int:
    """Return how many differences there are at least, seen or not, by how many were seen once and twice (Chao)."""
    once, twice = int((support == 1).sum()), int((support == 2).sum())
    return len(support) + round(once * (once - 1) / (2 * (twice + 1)))
