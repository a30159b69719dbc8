"""Preconditions from negative examples that the network itself provides.

An action that is applied where it should not be leads to states that no picture has, and the network can
detect them (:class:`StatePlausibility`). The precondition is what the effect itself requires, and the few literals that
exclude such steps and no others.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray

from cubespace.base.arrays import Bits, Indices, apply_effect, literals
from cubespace.base.options import option
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, Preconditions
from cubespace_precondition.plausibility import StatePlausibility
from cubespace_precondition.rules import Rule
from cubespace_precondition.significance import add_unlikely, restrict_rare

FIRST_TRIALS = 500  # an action is not tried further if none of these went wrong
MAX_TRIALS = 4_000_000  # of all actions together
MAX_GOOD_PER_WRONG = 4  # good steps excluded per wrong one, if chance does not explain that no example is among them
MIN_SPLIT_GAIN = 4.0  # nats of information that a split must give about which steps go wrong
MAX_WRONG_FRACTION = 0.5  # a conjunction is dropped if more of its steps go wrong …
MAX_WRONG_FRACTION_UNSEEN = 0.1  # … or more than this if it has no example: what looks plausible there is mostly wrong

_fraction = and_(ge(0.0), le(1.0))
_probability = and_(gt(0.0), le(1.0))


@attrs.frozen(kw_only=True)
class CounterexamplesOptions:
    """When a literal is required."""

    states: int = option(4000, "states in which each action is tried", ge(1))
    more: int = option(60_000, "further states to try, reached by the actions from those of the training split", ge(0))
    unseen: float = option(
        0.002, "largest fraction of a plausible picture's patches that were never seen at their position", _fraction
    )
    tolerance: float = option(0.003, "largest fraction of the good steps that a literal may exclude", _fraction)
    loose: float = option(0.02, "the same, for a literal that excludes far more wrong steps than good ones", _fraction)
    mixed: float = option(
        1e-3,
        "a literal may exclude any number of good steps if the chance that no example is among them is below this",
        _probability,
    )
    own: float = option(
        1e-4, "a static literal is required if the probability that it is static by chance is below this", _probability
    )
    pooled: float = option(1e-8, "the same, over all actions that share an effect", _probability)
    rare: float = option(
        0.1,
        "restrict an action seen less often than this fraction of the usual rate where it is allowed; 0: never",
        _fraction,
    )
    splits: int = option(9, "how often a conjunction may be split in two", ge(0))


class Counterexamples(PreconditionLearner):
    """Tries each action where its effect is possible, and excludes the steps that go wrong.

    A literal is a candidate if it held in all examples. Where no candidate excludes the steps that go wrong, the
    conjunction is split by a bit and the action gets two. An action whose steps mostly go wrong in spite of this is an
    artefact of learning and gets none.
    """

    revision = 1
    Options = CounterexamplesOptions
    options: CounterexamplesOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return few literals per action."""
        states = evidence.states()
        plausibility = StatePlausibility(evidence, states, self.options.unseen)
        states = self._more_states(evidence, states, plausibility)
        held = literals(states)
        rules: list[Rule] = []
        for rule in self._trials(evidence, states, plausibility):
            self._grow(rule, held, evidence.add[rule.effect] | evidence.delete[rule.effect], rules)
        made = literals(evidence.add, evidence.delete)  # what is true after each action, (actions, 2 bits)
        if rules:
            add_unlikely(rules, made, held, own=self.options.own, pooled=self.options.pooled)
            before = literals(evidence.before)
            rules = restrict_rare(rules, made, held, before, rare=self.options.rare, pooled=self.options.pooled)
        bits = evidence.add.shape[1]
        needed = np.array([rule.needed for rule in rules], dtype=np.bool_).reshape(-1, 2 * bits)
        action = np.array([rule.effect for rule in rules], dtype=np.intp)
        return Preconditions(action=action, positive=needed[:, :bits], negative=needed[:, bits:])

    def _more_states(self, evidence: Evidence, states: Bits, plausibility: StatePlausibility) -> Bits:
        """Return the states of the training split and other plausible states that actions lead to."""
        fresh, size = states, len(states) + self.options.more
        while len(fresh) and len(states) < size:
            rows, actions = self._possible(evidence, fresh, most=self.options.states)
            order = evidence.rng.permutation(len(rows))[: 4 * self.options.more]
            after = plausibility.new(_successors(evidence, fresh[rows[order]], actions[order]))
            fresh = after[plausibility.is_plausible(after)][: size - len(states)]
            states = np.concatenate([states, fresh])
        return states

    def _possible(self, evidence: Evidence, states: Bits, most: int) -> tuple[Indices, Indices]:
        """Return pairs of a state and an action whose effect is possible there, at most ``most`` of each action."""
        missing = (~literals(states)).astype(np.float32) @ evidence.implied().T.astype(np.float32)  # (states, actions)
        rows = [evidence.rng.permutation(np.flatnonzero(lacks == 0))[:most] for lacks in missing.T]
        return np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(part) for part in rows])

    def _trials(self, evidence: Evidence, states: Bits, plausibility: StatePlausibility) -> list[Rule]:
        """Return a rule per action: what its effect needs, where it was tried, and which steps went wrong."""
        most = min(self.options.states, MAX_TRIALS // len(evidence.add) + 1)
        rows, actions = self._possible(evidence, states, most)
        starts = np.searchsorted(actions, np.arange(len(evidence.add)))
        needed, examples = evidence.implied(), literals(evidence.before)
        rules = []
        for action, tried in enumerate(np.split(rows, starts[1:])):
            wrong = np.zeros(0, dtype=np.bool_)
            for part in (tried[:FIRST_TRIALS], tried[FIRST_TRIALS:]):
                if len(part) and (
                    wrong.any() or not len(wrong)
                ):  # an action that never goes wrong is not tried further
                    after = _successors(evidence, states[part], np.full(len(part), action))
                    wrong = np.concatenate([wrong, ~plausibility.is_plausible(after)])
            mine = examples[evidence.action == action]
            rules.append(Rule(action, needed[action], mine, tried[: len(wrong)], wrong, 0))
        return rules

    def _grow(self, rule: Rule, held: Bits, changed: Bits, rules: list[Rule]) -> None:
        """Add literals to a rule until nothing goes wrong, split it where necessary, and collect the results."""
        while rule.wrong.any() and not rule.wrong.all():
            fit, score = self._candidates(rule, held)
            few = rule.wrong.mean() <= 0.01
            if few and not (fit & (rule.excluded(held)[0] >= rule.wrong.sum() / 2)).any():
                break  # plausibility is sometimes wrong: a literal must be worth adding
            if fit.any():
                rule.need(int(np.where(fit, score, -np.inf).argmax()), held)
                continue
            bit = self._split(rule, held, changed)
            if bit is None:
                break
            for literal in (bit, bit + len(changed)):
                part = rule.part(literal, held)
                if len(part.examples) or self._overlooked(rule, part):
                    self._grow(part, held, changed, rules)
            return
        if len(rule.wrong) == 0 or rule.wrong.mean() <= (
            MAX_WRONG_FRACTION if len(rule.examples) else MAX_WRONG_FRACTION_UNSEEN
        ):
            rules.append(rule)

    def _overlooked(self, rule: Rule, part: Rule) -> bool:
        """Return whether a part of a rule has good steps and may be without examples by chance."""
        share = (~part.wrong).sum() / max(1, (~rule.wrong).sum())
        return bool(share and len(rule.examples) * math.log1p(-min(share, 0.999)) >= math.log(self.options.mixed))

    def _candidates(self, rule: Rule, held: Bits) -> tuple[Bits, NDArray[np.float64]]:
        """Return which literals may be added, by the strictest test that any of them passes, and a score for each."""
        options = self.options
        bad, good = rule.excluded(held)  # (2 bits,), steps that a literal would exclude
        all_bad, all_good = int(rule.wrong.sum()), int((~rule.wrong).sum())
        free = rule.examples.all(0) & ~rule.needed & (bad > 0)
        missed_by_chance = len(rule.examples) * np.log1p(-np.minimum(good / all_good, 0.999))
        tests = (
            (good <= options.tolerance * all_good, bad - good),
            ((good <= options.loose * all_good) & (good * all_bad <= 0.15 * bad * all_good), bad - good),
            ((missed_by_chance < math.log(options.mixed)) & (MAX_GOOD_PER_WRONG * bad >= good), bad + good),
        )
        chosen = next((test for test in tests if (free & test[0]).any()), tests[-1])
        return free & chosen[0], chosen[1]

    def _split(self, rule: Rule, held: Bits, changed: Bits) -> int | None:
        """Return the bit that is most informative about which steps go wrong, if it is informative enough."""
        if rule.splits >= self.options.splits:
            return None
        bits = len(changed)
        true = held[rule.tried, :bits]
        count, total = true.sum(0), len(true)
        good, all_good = true[~rule.wrong].sum(0), int((~rule.wrong).sum())
        gain = (
            _entropy(np.array(all_good), np.array(total))
            - _entropy(good, count)
            - _entropy(all_good - good, total - count)
        )
        gain = np.where(~changed & (count > 0) & (count < total), gain, -1.0)
        best = int(gain.argmax())
        return best if gain[best] >= MIN_SPLIT_GAIN else None


def _successors(evidence: Evidence, states: Bits, actions: Indices) -> Bits:
    """Return where the action of each row leads from the state of the same row."""
    return apply_effect(states, evidence.add[actions], evidence.delete[actions])


def _entropy(part: NDArray[np.intp], whole: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the entropy, in nats, of ``whole`` yes-or-no values of which ``part`` are yes."""
    rest = whole - part
    spread = -(part * np.log(np.maximum(part, 1) / np.maximum(whole, 1)))
    spread -= rest * np.log(np.maximum(rest, 1) / np.maximum(whole, 1))
    return np.asarray(np.where((part > 0) & (rest > 0), spread, 0.0))
