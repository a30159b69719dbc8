"""Negative examples made by the network itself.

Where an action is applied too freely, it leads to states that no picture has. The network tells: such a state, drawn
and looked at again, comes back changed. The literals that exclude such steps, and no others, are the preconditions.
"""

from __future__ import annotations

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray

from cubespace.preconditions import Evidence, PreconditionLearner, Preconditions
from cubespace.strips import Bits, Indices, literals

Numbers = NDArray[np.float64]


@attrs.frozen(kw_only=True)
class CounterexamplesOptions:
    """What it takes for a static literal to be needed."""

    states: int = attrs.field(default=300, validator=ge(1))  # states in which each action is tried
    certain: float = attrs.field(default=1e-4, validator=and_(gt(0), le(1)))  # chance below which it is needed anyway
    likely: float = attrs.field(default=1e-2, validator=and_(gt(0), le(1)))  # the same where no negatives are left
    precision: float = attrs.field(default=0.8, validator=and_(ge(0), le(1)))  # of what it excludes, this much is wrong
    share: float = attrs.field(default=0.02, validator=and_(ge(0), le(1)))  # it excludes this much of what is wrong
    literals: int = attrs.field(default=30, validator=ge(0))  # most that are added to those of the effect


class Counterexamples(PreconditionLearner):
    """Needs what the effect asks for, and greedily the static literals that speak against the action's negatives."""

    Options = CounterexamplesOptions
    options: CounterexamplesOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Try each action where its effect alone allows it, and exclude what goes wrong."""
        needed, static = evidence.implied(), evidence.static()
        states = evidence.states()
        action, state = self._trials(evidence, needed, states)
        wrong = ~known_states(evidence, states, action, states[state])
        starts = np.searchsorted(action, np.arange(len(needed) + 1))
        for row, examples in enumerate(evidence.support.tolist()):
            part = slice(starts[row], starts[row + 1])
            self._choose(needed[row], static[row], examples, literals(states[state[part]]), wrong[part])
        return Preconditions.of(needed)

    def _trials(self, evidence: Evidence, needed: Bits, states: Bits) -> tuple[Indices, Indices]:
        """Return pairs of an action and a state, ascending by action, in which its needs so far hold."""
        held = literals(states).astype(np.float32)
        actions, rows = [], []
        for action, need in enumerate(needed):
            possible = np.flatnonzero((held @ need.astype(np.float32)) == need.sum())
            if len(possible) > self.options.states:
                possible = evidence.rng.choice(possible, self.options.states, replace=False)
            actions.append(np.full(len(possible), action))
            rows.append(possible)
        return np.concatenate(actions), np.concatenate(rows)

    def _choose(self, need: Bits, static: Bits, examples: int, held: Bits, wrong: Bits) -> None:
        """Add to ``need``; ``held`` are the literals of the states tried, ``wrong`` the ones that led nowhere."""
        options = self.options
        for _ in range(options.literals):
            if not len(held):
                return
            free = static & ~need
            # how likely it is that a literal held in all examples, if it were none of the action's business
            chance = np.where(free, examples * np.log(np.maximum(held.mean(0), 1e-9)), 0.0)
            literal = int(chance.argmin())
            if chance[literal] >= np.log(options.certain):
                best = self._excluding(free, chance, held, wrong)
                if best is not None:
                    literal = best
                elif chance[literal] >= np.log(options.likely):
                    return
            need[literal] = True
            kept = held[:, literal]
            held, wrong = held[kept], wrong[kept]

    def _excluding(self, free: Bits, chance: Numbers, held: Bits, wrong: Bits) -> int | None:
        """Return the literal that excludes most negatives and hardly anything else."""
        if not wrong.any():
            return None
        excluded = ~held & free
        bad, good = excluded[wrong].sum(0), excluded[~wrong].sum(0)
        fit = (bad >= max(1.0, self.options.share * wrong.sum())) & (bad >= self.options.precision * (bad + good))
        if not fit.any():
            return None
        score = np.where(fit, bad - good - 1e-3 * chance, -np.inf)  # among equals, the one that chance explains least
        return int(score.argmax())


def known_states(evidence: Evidence, states: Bits, action: Indices, before: Bits, batch: int = 4000) -> Bits:
    """Return whether the network knows the state that an action leads to: drawn and looked at, it stays as it is."""
    known = np.empty(len(before), dtype=np.bool_)
    excluded = never_together(states)
    for start in range(0, len(before), batch):
        part = slice(start, start + batch)
        after = (before[part] & ~evidence.delete[action[part]]) | evidence.add[action[part]]
        held = literals(after).astype(np.float32)
        clash = ((held @ excluded) * held).any(1)
        known[part] = (evidence.reconstruct(after) == after).all(1) & ~clash
    return known


def never_together(states: Bits, chance: float = 1e-4) -> NDArray[np.float32]:
    """Return the pairs of literals, as 0 and 1, that no state has although by chance some would have."""
    held = literals(states).astype(np.float32)
    expected = np.outer(held.mean(0), held.sum(0))
    surprising = (held.T @ held == 0) & (expected > -np.log(chance))
    return np.asarray(surprising, dtype=np.float32)
