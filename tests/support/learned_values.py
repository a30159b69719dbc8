"""What the learner of preconditions ``values`` makes of transitions whose variables are known."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from cubespace.base.arrays import Bits, Indices
from cubespace.plugins.catalogue import load_plugins
from cubespace.symbols.effects import differences
from cubespace.symbols.precondition_learner import Evidence
from cubespace_precondition.values.belief import Events

Pairs = tuple[Indices, Indices]  # the values of each place before and after


@attrs.frozen(eq=False)
class Actions:
    """What was learned: one row per conjunction."""

    add: Bits
    delete: Bits
    positive: Bits
    negative: Bits


def one_hot(values: Indices, sizes: list[int]) -> Bits:
    return np.concatenate([values[:, [place]] == np.arange(size) for place, size in enumerate(sizes)], axis=1)


def numbers(sizes: list[int]) -> Indices:
    """The group of each bit."""
    return np.repeat(np.arange(len(sizes)), sizes)


def events_of(before: Bits, after: Bits) -> Events:
    found = differences(before, after)
    return Events(add=found.add, delete=found.delete, event=found.action)


def learn(before: Bits, after: Bits, groups: Indices | None = None) -> Actions:
    found = differences(before, after)
    shown = found.action >= 0
    evidence = Evidence(
        before=before[shown],
        action=found.action[shown],
        add=found.add,
        delete=found.delete,
        draw=lambda _: pytest.fail("it needs no pictures"),
        look=lambda _: pytest.fail("it needs no pictures"),
        rng=np.random.default_rng(0),
        groups=groups,
    )
    made = load_plugins().create("precondition", "values").learn(evidence)
    return Actions(found.add[made.action], found.delete[made.action], made.positive, made.negative)


def learn_values(pairs: Pairs, sizes: list[int], *, declared: bool = True) -> Actions:
    before, after = (one_hot(values, sizes) for values in pairs)
    return learn(before, after, numbers(sizes) if declared else None)
