"""Literals and rules that chance does not explain.

A static literal is required if it is too unlikely that it held in all examples by chance: in those of one action, or in
those of all actions that share an effect. A rule is too weak if it would allow an action far more often than the action
was seen.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray

from cubespace.base.arrays import Bits
from cubespace.base.options import option
from cubespace_precondition.rules import Rule

MAX_ROUNDS = 30  # in each of which every rule may get one literal

_fraction = and_(ge(0.0), le(1.0))
_probability = and_(gt(0.0), le(1.0))


@attrs.frozen(kw_only=True, slots=False)  # options of a learner may consist of several such classes
class SignificanceOptions:
    """When chance does not explain what the examples of an action have in common, or how few there are."""

    own: float = option(
        1e-4, "a static literal is needed if it is static by chance with a probability below this", _probability
    )
    pooled: float = option(1e-8, "the same, over all actions that share an effect", _probability)
    rare: float = option(
        0.1,
        "restrict an action that is seen less than this fraction as often as the typical one where it is allowed; "
        "0: never",
        _fraction,
    )
    too_rare: float = option(
        1e-3, "an action is that rare only if chance makes it so with a probability below this", _probability
    )
    suspect: float = option(
        0.05,
        "a static literal of such an action is needed if it is static by chance with a probability below this",
        _probability,
    )
    expected: float = option(
        0.3,
        "a conjunction without examples is left out if it should have been seen, at this fraction of the typical "
        "frequency",
        _fraction,
    )
    common: float = option(0.99, "a literal that holds in this fraction of the states is not worth adding", _fraction)


def add_unlikely(rules: list[Rule], made: Bits, held: Bits, options: SignificanceOptions) -> None:
    """Add to each rule, one at a time, the static literals that are too unlikely to be static by chance.

    ``made`` are the literals that are true after each action, ``held`` those of the states tried. A literal is added if
    the probability that it held in all examples by chance is below ``own``, for the examples of the rule, or below
    ``pooled``, for those of all rules that make the same literal true.

    With three bits: a rule deletes bit 0 and has four examples, 110, 110, 111 and 110. "Bit 1 is true" held in all of
    them. If it holds in half of the states in which the rule was tried, that is chance with probability 0.5^4 = 0.06:
    not below ``own`` = 0.01, so it is not added. If a second rule that deletes bit 0 has four examples too, all with
    bit 1 true, both together have probability 0.5^8 = 0.004, and ``pooled`` = 0.01 adds it to both.
    """
    effects = made[[rule.effect for rule in rules]]  # (rules, 2 bits)
    static = np.stack([rule.examples.all(0) for rule in rules])  # (rules, 2 bits)
    shares = effects.astype(np.float32)
    # (2 bits, 2 bits): effect and literal, with an exception somewhere
    broken = shares.T @ (~static).astype(np.float32) > 0
    added = np.zeros(static.shape)  # the log probability of what was added
    for _ in range(MAX_ROUNDS):
        needed = np.stack([rule.needed for rule in rules])
        frequency = np.stack([_frequency(rule, held) for rule in rules])
        odds = np.where(needed, added, _log_odds(rules, static, frequency))  # (rules, 2 bits)
        shared = np.where(broken, 0.0, shares.T @ odds)  # (2 bits, 2 bits), by effect and literal
        progress = False
        for row, rule in enumerate(rules):
            alone = odds[row] < math.log(options.own)
            together = shared[effects[row]].min(0, initial=0.0) < math.log(options.pooled)
            fit = static[row] & ~needed[row] & (frequency[row] < options.common) & (alone | together)
            if len(rule.examples) and fit.any():
                literal = int(np.where(fit, frequency[row], 2.0).argmin())
                added[row, literal] = odds[row, literal]
                rule.need(literal, held)
                progress = True
        if not progress:
            return


def restrict_rare(rules: list[Rule], made: Bits, held: Bits, before: Bits, options: SignificanceOptions) -> list[Rule]:
    """Restrict the rules that allow an action far more often than it was seen, and return those that are left.

    ``before`` are the literals of the states before each transition, (transitions, 2 bits). A rule is suspect if it was
    seen less often than the fraction ``rare`` of what is typical where it holds. It then needs the literals that chance
    hardly explains; if that is not enough, its examples are too few to decide, and it needs all they have in common.
    """
    seen, allowed = _counts(rules, before)
    typical = _typical_frequency(seen, allowed)
    doubtful = _too_rare(seen, options.rare * typical * allowed, options.too_rare) & (seen > 0)
    suspects = [rules[row] for row in np.flatnonzero(doubtful).tolist()]
    if suspects:
        add_unlikely(suspects, made, held, attrs.evolve(options, own=options.suspect))
        seen_now, allowed_now = _counts(suspects, before)
        still_doubtful = _too_rare(seen_now, options.rare * typical * allowed_now, options.too_rare)
        for row in np.flatnonzero(still_doubtful).tolist():
            suspects[row].needed |= suspects[row].examples.all(0) & (before.mean(0) < options.common)
    if not options.rare:
        return rules
    missed = _missed(rules, seen, options.expected * typical * allowed, options.suspect)
    return [rules[row] for row in np.flatnonzero(~missed).tolist()]


def _missed(rules: list[Rule], seen: NDArray[np.float64], expected: NDArray[np.float64], probability: float) -> Bits:
    """Return which rules without examples to drop: the broadest, until the rest may well have been missed."""
    missed = np.zeros(len(rules), dtype=np.bool_)
    effect = np.array([rule.effect for rule in rules])
    for number in np.unique(effect[seen == 0]):
        unseen = np.flatnonzero((effect == number) & (seen == 0))
        unseen = unseen[np.argsort(expected[unseen], kind="stable")]
        missed[unseen] = np.cumsum(expected[unseen]) > -math.log(probability)
    return missed


def _counts(rules: list[Rule], before: Bits) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often each rule was seen, and in how many states it holds."""
    lacking = (~before).astype(np.float32) @ np.stack([rule.needed for rule in rules]).T.astype(np.float32)
    return np.array([len(rule.examples) for rule in rules], dtype=float), (lacking == 0).sum(0).astype(float)


def _typical_frequency(seen: NDArray[np.float64], allowed: NDArray[np.float64]) -> float:
    """Return how often an action is seen where it is allowed: the median over all transitions."""
    frequency = seen / np.maximum(allowed, 1.0)
    order = np.argsort(frequency)
    middle = int(np.searchsorted(np.cumsum(seen[order]), seen.sum() / 2))
    return float(frequency[order[min(middle, len(order) - 1)]])


def _too_rare(seen: NDArray[np.float64], expected: NDArray[np.float64], probability: float) -> Bits:
    """Return which counts are too low to be chance, by Chernoff's bound on a Poisson variable."""
    log_chance = seen - expected + seen * np.log(np.maximum(expected, 1e-12) / np.maximum(seen, 1e-12))
    return np.asarray((seen < expected) & (log_chance < math.log(probability)), dtype=np.bool_)


def _frequency(rule: Rule, held: Bits) -> NDArray[np.float64]:
    """Return in which fraction of the states that a rule allows each literal holds."""
    return held[rule.tried].mean(0) if len(rule.tried) else np.ones(held.shape[1])


def _log_odds(rules: list[Rule], static: Bits, frequency: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log probability that each static literal held in all examples by chance."""
    count = np.array([len(rule.examples) for rule in rules])[:, None]
    return np.where(static, count * np.log(np.maximum(frequency, 1e-6)), 0.0)
