"""How good the learned transition graph is, on fresh states of the simulator that learning never saw.

Optimal plans need every true move to be there (recall); greedy planners stay valid only if there is little else (wrong
successors).
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace import inference
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.domains import Simulator
from cubespace.strips import Bits, Indices, StripsModel

NOISE = 0.05  # standard deviation of the pixel noise that must not change a bit
PROBES = 4  # noisy looks at a picture, to tell which bits are unstable


@attrs.frozen(kw_only=True)
class Diagnosis:
    """Recall and precision of a learned transition graph. The parts of ``missing`` add up to 1 - recall."""

    states: int
    moves: int
    recall: float  # rate of true moves that exist, apply and lead to the right bits
    no_effect: float  # rate of true moves that no action makes
    blocked: float  # rate of true moves that an action makes whose precondition does not hold
    unstable: float  # rate of true moves that differ from a known effect only in bits that noise flips
    wrong: float  # applicable actions per state that lead to the bits of no true successor
    branching: float  # true moves per state
    aliases: int  # states that look different and have the same bits


def diagnose(
    domain: Simulator, network: SpaceAutoEncoder, model: StripsModel, count: int = 3000, seed: int = 0
) -> Diagnosis:
    """Compare the moves of the simulator with those of the model, from ``count`` random states."""
    rng = np.random.default_rng([seed, 0xD1A6])  # a stream apart from those of data and instances
    states = domain.random_states(count, rng)
    children, parent = domain.successors(states)
    pictures, after_pictures = domain.render(states), domain.render(children)
    before, after = inference.encode(network, pictures), inference.encode(network, after_pictures)
    offered_parent, action = np.nonzero(model.applicable(before))
    offered = model.apply(before[offered_parent], action)  # (offers, bits)
    true_moves, offers = _keys(parent, after), _keys(offered_parent, offered)
    recalled = np.isin(true_moves, offers)
    exists = _effect_exists(model, before[parent], after)
    lost = ~recalled & ~exists
    unstable = lost.copy()
    flips = _unstable(network, pictures, rng)[parent[lost]] | _unstable(network, after_pictures[lost], rng)
    unstable[lost] = _close(model, before[parent[lost]], after[lost], flips)
    wrong = np.unique(offers[~np.isin(offers, true_moves)])
    return Diagnosis(
        states=count,
        moves=len(children),
        recall=float(recalled.mean()),
        no_effect=float((lost & ~unstable).mean()),
        blocked=float((~recalled & exists).mean()),
        unstable=float(unstable.mean()),
        wrong=len(wrong) / count,
        branching=len(children) / count,
        aliases=len(np.unique(states, axis=0)) - len(np.unique(before, axis=0)),
    )


def _keys(parent: Indices, bits: Bits) -> NDArray[Any]:
    """Return one comparable value per row of a parent and a state."""
    packed = np.packbits(bits, axis=1)
    rows = np.concatenate([parent.astype(">u4")[:, None].view(np.uint8), packed], axis=1)
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()


def _effect_exists(model: StripsModel, before: Bits, after: Bits) -> Bits:
    """Return whether some action, applicable or not, leads from each state to the other."""
    return np.asarray(_mismatches(model, before, after).min(1) == 0)


def _mismatches(model: StripsModel, before: Bits, after: Bits) -> NDArray[np.float32]:
    """Return in how many bits the successor by each action differs from ``after``, (moves, actions)."""
    moves, kept = before.astype(np.float32), after.astype(np.float32)
    add, delete = model.add.astype(np.float32), model.delete.astype(np.float32)
    changed = np.abs(kept - moves)  # bits that differ unless the action sets them
    wrong = changed.sum(1)[:, None] - changed @ (add + delete).T
    return np.asarray(wrong + (1 - kept) @ add.T + kept @ delete.T)


def _close(model: StripsModel, before: Bits, after: Bits, unstable: Bits) -> Bits:
    """Return whether some action would lead from each state to the other, were it not for the unstable bits."""
    stable = ~unstable
    missed = np.empty(len(before), dtype=np.bool_)
    for row in range(len(before)):  # the few that were lost
        reached = (before[row] & ~model.delete) | model.add  # (actions, bits)
        missed[row] = ((reached != after[row]) & stable[row]).any(1).all()
    return ~missed


def _unstable(network: SpaceAutoEncoder, pictures: NDArray[np.uint8], rng: np.random.Generator) -> Bits:
    """Return which bits of each picture pixel noise flips."""
    clean = inference.encode(network, pictures)
    flipped = np.zeros_like(clean)
    for _ in range(PROBES):
        noise = rng.normal(0.0, NOISE * 255.0, pictures.shape).astype(np.float32)
        noisy = np.clip(pictures + noise, 0, 255).round().astype(np.uint8)
        flipped |= inference.encode(network, noisy) != clean
    return flipped
