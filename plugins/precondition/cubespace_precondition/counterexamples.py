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

Counts = NDArray[np.float32]


@attrs.frozen(kw_only=True)
class CounterexamplesOptions:
    """What it takes for a literal to be needed."""

    states: int = attrs.field(default=300, validator=ge(1))  # states in which each action is tried
    certain: float = attrs.field(default=1e-4, validator=and_(gt(0), le(1)))  # chance below which it is needed anyway
    likely: float = attrs.field(default=1e-3, validator=and_(gt(0), le(1)))  # the same where no negatives are left
    precision: float = attrs.field(default=0.8, validator=and_(ge(0), le(1)))  # of what it excludes, this much is wrong
    share: float = attrs.field(default=0.02, validator=and_(ge(0), le(1)))  # it excludes this much of what is wrong
    literals: int = attrs.field(default=30, validator=ge(0))  # most that are added to those of the effect
    splits: int = attrs.field(default=2, validator=ge(0))  # how often a conjunction may be split in two
    reversible: bool = True  # where a move and its undoing both occur, learn each from the other too


@attrs.frozen(eq=False)
class Trial:
    """One action tried out: literals of its examples, of the states it was tried in, and which of these went wrong."""

    examples: Bits  # (examples, 2 * bits)
    held: Bits  # (trials, 2 * bits)
    wrong: Bits  # (trials,)

    def where(self, literal: int) -> Trial:
        """Return the part in which a literal holds."""
        kept = self.held[:, literal]
        return Trial(self.examples[self.examples[:, literal]], self.held[kept], self.wrong[kept])

    @property
    def static(self) -> Bits:
        """Return the literals that held in all examples."""
        return np.asarray(self.examples.all(0), dtype=np.bool_)

    def chance(self, free: Bits) -> NDArray[np.float64]:
        """Return the log of how likely each literal held in all examples if it were none of the action's business."""
        frequency = np.maximum(self.held.mean(0), 1e-9)
        return np.where(free, len(self.examples) * np.log(frequency), 0.0)


