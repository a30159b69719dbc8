"""Effects: what transitions add to a state and delete from it; transitions with equal effects are grouped."""

from __future__ import annotations

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Indices, apply_effect
from cubespace.base.differences import group_effects

# where the effects of each kind come from, in words that follow "effects: "
SOURCES = {
    "differences": "differences of encoded bits, which no apply module decides",
    "network": "those of the apply module, by the transitions that it predicts exactly",
    "observed": "what was seen under each label of the network, not what the apply module computes",
    "predicted": "those of the apply module, by the successors that it predicts, seen or not",
}


@attrs.frozen(eq=False, kw_only=True)
class Effects:
    """Distinct effects, the most frequent first."""

    add: Bits  # (effects, bits)
    delete: Bits  # (effects, bits)
    action: Indices  # (transitions,), the effect that each transition is an example of, or -1
    label: Indices | None  # (effects,), the network's label that most examples have

    @property
    def support(self) -> Indices:
        """Return the number of examples of each effect."""
        return np.bincount(self.action[self.action >= 0], minlength=len(self.add))


def find_effects(
    kind: str, before: Bits, after: Bits, labels: Indices | None = None, network: tuple[Bits, Bits] | None = None
) -> Effects:
    """Return the effects of a kind; those that change nothing are left out.

    ``differences``: the distinct (z1 - z0, z0 - z1), whatever their labels. ``network``: the masks of each label, as
    far as transitions that they predict exactly show them; other transitions are examples of nothing. ``observed``:
    what the transitions of a label were seen to add and delete (the paper, after Theorem 2). ``predicted``: the same
    of the successors that the network predicts, given as ``after``, and one effect for each label (the authors' code).
    """
    if kind == "differences":
        return differences(before, after, labels)
    if labels is None:
        raise ValueError(f"effects of kind '{kind}' need the network's labels")
    used, action = np.unique(labels, return_inverse=True)
    if kind in ("observed", "predicted"):
        counts = np.zeros((2, len(used), before.shape[1]), dtype=np.intp)
        np.add.at(counts[0], action, ~before & after)
        np.add.at(counts[1], action, before & ~after)
        # a bit that was both added and deleted contradicts the theorem; the majority decides
        add, delete = (counts[0] > 0) & (counts[0] >= counts[1]), counts[1] > counts[0]
    elif network is None:
        raise ValueError("effects of kind 'network' need the network's masks")
    else:
        return _exact_effects(before, after, labels, *network)
    return _distinct(add[action], delete[action], labels) if kind == "observed" else _each(add, delete, used, action)


def _each(add: Bits, delete: Bits, used: Indices, action: Indices) -> Effects:
    """Return the effect of each label that is used, (labels, bits), the most frequent first; equal ones stay apart."""
    order = np.argsort(-np.bincount(action), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    found = Effects(add=add[order], delete=delete[order], action=place[action], label=used[order])
    changing = np.asarray((found.add | found.delete).any(axis=1), dtype=np.bool_)
    return select(found, changing)  # a label that changes nothing is not an action


def _exact_effects(before: Bits, after: Bits, labels: Indices, add: Bits, delete: Bits) -> Effects:
    """Return the effects of labels, (labels, bits), by the transitions whose successor they predict exactly.

    With three bits: if label 0 adds bits 0 and 1, it predicts 010 -> 110 exactly, not 000 -> 100. If all that it
    predicts exactly starts with bit 1, only adding bit 0 is an effect that was seen.
    """
    exact = (apply_effect(before, add[labels], delete[labels]) == after).all(1)
    first, last, label = before[exact], after[exact], labels[exact]
    shown = np.zeros((2, *add.shape), dtype=np.bool_)
    np.logical_or.at(shown[0], label, ~first & last)
    np.logical_or.at(shown[1], label, first & ~last)
    found = _distinct((add & shown[0])[label], (delete & shown[1])[label], label)
    action = np.full(len(before), -1, dtype=np.intp)
    action[exact] = found.action
    return attrs.evolve(found, action=action)


def differences(before: Bits, after: Bits, labels: Indices | None = None) -> Effects:
    """Return the distinct (z1 - z0, z0 - z1): for z0 = 110 and z1 = 011, bit 2 is added and bit 0 deleted."""
    return _distinct(~before & after, before & ~after, labels)


def _distinct(add: Bits, delete: Bits, labels: Indices | None) -> Effects:
    """Group the transitions by the effect they show, (transitions, bits) each."""
    found = group_effects(add, delete, by_frequency=True)
    changing = (found.add | found.delete).any(1)  # a difference that changes nothing is not an effect
    place = np.where(changing, np.cumsum(changing) - 1, -1)
    action = place[found.shown]
    label = None
    if labels is not None:
        label = np.array([_mode(labels[action == row]) for row in range(int(changing.sum()))], dtype=np.intp)
    return Effects(add=found.add[changing], delete=found.delete[changing], action=action, label=label)


def _mode(labels: Indices) -> int:
    values, counts = np.unique(labels, return_counts=True)
    return int(values[counts.argmax()])


def select(effects: Effects, rows: Bits) -> Effects:
    """Return the effects of the rows that are true; transitions of the others are examples of none."""
    place = np.append(np.where(rows, np.cumsum(rows) - 1, -1), -1)  # the last one is where -1 points
    label = None if effects.label is None else effects.label[rows]
    return Effects(add=effects.add[rows], delete=effects.delete[rows], action=place[effects.action], label=label)
