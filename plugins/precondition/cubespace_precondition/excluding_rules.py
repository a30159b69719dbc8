"""Negative examples made by the network itself.

Where an action is applied too freely, it leads to states that no picture has, and the network tells (:class:`Eye`). The
precondition is what the effect itself asks for, and the few literals that exclude such steps and no others.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
from attrs.validators import and_, ge, gt, le
from numpy.typing import NDArray

from cubespace.preconditions import Evidence, PreconditionLearner, Preconditions
from cubespace.strips import Bits, Indices, literals
from cubespace_precondition.chance import add_unlikely, restrict_rare
from cubespace_precondition.eye import Eye
from cubespace_precondition.rules import Rule

FIRST = 500  # trials of an action after which it is given up if none went wrong
TRIALS = 4_000_000  # of all actions together
WORTH = 4  # good steps that may be excluded with a wrong one, if the examples miss them by no chance
GAIN = 4.0  # nats that a split must tell about what goes wrong
ACCIDENT = 0.5  # rate of wrong steps above which a conjunction is given up …
UNSEEN_ACCIDENT = 0.1  # … or above this if no example has it: what the eye lets pass there is mostly wrong too

_rate = and_(ge(0.0), le(1.0))
_chance = and_(gt(0.0), le(1.0))


@attrs.frozen(kw_only=True)
class CounterexamplesOptions:
    """What it takes for a literal to be needed."""

    states: int = attrs.field(default=4000, validator=ge(1))  # states in which each action is tried
    more: int = attrs.field(default=60_000, validator=ge(0))  # states made by the actions beside those of the training
    unseen: float = attrs.field(default=0.002, validator=_rate)  # rate of places with something never seen there
    tolerance: float = attrs.field(default=0.003, validator=_rate)  # of the good steps, so many may be excluded …
    loose: float = attrs.field(default=0.02, validator=_rate)  # … or so many, if far more of the wrong ones are …
    mixed: float = attrs.field(default=1e-3, validator=_chance)  # … or many, if the examples miss them by no chance
    own: float = attrs.field(default=1e-4, validator=_chance)  # chance below which a static literal is needed anyway
    pooled: float = attrs.field(default=1e-8, validator=_chance)  # the same, over all actions that share an effect
    rare: float = attrs.field(default=0.1, validator=_rate)  # of how often actions are seen, to be suspected too free
    splits: int = attrs.field(default=9, validator=ge(0))  # how often a conjunction may be split in two


class Counterexamples(PreconditionLearner):
    """Tries each action where its effect allows it, and excludes what goes wrong.

    A literal is a candidate if it held in all examples. Where steps go wrong that no candidate excludes, the
    conjunction is split by a bit and the action gets two. An action that mostly goes wrong all the same was an accident
    and gets none.
    """

    Options = CounterexamplesOptions
    options: CounterexamplesOptions

    def learn(self, evidence: Evidence) -> Preconditions:
        """Return few literals per action."""
        states = evidence.states()
        eye = Eye(evidence, states, self.options.unseen)
        states = self._more_states(evidence, states, eye)
        held = literals(states)
        rules: list[Rule] = []
        for rule in self._trials(evidence, states, eye):
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

    def _more_states(self, evidence: Evidence, states: Bits, eye: Eye) -> Bits:
        """Return the states of the training split and others that the eye knows, to which actions lead."""
        fresh, wanted = states, len(states) + self.options.more
        while len(fresh) and len(states) < wanted:
            rows, actions = self._possible(evidence, fresh, most=self.options.states)
            order = evidence.rng.permutation(len(rows))[: 4 * self.options.more]
            after = eye.new(_successors(evidence, fresh[rows[order]], actions[order]))
            fresh = after[eye.knows(after)][: wanted - len(states)]
            states = np.concatenate([states, fresh])
        return states

    def _possible(self, evidence: Evidence, states: Bits, most: int) -> tuple[Indices, Indices]:
        """Return states and actions, at most so many of each action, whose effect is possible there, by action."""
        missing = (~literals(states)).astype(np.float32) @ evidence.implied().T.astype(np.float32)  # (states, actions)
        rows = [evidence.rng.permutation(np.flatnonzero(lacks == 0))[:most] for lacks in missing.T]
        return np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(part) for part in rows])

    def _trials(self, evidence: Evidence, states: Bits, eye: Eye) -> list[Rule]:
        """Return a rule per action: with what its effect asks for, the states it was tried in and how that went."""
        most = min(self.options.states, TRIALS // len(evidence.add) + 1)
        rows, actions = self._possible(evidence, states, most)
        starts = np.searchsorted(actions, np.arange(len(evidence.add)))
        needed, examples = evidence.implied(), literals(evidence.before)
        rules = []
        for action, tried in enumerate(np.split(rows, starts[1:])):
            wrong = np.zeros(0, dtype=np.bool_)
            for part in (tried[:FIRST], tried[FIRST:]):
                if len(part) and (wrong.any() or not len(wrong)):  # an action that never goes wrong is tried no more
                    after = _successors(evidence, states[part], np.full(len(part), action))
                    wrong = np.concatenate([wrong, ~eye.knows(after)])
            mine = examples[evidence.action == action]
            rules.append(Rule(action, needed[action], mine, tried[: len(wrong)], wrong, 0))
        return rules

    def _grow(self, rule: Rule, held: Bits, changed: Bits, rules: list[Rule]) -> None:
        """Add literals to a rule until nothing goes wrong, splitting it where need be, and collect what comes of it."""
        while rule.wrong.any() and not rule.wrong.all():
            fit, score = self._candidates(rule, held)
            few = rule.wrong.mean() <= 0.01
            if few and not (fit & (rule.excluded(held)[0] >= rule.wrong.sum() / 2)).any():
                break  # the eye errs now and then: a literal must be worth it
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
        if len(rule.wrong) == 0 or rule.wrong.mean() <= (ACCIDENT if len(rule.examples) else UNSEEN_ACCIDENT):
            rules.append(rule)

    def _overlooked(self, rule: Rule, part: Rule) -> bool:
        """Return whether a part of a rule has good steps and may well have no example by chance."""
        share = (~part.wrong).sum() / max(1, (~rule.wrong).sum())
        return bool(share and len(rule.examples) * math.log1p(-min(share, 0.999)) >= math.log(self.options.mixed))

    def _candidates(self, rule: Rule, held: Bits) -> tuple[Bits, NDArray[np.float64]]:
        """Return which literals may be added, by the strictest test that any passes, and how good each is."""
        options = self.options
        bad, good = rule.excluded(held)  # (2 bits,), steps that a literal would exclude
        all_bad, all_good = int(rule.wrong.sum()), int((~rule.wrong).sum())
        free = rule.examples.all(0) & ~rule.needed & (bad > 0)
        missed_by_chance = len(rule.examples) * np.log1p(-np.minimum(good / all_good, 0.999))
        tests = (
            (good <= options.tolerance * all_good, bad - good),
            ((good <= options.loose * all_good) & (good * all_bad <= 0.15 * bad * all_good), bad - good),
            ((missed_by_chance < math.log(options.mixed)) & (WORTH * bad >= good), bad + good),
        )
        chosen = next((test for test in tests if (free & test[0]).any()), tests[-1])
        return free & chosen[0], chosen[1]

    def _split(self, rule: Rule, held: Bits, changed: Bits) -> int | None:
        """Return the bit that tells most about what goes wrong, if it tells enough."""
        if rule.splits >= self.options.splits:
            return None
        bits = len(changed)
        true = held[rule.tried, :bits]
        count, total = true.sum(0), len(true)
        good, all_good = true[~rule.wrong].sum(0), int((~rule.wrong).sum())
        told = (
            _entropy(np.array(all_good), np.array(total))
            - _entropy(good, count)
            - _entropy(all_good - good, total - count)
        )
        told = np.where(~changed & (count > 0) & (count < total), told, -1.0)
        best = int(told.argmax())
        return best if told[best] >= GAIN else None


def _successors(evidence: Evidence, states: Bits, actions: Indices) -> Bits:
    """Return where the action of each row leads from the state of the same row."""
    return (states & ~evidence.delete[actions]) | evidence.add[actions]


def _entropy(part: NDArray[np.intp], whole: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the entropy, in nats, of ``whole`` yes-or-no values of which ``part`` are yes."""
    rest = whole - part
    spread = -(part * np.log(np.maximum(part, 1) / np.maximum(whole, 1)))
    spread -= rest * np.log(np.maximum(rest, 1) / np.maximum(whole, 1))
    return np.asarray(np.where((part > 0) & (rest > 0), spread, 0.0))