class Counterexamples(PreconditionLearner):
    """Needs what the effect asks for, and greedily the literals that speak against the action's negatives.

    A literal is a candidate if it held in all examples. Where negatives are left that no candidate excludes, the
    examples are split by a literal that makes candidates of others, and the action gets two conjunctions.
    """

    Options = CounterexamplesOptions
    options: CounterexamplesOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Try each action where its effect alone allows it, and exclude what goes wrong."""
        implied, states = evidence.implied(), evidence.states()
        action, state = self._trials(evidence, implied, states)
        wrong = ~known_states(evidence, states, action, states[state])
        starts = np.searchsorted(action, np.arange(len(implied) + 1))
        found: list[tuple[int, Bits]] = []
        for row, (own, undone) in enumerate(examples(evidence)):
            part = slice(starts[row], starts[row + 1])
            trial = Trial(literals(own), literals(states[state[part]]), wrong[part])
            if self.options.reversible and self._agree(trial, literals(undone), implied[row]):
                trial = attrs.evolve(trial, examples=np.concatenate([trial.examples, literals(undone)]))
            found += [(row, need) for need in self._cover(trial, implied[row], self.options.splits)]
        needed = Preconditions.of(np.stack([need for _, need in found]))
        return attrs.evolve(needed, action=np.array([row for row, _ in found], dtype=np.intp))

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

    def _agree(self, trial: Trial, undone: Bits, implied: Bits) -> bool:
        """Return whether states reached by undoing the action satisfy all that its own examples are certain of.

        A door that anyone can shut but only a key can open is not opened wherever it has been shut.
        """
        if not len(undone) or not len(trial.held):
            return False
        certain = trial.chance(trial.static) < np.log(self.options.certain)
        return bool(undone[:, certain | implied].all())

    def _cover(self, trial: Trial, need: Bits, splits: int) -> list[Bits]:
        """Return conjunctions that allow all examples and as few of the negatives as can be."""
        need, rest = self._conjunction(trial, need.copy())
        literal = self._split(rest) if splits else None
        if literal is None:
            return [need]
        halves = []
        for part in (literal, (literal + len(need) // 2) % len(need)):
            more = need.copy()
            more[part] = True
            halves += self._cover(rest.where(part), more, splits - 1)
        return halves

    def _conjunction(self, trial: Trial, need: Bits) -> tuple[Bits, Trial]:
        """Add literals to a conjunction; return it and what of the trial is left."""
        static = trial.static
        for _ in range(self.options.literals):
            if not len(trial.held):
                break
            free = static & ~need
            chance = trial.chance(free)
            literal = int(chance.argmin())
            if chance[literal] >= np.log(self.options.certain):
                best = self._excluding(trial, free, chance)
                if best is not None:
                    literal = best
                elif chance[literal] >= np.log(self.options.likely):
                    break
            need[literal] = True
            trial = trial.where(literal)
        return need, trial

    def _excluding(self, trial: Trial, free: Bits, chance: NDArray[np.float64]) -> int | None:
        """Return the literal that excludes most negatives and hardly anything else."""
        excluded = ~trial.held & free
        bad, good = (excluded[rows].sum(0, dtype=np.float32) for rows in (trial.wrong, ~trial.wrong))
        fit = self._fit(bad, good, int(trial.wrong.sum()))
        if not fit.any():
            return None
        score = np.where(fit, bad - good - 1e-3 * chance, -np.inf)  # among equals, the one that chance explains least
        return int(score.argmax())

    def _fit(self, bad: Counts, good: Counts, wrong: int) -> Bits:
        """Return where enough of the wrong trials and few others are excluded."""
        enough = bad >= max(1.0, self.options.share * wrong)
        return np.asarray(enough & (bad >= self.options.precision * (bad + good)), dtype=np.bool_)

    def _split(self, trial: Trial) -> int | None:
        """Return the bit whose two cases exclude most of the negatives that are left, if more than half of them."""
        wrong = int(trial.wrong.sum())
        if wrong < 2:
            return None
        bad, good = (_and_not(trial.held[rows]) for rows in (trial.wrong, ~trial.wrong))  # (case, literal)
        static = _and_not(trial.examples) == 0  # in no example of the case the literal is false
        fit = static & self._fit(bad, good, wrong)
        gain = np.where(fit, bad - good, 0).max(1)  # (2 bits,)
        cases = trial.examples.sum(0).reshape(2, -1)
        both = gain.reshape(2, -1).sum(0) * (cases.min(0) >= 2)
        best = int(both.argmax())
        return best if both[best] > wrong / 2 else None


def _and_not(held: Bits) -> Counts:
    """Return in how many rows the first literal is true and the second is false, for all pairs."""
    true = held.astype(np.float32)
    return true.T @ (1 - true)


def examples(evidence: Evidence) -> list[tuple[Bits, Bits]]:
    """Return for each action the states it was seen in, and those that the opposite effect was seen to lead to."""
    before, after = (
        evidence.before,
        (evidence.before & ~evidence.delete[evidence.action]) | evidence.add[evidence.action],
    )
    forth, back = (
        [effect.tobytes() for effect in np.concatenate(pair, axis=1)]
        for pair in ((evidence.add, evidence.delete), (evidence.delete, evidence.add))
    )
    place = {effect: row for row, effect in enumerate(forth)}
    rows = np.split(np.argsort(evidence.action, kind="stable"), np.cumsum(evidence.support)[:-1])
    nothing = rows[0][:0]
    return [
        (before[rows[row]], after[rows[place[opposite]] if opposite in place else nothing])
        for row, opposite in enumerate(back)
    ]


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


def never_together(states: Bits, chance: float = 1e-4) -> Counts:
    """Return the pairs of literals, as 0 and 1, that no state has although by chance some would have."""
    held = literals(states).astype(np.float32)
    expected = np.outer(held.mean(0), held.sum(0))
    surprising = (held.T @ held == 0) & (expected > -np.log(chance))
    return np.asarray(surprising, dtype=np.float32)
