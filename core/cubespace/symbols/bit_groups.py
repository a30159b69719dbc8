"""Which bits encode one thing together.

A network often uses several bits for one thing, such as which tile is in a cell. None of them excludes another, but
together they have only few of the possible values. Such bits depend on each other, while bits about different things
hardly do, and that shows in the states of the training split.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices

# Two groups are merged if they share this fraction of the poorer one's information. Independent groups of 64 values
# share 63² / (2 · 5000) nats by chance in 5,000 states, of ln 64 nats: a fraction of 0.095. Smaller ones share less.
MIN_SHARED_INFORMATION = 0.1
MAX_GROUP_VALUES = 64
SAMPLED_STATES = 5000

Codes = NDArray[np.float32]  # (states, values), one-hot


def dependent_bits(states: Bits) -> Indices:
    """Return the number of the group that each bit belongs to; bits that never change share one.

    Groups are merged, starting with the two that depend on each other most. With three bits: in the states 000, 110,
    001 and 111, bits 0 and 1 are always equal and bit 2 is independent of both, so the groups are [0, 0, 1].
    """
    states = states[:: max(1, len(states) // SAMPLED_STATES)]
    count = states.sum(0)
    live = np.flatnonzero((count > 0) & (count < len(states)))
    codes = [_one_hot(states[:, bit]) for bit in live]
    groups = [[bit] for bit in live.tolist()]
    shared = np.array([_dependence(codes, one) for one in range(len(codes))]).reshape(len(codes), len(codes))
    while len(groups) > 1 and shared.max() >= MIN_SHARED_INFORMATION:
        one, other = sorted(int(place) for place in np.unravel_index(shared.argmax(), shared.shape))
        joint = _one_hot(codes[one].argmax(1) * codes[other].shape[1] + codes[other].argmax(1))
        if joint.shape[1] > MAX_GROUP_VALUES:
            shared[one, other] = shared[other, one] = 0.0
            continue
        codes[one] = joint
        groups[one] += groups.pop(other)
        del codes[other]
        shared = np.delete(np.delete(shared, other, axis=0), other, axis=1)
        shared[one] = shared[:, one] = _dependence(codes, one)
    numbers = np.full(states.shape[1], len(groups), dtype=np.intp)
    for number, group in enumerate(groups):
        numbers[group] = number
    return numbers


def _one_hot(values: NDArray[np.generic]) -> Codes:
    distinct, code = np.unique(values, return_inverse=True)
    return np.asarray(np.eye(len(distinct), dtype=np.float32)[code.ravel()])


def _dependence(codes: list[Codes], one: int) -> NDArray[np.float64]:
    """Return the information that each group shares with group ``one``, as a fraction of the poorer group's own."""
    sizes = np.array([code.shape[1] for code in codes])
    starts = np.cumsum(sizes) - sizes
    counts = codes[one].T @ np.concatenate(codes, axis=1)  # (values of one, values of all)
    joint = counts.astype(np.float64) / len(codes[one])
    single = np.add.reduceat(_surprise(joint.sum(0)), starts)  # the sum over the values of one gives each group's own
    both = np.add.reduceat(_surprise(joint).sum(0), starts)
    shared = (single[one] + single - both) / np.minimum(single[one], single)
    shared[one] = 0.0
    return np.asarray(shared)


def _surprise(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-probability * np.log(np.maximum(probability, 1e-12)))
