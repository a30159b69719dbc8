"""Preconditions from negative examples that the network itself provides.

An action that is applied where it should not be leads to states that no picture has, and the network shows it
(:class:`StatePlausibility`). The precondition is what the effect itself needs, and the few literals that exclude such
steps and no others.
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
from cubespace_precondition.plausibility import PlausibilityOptions, StatePlausibility
from cubespace_precondition.rules import Rule
from cubespace_precondition.significance import SignificanceOptions, add_unlikely, restrict_rare

FIRST_TRIALS = 500  # an action is not tried further if none of these went wrong
MAX_TRIALS = 4_000_000  # of all actions together
ALMOST_ALL = 0.999  # largest fraction that is put into a logarithm

_fraction = and_(ge(0.0), le(1.0))
_probability = and_(gt(0.0), le(1.0))


@attrs.frozen(kw_only=True)
class CounterexamplesOptions(PlausibilityOptions, SignificanceOptions):
    """What it takes for a literal to be needed."""

    states: int = option(4000, "states in which each action is tried", ge(1))
    more: int = option(60_000, "further states to try, reached by the actions from those of the training split", ge(0))
    tolerance: float = option(0.003, "largest fraction of the good steps that a literal may exclude", _fraction)
    loose: float = option(0.02, "the same, for a literal that excludes far more wrong steps than good ones", _fraction)
    loose_ratio: float = option(
        0.15, "such a literal excludes at most this fraction as much of the good steps as of the wrong ones", _fraction
    )
    mixed: float = option(
        1e-3,
        "a literal may exclude any number of good steps if the chance that no example is among them is below this",
        _probability,
    )
    mixed_ratio: float = option(
        4.0, "such a literal excludes at most this many good steps with each wrong one", ge(0.0)
    )
    splits: int = option(9, "how often a conjunction may be split in two", ge(0))
    split_gain: float = option(4.0, "information, in nats, that a split must give on which steps go wrong", ge(0.0))
    few_wrong: float = option(
        0.01,
        "if no more than this fraction of the steps goes wrong, a literal must exclude half of them to be added: "
        "plausibility errs now and then",
        _fraction,
    )
    wrong: float = option(
        0.5, "a conjunction is given up if more than this fraction of its steps goes wrong", _fraction
    )
    wrong_unseen: float = option(
        0.1, "the same, if it has no example: what looks plausible there is mostly wrong", _fraction
    )


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
        plausibility = StatePlausibility(evidence, states, self.options)
        states = self._more_states(evidence, states, plausibility)
        held = literals(states)
        rules: list[Rule] = []
        for rule in self._trials(evidence, states, plausibility):
            self._grow(rule, held, evidence.add[rule.effect] | evidence.delete[rule.effect], rules)
        made = literals(evidence.add, evidence.delete)  # what is true after each action, (actions, 2 bits)
        if rules:
            add_unlikely(rules, made, held, self.options)
            rules = restrict_rare(rules, made, held, literals(evidence.before), self.options)
        bits = evidence.add.shape[1]
        needed = np.array([rule.needed for rule in rules], dtype=np.bool_).reshape(-1, 2 * bits)
        action = np.array([rule.effect for rule in rules], dtype=np.intp)
        return Preconditions(action=action, positive=needed[:, :bits], negative=needed[:, bits:])

    def _more_states(self, evidence: Evidence, states: Bits, plausibility: StatePlausibility) -> Bits:
        """Return the states of the training split and other plausible ones to which actions lead."""
        fresh, target = states, len(states) + self.options.more
        while len(fresh) and len(states) < target:
            rows, actions = self._possible(evidence, fresh, most=self.options.states)
            order = evidence.rng.permutation(len(rows))[: 4 * self.options.more]
            after = plausibility.new(_successors(evidence, fresh[rows[order]], actions[order]))
            fresh = after[plausibility.is_plausible(after)][: target - len(states)]
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
                never_wrong = len(wrong) and not wrong.any()
                if len(part) and not never_wrong:
                    after = _successors(evidence, states[part], np.full(len(part), action))
                    wrong = np.concatenate([wrong, ~plausibility.is_plausible(after)])
            rules.append(
                Rule(action, needed[action], examples[evidence.action == action], tried[: len(wrong)], wrong, 0)
            )
        return rules

    def _grow(self, rule: Rule, held: Bits, changed: Bits, rules: list[Rule]) -> None:
        """Add literals to a rule until nothing goes wrong, split it where necessary, and collect the results."""
        while rule.wrong.any() and not rule.wrong.all():
            fit, score = self._candidates(rule, held)
            few = rule.wrong.mean() <= self.options.few_wrong
            if few and not (fit & (rule.excluded(held)[0] >= rule.wrong.sum() / 2)).any():
                break
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
        most_wrong = self.options.wrong if len(rule.examples) else self.options.wrong_unseen
        if len(rule.wrong) == 0 or rule.wrong.mean() <= most_wrong:
            rules.append(rule)

    def _overlooked(self, rule: Rule, part: Rule) -> bool:
        """Return whether a part of a rule has good steps and may be without examples by chance."""
        share = (~part.wrong).sum() / max(1, (~rule.wrong).sum())
        if not share:
            return False
        return bool(len(rule.examples) * math.log1p(-min(share, ALMOST_ALL)) >= math.log(self.options.mixed))

    def _candidates(self, rule: Rule, held: Bits) -> tuple[Bits, NDArray[np.float64]]:
        """Return which literals may be added, by the strictest test that any of them passes, and a score for each."""
        options = self.options
        bad, good = rule.excluded(held)  # (2 bits,), steps that a literal would exclude
        all_bad, all_good = int(rule.wrong.sum()), int((~rule.wrong).sum())
        free = rule.examples.all(0) & ~rule.needed & (bad > 0)
        missed_by_chance = len(rule.examples) * np.log1p(-np.minimum(good / all_good, ALMOST_ALL))
        selective = good * all_bad <= options.loose_ratio * bad * all_good
        tests = (
            (good <= options.tolerance * all_good, bad - good),
            ((good <= options.loose * all_good) & selective, bad - good),
            ((missed_by_chance < math.log(options.mixed)) & (options.mixed_ratio * bad >= good), bad + good),
        )
        passed, score = next((test for test in tests if (free & test[0]).any()), tests[-1])
        return free & passed, score

    def _split(self, rule: Rule, held: Bits, changed: Bits) -> int | None:
        """Return the bit that gives most information on which steps go wrong, if it gives enough."""
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
        return best if gain[best] >= self.options.split_gain else None


def _successors(evidence: Evidence, states: Bits, actions: Indices) -> Bits:
    """Return where the action of each row leads from the state of the same row."""
    return apply_effect(states, evidence.add[actions], evidence.delete[actions])


def _entropy(part: NDArray[np.intp], whole: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the entropy, in nats, of ``whole`` yes-or-no values of which ``part`` are yes."""
    rest = whole - part
    spread = -(part * np.log(np.maximum(part, 1) / np.maximum(whole, 1)))
    spread -= rest * np.log(np.maximum(rest, 1) / np.maximum(whole, 1))
    return np.asarray(np.where((part > 0) & (rest > 0), spread, 0.0))
