"""Static literals that chance does not explain, by the examples of one action or of all that share an effect."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cubespace.strips import Bits
from cubespace_precondition.rules import Rule

ROUNDS = 30
USUAL = 0.99  # a literal that holds this often anyway is not worth having


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


def _frequency(rule: Rule, held: Bits) -> NDArray[np.float64]:
    """Return how often each literal holds in the states a rule allows."""
    return held[rule.tried].mean(0) if len(rule.tried) else np.ones(held.shape[1])


def _log_odds(rules: list[Rule], static: Bits, often: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log of how likely each static literal held in all examples if it were none of a rule's business."""
    count = np.array([len(rule.examples) for rule in rules])[:, None]
    return np.where(static, count * np.log(np.maximum(often, 1e-6)), 0.0)
