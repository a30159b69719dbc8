"""From bits to a STRIPS model: which effects there are, when they apply, and which actions are not needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import attrs
import numpy as np

from cubespace.base.arrays import Bits, Images, Indices, literals
from cubespace.base.differences import group_effects
from cubespace.base.errors import InputError, UsageError
from cubespace.base.numbers import fixed, rounded
from cubespace.symbols.bit_groups import dependent_bits
from cubespace.symbols.effects import Effects, differences, find_effects, select
from cubespace.symbols.invariants import find_mutexes
from cubespace.symbols.precondition_learner import Evidence, PreconditionLearner, check_preconditions
from cubespace.symbols.strips import StripsModel


@attrs.frozen(kw_only=True)
class ExtractionReport:
    """What the extraction found."""

    transitions: int
    labels: int | None  # |A|: distinct labels that the network gives
    differences: int  # |D|: distinct pairs (z1 - z0, z0 - z1)
    idle: int  # transitions that change no bit
    rare: int  # effects left out because too few transitions showed them
    accidents: int  # effects that the precondition learner gave no conjunction
    merged: int  # actions left out because another one does the same wherever they are applicable
    actions: int
    literals: float  # preconditions per action
    covered: float  # fraction of training transitions that an applicable action reproduces

    @property
    def summary(self) -> str:
        """Return one line for the user."""
        return (
            f"{self.actions} actions from {self.differences} differences of {self.transitions} transitions, "
            f"{self.literals} literals each, covering {fixed(self.covered)} of the training transitions"
        )


def extract(
    before: Bits,
    after: Bits,
    learner: PreconditionLearner,
    *,
    draw: Callable[[Bits], Images],
    look: Callable[[Images], Bits],
    effects: Literal["differences", "network", "observed", "predicted"] = "differences",
    min_support: int = 1,
    labels: Indices | None = None,
    predicted: Bits | None = None,  # the successors that the network predicts
    network: tuple[Bits, Bits] | None = None,  # the effects of each label, and what the network expects before it
    certain_before: Bits | None = None,
    groups: Sequence[int] | None = None,
    seed: int = 0,
) -> tuple[StripsModel, ExtractionReport]:
    """Return the model of encoded transitions, (transitions, bits) each, and a report."""
    found = find_effects(effects, before, after if predicted is None else predicted, labels, network)
    kept = _frequent(found, min_support, effects)
    known = None if groups is None else np.asarray(groups, dtype=np.intp)
    certain = certain_before[kept.label] if certain_before is not None and kept.label is not None else None
    model = _assemble(kept, before, learner, draw, look, certain, known, np.random.default_rng(seed))
    learned_effects, needless = len(group_effects(model.add, model.delete)), dominated(model)
    model = model.select(~needless)
    states = np.concatenate([before, after])
    known = dependent_bits(states) if known is None else known
    model = attrs.evolve(model, mutexes=find_mutexes(model, states), groups=known)
    report = ExtractionReport(
        transitions=len(before),
        labels=None if labels is None else len(np.unique(labels)),
        differences=len(differences(before, after, labels).add),
        idle=int((before == after).all(1).sum()),
        rare=len(found.add) - len(kept.add),
        accidents=len(group_effects(kept.add, kept.delete)) - learned_effects,
        merged=int(needless.sum()),
        actions=model.actions,
        literals=round(float((model.positive.sum() + model.negative.sum()) / model.actions), 2),
        covered=rounded(float((model.reproduce(before, after) >= 0).mean())),
    )
    return model, report


def _frequent(found: Effects, min_support: int, source: str) -> Effects:
    """Return the effects that enough transitions show; an error names the reason if there are none."""
    if not len(found.add):
        reasons = {
            "network": "The apply module predicts no change of a training transition exactly",
            "observed": "No training transition changes a bit: the network has collapsed",
            "predicted": "The apply module predicts that nothing ever changes: the network has collapsed",
            "differences": "No training transition changes a bit: the network has collapsed",
        }
        raise InputError(f"{reasons[source]}. Train it longer or with another seed.")
    frequent = found.support >= min_support
    if not frequent.any():
        most = int(found.support.max())
        raise UsageError(
            f"No effect was seen {min_support} times; the most frequent one was seen {most} times: lower "
            "extract.min_support."
        )
    return select(found, frequent)


def _assemble(
    effects: Effects,
    before: Bits,
    learner: PreconditionLearner,
    draw: Callable[[Bits], Images],
    look: Callable[[Images], Bits],
    certain: Bits | None,
    groups: Indices | None,
    rng: np.random.Generator,
) -> StripsModel:
    """Learn the preconditions and put the actions together, one per conjunction."""
    shown = effects.action >= 0
    evidence = Evidence(
        before=before[shown],
        action=effects.action[shown],
        add=effects.add,
        delete=effects.delete,
        draw=draw,
        look=look,
        rng=rng,
        certain=certain,
        groups=groups,
    )
    learned = learner.learn(evidence)
    check_preconditions(learned, evidence, learner)
    if not len(learned.action):
        raise InputError(
            "Every effect leads to states that no picture has: the network draws too badly. Train it longer."
        )
    return StripsModel(
        names=_names(effects, learned.action),
        add=effects.add[learned.action],
        delete=effects.delete[learned.action],
        positive=learned.positive,
        negative=learned.negative,
        support=effects.support[learned.action],
        cost=np.ones(len(learned.action), dtype=np.intp),
    )


def _names(effects: Effects, action: Indices) -> list[str]:
    """Return a name for each conjunction, given the effect that it belongs to, ascending.

    The name shows where an action comes from: a17-d3-n25 has label 17 and is difference 3, seen 25 times; -p1 marks its
    second conjunction.
    """
    support = effects.support
    turn = np.arange(len(action)) - np.searchsorted(action, action)
    names = []
    for row, part in zip(action.tolist(), turn.tolist(), strict=True):
        label = "" if effects.label is None else f"a{effects.label[row]}-"
        names.append(f"{label}d{row}-n{support[row]}" + (f"-p{part}" if part else ""))
    return names


def dominated(model: StripsModel) -> Bits:
    """Return the actions to leave out: another applies wherever they do, does the same there, and costs no more."""
    needed, made = literals(model.positive, model.negative), literals(model.add, model.delete)  # (actions, 2 bits)
    result = needed & ~literals(model.delete, model.add) | made  # what is known after the action
    # better[i, j]: action j can stand in for action i
    better = _within(needed, needed).T & _within(made, result).T & _within(made & ~needed, made)
    better &= model.cost <= model.cost[:, None]
    first = np.tri(model.actions, k=-1, dtype=np.bool_)  # j comes before i
    return np.asarray((better & (first | ~better.T)).any(1), dtype=np.bool_)  # of two equal ones the first stays


def _within(rows: Bits, others: Bits, chunk: int = 1024) -> Bits:
    """Return whether each row of ``rows`` is contained in each row of ``others``."""
    outside = (~others).T.astype(np.float32)
    parts = [rows[start : start + chunk].astype(np.float32) @ outside == 0 for start in range(0, len(rows), chunk)]
    return np.concatenate(parts)
