"""Static literals that chance does not explain, by the examples of one action or of all that share an effect.

And rules that chance does not explain: those that would allow an action far more often than it was seen.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cubespace.strips import Bits
from cubespace_precondition.rules import Rule

ROUNDS = 30
USUAL = 0.99  # a literal that holds this often anyway is not worth having
CHANCE = 1e-3  # that an action is seen as rarely as it was
DOUBT = 0.05  # chance below which a static literal is needed by an action that is suspected to need more
LEAST = 0.3  # of how often actions are seen where they are allowed: so often one is seen that is not rare for a reason


def add_unlikely(rules: list[Rule], made: Bits, held: Bits, *, own: float, pooled: float) -> None:
    """Add to each rule, one at a time, the literals that held in all its examples against all odds.

    ``made`` are the literals that are true after each action, ``held`` those of the states tried. ``own`` and
    ``pooled`` are the odds: of the examples of the rule, and of those of all rules that make the same literal true.
    """
    effects = made[[rule.effect for rule in rules]]  # (rules, 2 bits)
    static = np.stack([rule.examples.all(0) for rule in rules])  # (rules, 2 bits)
    shares = effects.astype(np.float32)
    broken = shares.T @ (~static).astype(np.float32) > 0  # pairs of effect and literal with an exception somewhere
    added = np.zeros(static.shape)  # the log odds of what was added
    for _ in range(ROUNDS):
        needed = np.stack([rule.needed for rule in rules])
        often = np.stack([_frequency(rule, held) for rule in rules])
        odds = np.where(needed, added, _log_odds(rules, static, often))  # (rules, 2 bits)
        shared = np.where(broken, 0.0, shares.T @ odds)  # (2 bits, 2 bits), by effect and literal
        progress = False
        for row, rule in enumerate(rules):
            alone = odds[row] < math.log(own)
            together = shared[effects[row]].min(0, initial=0.0) < math.log(pooled)
            fit = static[row] & ~needed[row] & (often[row] < USUAL) & (alone | together)
            if len(rule.examples) and fit.any():
                literal = int(np.where(fit, often[row], 2.0).argmin())
                added[row, literal] = odds[row, literal]
                rule.need(literal, held)
                progress = True
        if not progress:
            return


def restrict_rare(rules: list[Rule], made: Bits, held: Bits, before: Bits, *, rare: float, pooled: float) -> list[Rule]:
    """Restrict the rules that allow an action far more often than it was seen, and return those that are left.

    ``before`` are the literals of the states before each transition, (transitions, 2 bits). A rule is suspected that
    was seen at less than the rate ``rare`` of what is usual where it holds. It then needs the literals of which chance
    is doubtful; if that is not enough, its examples are too few to tell, and it needs all that they have in common.
    """
    seen, allowed = _counts(rules, before)
    usual = _usual_rate(seen, allowed)
    free = _too_rare(seen, rare * usual * allowed)
    suspects = [rule for rule, doubtful in zip(rules, (free & (seen > 0)).tolist(), strict=True) if doubtful]
    if suspects:
        add_unlikely(suspects, made, held, own=DOUBT, pooled=pooled)
        seen_now, allowed_now = _counts(suspects, before)
        for rule, doubtful in zip(suspects, _too_rare(seen_now, rare * usual * allowed_now).tolist(), strict=True):
            if doubtful:
                rule.needed |= rule.examples.all(0) & (before.mean(0) < USUAL)
    if not rare:
        return rules
    missed = _missed(rules, seen, LEAST * usual * allowed)
    return [rule for rule, gone in zip(rules, missed.tolist(), strict=True) if not gone]


def _missed(rules: list[Rule], seen: NDArray[np.float64], expected: NDArray[np.float64]) -> Bits:
    """Return which rules without examples to drop: the largest of an effect, until it is no wonder none was seen."""
    missed = np.zeros(len(rules), dtype=np.bool_)
    effect = np.array([rule.effect for rule in rules])
    for each in np.unique(effect[seen == 0]):
        unseen = np.flatnonzero((effect == each) & (seen == 0))
        unseen = unseen[np.argsort(expected[unseen], kind="stable")]
        missed[unseen] = np.cumsum(expected[unseen]) > -math.log(DOUBT)
    return missed


def _counts(rules: list[Rule], before: Bits) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often each rule was seen, and in how many states it holds."""
    lacking = (~before).astype(np.float32) @ np.stack([rule.needed for rule in rules]).T.astype(np.float32)
    return np.array([len(rule.examples) for rule in rules], dtype=float), (lacking == 0).sum(0).astype(float)


def _usual_rate(seen: NDArray[np.float64], allowed: NDArray[np.float64]) -> float:
    """Return how often an action is seen where it is allowed: the median over all transitions."""
    rate = seen / np.maximum(allowed, 1.0)
    order = np.argsort(rate)
    middle = int(np.searchsorted(np.cumsum(seen[order]), seen.sum() / 2))
    return float(rate[order[min(middle, len(order) - 1)]])


def _too_rare(seen: NDArray[np.float64], expected: NDArray[np.float64]) -> Bits:
    """Return which numbers are smaller than expected by no chance: Chernoff's bound on a Poisson number."""
    log_chance = seen - expected + seen * np.log(np.maximum(expected, 1e-12) / np.maximum(seen, 1e-12))
    return np.asarray((seen < expected) & (log_chance < math.log(CHANCE)), dtype=np.bool_)


def _frequency(rule: Rule, held: Bits) -> NDArray[np.float64]:
    """Return how often each literal holds in the states a rule allows."""
    return held[rule.tried].mean(0) if len(rule.tried) else np.ones(held.shape[1])


def _log_odds(rules: list[Rule], static: Bits, often: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log of how likely each static literal held in all examples if it were none of a rule's business."""
    count = np.array([len(rule.examples) for rule in rules])[:, None]
    return np.where(static, count * np.log(np.maximum(often, 1e-6)), 0.0)
