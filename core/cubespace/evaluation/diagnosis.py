"""How good the learned transition graph is, on fresh states of the state space that learning never saw.

Optimal plans need every true move to be in the model (recall); plans of greedy planners are valid only if there are few
wrong successors.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

import attrs
import numpy as np
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Images, States, apply_effect, step_keys
from cubespace.base.numbers import rounded
from cubespace.data.domain import StateSpace
from cubespace.evaluation.distances import shortest_moves
from cubespace.evaluation.precision_record import Precision
from cubespace.symbols.strips import StripsModel

Encode = Callable[[Images], Bits]  # pictures to bits, as the network does it

PIXEL_NOISE = 0.05  # standard deviation; a bit that this flips is unstable
MOVES_PER_BATCH = 1000  # compared with all actions at once
NOISY_COPIES = 4  # of each picture, to find its unstable bits


class Fate(enum.IntEnum):
    """What becomes of a true move in the model."""

    APPLIES = 0
    NO_EFFECT = 1
    BLOCKED = 2
    UNSTABLE = 3

    @property
    def words(self) -> str:
        """Return it in words."""
        return ("applies", "no such effect", "blocked by a precondition", "unstable bits")[self]


@attrs.frozen(kw_only=True)
class Diagnosis:
    """Recall and wrong successors of a learned transition graph.

    ``no_effect``, ``blocked`` and ``unstable`` add up to 1 - recall.
    """

    states: int
    moves: int
    recall: float  # fraction of true moves that exist, apply and lead to the right bits
    no_effect: float  # fraction of true moves whose effect no action has
    blocked: float  # fraction of true moves whose action exists but cannot be applied
    unstable: float  # fraction of true moves that differ from a known effect only in bits that noise flips
    wrong: float  # wrong successors per state: applicable actions whose result is not that of any true move
    branching: float  # true moves per state
    aliases: int  # states that look different and have the same bits


def diagnose(domain: StateSpace, encode: Encode, model: StripsModel, count: int = 3000, seed: int = 0) -> Diagnosis:
    """Compare the moves of the domain with those of the model, from ``count`` random states."""
    rng = np.random.default_rng([seed, 0xD1A6])  # a stream apart from those of data and instances
    states = domain.random_states(count, rng)
    children, parent = domain.successors(states)
    pictures, after_pictures = domain.render(states), domain.render(children)
    before = encode(pictures)
    offered_parent, action = np.nonzero(model.applicable(before))
    offered = model.apply(before[offered_parent], action)  # (offers, bits)
    offers, true_moves = step_keys(offered_parent, offered), step_keys(parent, encode(after_pictures))
    fates = classify(encode, model, pictures[parent], after_pictures, rng)
    wrong = np.unique(offers[~np.isin(offers, true_moves)])
    return Diagnosis(
        states=count,
        moves=len(children),
        recall=float((fates == Fate.APPLIES).mean()),
        no_effect=float((fates == Fate.NO_EFFECT).mean()),
        blocked=float((fates == Fate.BLOCKED).mean()),
        unstable=float((fates == Fate.UNSTABLE).mean()),
        wrong=len(wrong) / count,
        branching=len(children) / count,
        aliases=len(np.unique(states, axis=0)) - len(np.unique(before, axis=0)),
    )


@attrs.frozen(kw_only=True)
class HeldOutDiagnosis:
    """Recall on pairs that were held out; no simulator lists all moves, so wrong ones are estimated, not counted.

    ``no_effect``, ``blocked`` and ``unstable`` add up to 1 - recall.
    """

    moves: int  # pairs held out
    known: float  # fraction of them that show a transition which training pairs show too
    recall: float
    new_recall: float | None  # of those that training pairs do not show; None if there are none
    no_effect: float
    blocked: float
    unstable: float
    ambiguous: int  # pictures held out that look unlike a training picture with the same bits, or unlike each other
    precision: Precision | None = None  # how many moves are wrong, as far as pairs can say


def diagnose_held_out(
    encode: Encode,
    model: StripsModel,
    pairs: tuple[Images, Images],
    *,
    known: Bits,
    ambiguous: int,
    precision: Precision | None = None,
    seed: int = 0,
) -> HeldOutDiagnosis:
    """Say what becomes of transitions that were held out; ``known`` says which of them training pairs show too."""
    fates = classify(encode, model, *pairs, np.random.default_rng([seed, 0xD1A6]))
    applies = fates == Fate.APPLIES
    return HeldOutDiagnosis(
        moves=len(known),
        known=rounded(float(known.mean())),
        recall=float(applies.mean()),
        new_recall=None if known.all() else float(applies[~known].mean()),
        no_effect=float((fates == Fate.NO_EFFECT).mean()),
        blocked=float((fates == Fate.BLOCKED).mean()),
        unstable=float((fates == Fate.UNSTABLE).mean()),
        ambiguous=ambiguous,
        precision=precision,
    )


def classify(
    encode: Encode, model: StripsModel, before: Images, after: Images, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Return the :class:`Fate` in the model of each true move, given as pictures."""
    old, new = encode(before), encode(after)
    fates = np.full(len(old), Fate.NO_EFFECT, dtype=np.int8)
    for start in range(0, len(old), MOVES_PER_BATCH):
        part = slice(start, start + MOVES_PER_BATCH)
        leads = mismatches(model, old[part], new[part]) == 0  # (moves, actions)
        fates[part][leads.any(1)] = Fate.BLOCKED
        fates[part][(leads & model.applicable(old[part])).any(1)] = Fate.APPLIES
    lost = np.flatnonzero(fates == Fate.NO_EFFECT)
    flips = _unstable(encode, before[lost], rng) | _unstable(encode, after[lost], rng)
    fates[lost[_close(model, old[lost], new[lost], flips)]] = Fate.UNSTABLE
    return fates


