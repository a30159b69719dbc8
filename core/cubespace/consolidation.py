"""Which differences there are between the states of transitions, and how stray ones can be made to agree on them.

The cube-like graph of the paper has few distinct differences. After training, most transitions share theirs with many
others; the rest mostly differ from a shared one in a single unstable bit.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import relu


def differences(before: Tensor, after: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct differences of transitions, the number of each of its transitions, and of which each is one.

    Differences are int8 (differences, bits): 1 where a bit is added, -1 where it is deleted.
    """
    change = after.to(torch.int8) - before.to(torch.int8)  # (transitions, bits)
    distinct, member, counts = torch.unique(change, dim=0, return_inverse=True, return_counts=True)
    return distinct, counts, member


def frequent_differences(before: Tensor, after: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Return the add and delete masks of the distinct differences, most frequent first and at most so many."""
    distinct, counts, _ = differences(before, after)
    order = counts.argsort(descending=True, stable=True)[:most]
    return distinct[order] > 0, distinct[order] < 0


def agree(before: Tensor, after: Tensor, *, frequent: int, flips: int) -> tuple[Tensor, Tensor]:
    """Return the bits of logits (transitions, bits), changed where that makes a transition agree with the others.

    A difference that ``frequent`` transitions show is kept. A transition of a rarer one takes the frequent difference
    that costs its logits least, provided that at most ``flips`` of its bits must change for that.
    """
    states = [before > 0, after > 0]
    distinct, counts, member = differences(*states)
    known = distinct[counts >= frequent]  # (frequent differences, bits)
    stray = (counts[member] < frequent).nonzero()[:, 0]
    if len(known) == 0 or len(stray) == 0:
        return states[0], states[1]
    first, second = before[stray], after[stray]
    target = known[_cost(first, second, known).argmin(1)]  # (stray, bits)
    unchanged = first + second > 0  # where nothing changes, the surer of both logits decides
    agreed = [torch.where(target == 0, unchanged, target < 0), torch.where(target == 0, unchanged, target > 0)]
    changed = (agreed[0] != (first > 0)).int() + (agreed[1] != (second > 0)).int()
    near = changed.sum(1) <= flips
    for state, bits in zip(states, agreed, strict=True):
        state[stray[near]] = bits[near]
    return states[0], states[1]


def _cost(before: Tensor, after: Tensor, known: Tensor) -> Tensor:
    """Return how far the logits of each transition must move until it shows each difference, (transitions, known)."""
    to_false = (relu(before), relu(after))
    to_true = (relu(-before), relu(-after))
    nothing = torch.minimum(to_false[0] + to_false[1], to_true[0] + to_true[1])
    adding, deleting = to_false[0] + to_true[1], to_true[0] + to_false[1]
    masks = (known == 0, known > 0, known < 0)
    parts = [cost @ mask.float().T for cost, mask in zip((nothing, adding, deleting), masks, strict=True)]
    return torch.stack(parts).sum(0)