def explain(domain: StateSpace, encode: Encode, model: StripsModel, init: States, goal: States, distance: int) -> str:
    """Say why the model has no shortest path between two states (batches of one), or that it has one."""
    rng = np.random.default_rng(0)
    alive = {init.tobytes()}
    for step, (sources, targets) in enumerate(shortest_moves(domain, init, goal, distance), start=1):
        rows = [row for row, source in enumerate(sources) if source.tobytes() in alive]
        fates = classify(encode, model, domain.render(sources[rows]), domain.render(targets[rows]), rng)
        alive = {targets[row].tobytes() for row, fate in zip(rows, fates, strict=True) if fate == Fate.APPLIES}
        if not alive:
            reasons = ", ".join(f"{Fate(fate).words} ({(fates == fate).sum()})" for fate in np.unique(fates))
            return f"step {step} of {distance}: {reasons}"
    return "the model has a shortest path"


def mismatches(model: StripsModel, before: Bits, after: Bits) -> NDArray[np.float32]:
    """Return in how many bits the successor by each action differs from ``after``, (moves, actions)."""
    moves, kept = before.astype(np.float32), after.astype(np.float32)
    add, delete = model.add.astype(np.float32), model.delete.astype(np.float32)
    changed = np.abs(kept - moves)  # bits that differ unless the action changes them
    wrong = changed.sum(1)[:, None] - changed @ (add + delete).T
    return np.asarray(wrong + (1 - kept) @ add.T + kept @ delete.T)


def _close(model: StripsModel, before: Bits, after: Bits, unstable: Bits) -> Bits:
    """Return whether some action would lead from each state to the other if unstable bits are ignored."""
    stable = ~unstable
    missed = np.empty(len(before), dtype=np.bool_)
    for row in range(len(before)):  # the few that were lost
        reached = apply_effect(before[row], model.add, model.delete)  # (actions, bits)
        missed[row] = ((reached != after[row]) & stable[row]).any(1).all()
    return ~missed


def _unstable(encode: Encode, pictures: NDArray[np.uint8], rng: np.random.Generator) -> Bits:
    """Return which bits of each picture are flipped by pixel noise."""
    clean = encode(pictures)
    flipped = np.zeros_like(clean)
    for _ in range(NOISY_COPIES):
        noise = rng.normal(0.0, PIXEL_NOISE * 255.0, pictures.shape).astype(np.float32)
        noisy = np.clip(pictures + noise, 0, 255).round().astype(np.uint8)
        flipped |= encode(noisy) != clean
    return flipped
