"""From bits to a STRIPS model: which effects there are, when they apply, and which actions are not needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import attrs
import numpy as np

from cubespace import inference
from cubespace.autoencoder import SpaceAutoEncoder
from cubespace.config import ExtractConfig
from cubespace.dependence import dependent_bits
from cubespace.domains import Images
from cubespace.errors import InputError, UsageError
from cubespace.mutex import find_mutexes
from cubespace.preconditions import Evidence, PreconditionLearner
from cubespace.strips import Bits, Indices, StripsModel, literals, load_strips, save_strips
from cubespace.transitions import Pairs

__all__ = ["Effects", "Report", "extract", "extract_bits", "find_effects", "load_strips", "save_strips"]


@attrs.frozen(eq=False, kw_only=True)
class Effects:
    """Distinct effects, the most frequent first."""

    add: Bits  # (effects, bits)
    delete: Bits  # (effects, bits)
    action: Indices  # (transitions,), the effect that each transition is an example of, or -1
    label: Indices | None  # (effects,), the network's label that most of the examples have

    @property
    def support(self) -> Indices:
        """Return the number of examples of each effect."""
        return np.bincount(self.action[self.action >= 0], minlength=len(self.add))


@attrs.frozen(kw_only=True)
class Report:
    """What the extraction found."""

    transitions: int
    labels: int | None  # |A|: distinct labels that the network gives
    differences: int  # |D|: distinct pairs (z1 - z0, z0 - z1)
    idle: int  # transitions that change no bit
    rare: int  # effects left out because too few transitions showed them
    accidents: int  # effects that the precondition learner gave no conjunction
    merged: int  # actions left out because another one does the same whenever they apply
    actions: int
    literals: float  # preconditions per action
    covered: float  # rate of training transitions that an applicable action reproduces


def extract(
    network: SpaceAutoEncoder, pairs: Pairs, config: ExtractConfig, learner: PreconditionLearner
) -> tuple[StripsModel, dict[str, Any]]:
    """Return the model of a trained network, read off the training split, and the report as a table."""
    before, after = inference.encode(network, pairs.before), inference.encode(network, pairs.after)
    strips = network.progress.strips
    if config.effects == "network" and not strips:
        raise UsageError("This apply module has no STRIPS effects: set extract.effects to differences or observed.")
    model, report = extract_bits(
        before,
        after,
        learner,
        draw=lambda states: inference.draw(network, states),
        look=lambda pictures: inference.encode(network, pictures),
        effects=config.effects,
        min_support=config.min_support,
        labels=inference.label(network, before, after),
        network=inference.effects(network) if strips else None,
        seed=config.seed,
    )
    return model, attrs.asdict(report)


def extract_bits(
    before: Bits,
    after: Bits,
    learner: PreconditionLearner,
    *,
    draw: Callable[[Bits], Images],
    look: Callable[[Images], Bits],
    effects: Literal["differences", "network", "observed"] = "differences",
    min_support: int = 1,
    labels: Indices | None = None,
    network: tuple[Bits, Bits] | None = None,
    seed: int = 0,
) -> tuple[StripsModel, Report]:
    """Return the model of encoded transitions, (transitions, bits) each, and what was found on the way."""
    found = find_effects(effects, before, after, labels, network)
    if not len(found.add):
        raise InputError("No training transition changes a bit: the network has collapsed, train it longer or anew.")
    frequent = found.support >= min_support
    if not frequent.any():
        most = int(found.support.max())
        raise UsageError(
            f"No effect was seen {min_support} times, the most frequent {most}: lower extract.min_support."
        )
    kept = _select(found, frequent)
    model = _assemble(kept, before, learner, draw, look, np.random.default_rng(seed))
    sources = len(np.unique(np.concatenate([model.add, model.delete], axis=1), axis=0))
    if not model.actions:
        raise InputError("No effect is left: wherever they were tried, they led to no picture. Train longer or anew.")
    needless = dominated(model)
    model = _rows(model, ~needless)
    states = np.concatenate([before, after])
    model = attrs.evolve(model, mutexes=find_mutexes(model, states), groups=dependent_bits(states))
    report = Report(
        transitions=len(before),
        labels=None if labels is None else len(np.unique(labels)),
        differences=len(_differences(before, after, labels).add),
        idle=int((before == after).all(1).sum()),
        rare=int((~frequent).sum()),
        accidents=len(kept.add) - sources,
        merged=int(needless.sum()),
        actions=model.actions,
        literals=round(float((model.positive.sum() + model.negative.sum()) / model.actions), 2),
        covered=round(_covered(model, before, after), 4),
    )
    return model, report


def find_effects(
    kind: str, before: Bits, after: Bits, labels: Indices | None = None, network: tuple[Bits, Bits] | None = None
) -> Effects:
    """Return the effects of a kind; those that change nothing are left out.

    ``differences``: the distinct (z1 - z0, z0 - z1), free of the network's labels. ``network``: the masks of each label
    that occurs. ``observed``: what the transitions of a label were seen to add and delete (the paper, after Theorem 2).
    """
    if kind == "differences":
        return _differences(before, after, labels)
    if labels is None:
        raise ValueError(f"effects of kind '{kind}' need the network's labels")
    used, action = np.unique(labels, return_inverse=True)
    if kind == "observed":
        counts = np.zeros((2, len(used), before.shape[1]), dtype=np.intp)
        np.add.at(counts[0], action, ~before & after)
        np.add.at(counts[1], action, before & ~after)
        # a bit that was seen to go both ways does not keep the theorem; the majority decides
        add, delete = (counts[0] > 0) & (counts[0] >= counts[1]), counts[1] > counts[0]
    elif network is None:
        raise ValueError("effects of kind 'network' need the network's masks")
    else:
        add, delete = (mask[used] for mask in network)
    return _distinct(add[action], delete[action], labels)


def _differences(before: Bits, after: Bits, labels: Indices | None) -> Effects:
    return _distinct(~before & after, before & ~after, labels)


def _distinct(add: Bits, delete: Bits, labels: Indices | None) -> Effects:
    """Group the transitions by the effect they show, (transitions, bits) each."""
    bits = add.shape[1]
    packed = np.packbits(np.concatenate([add, delete], axis=1), axis=1)
    rows, first, action, count = np.unique(packed, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -count))
    order = order[rows[order].any(1)]  # the effect that changes nothing is none
    place = np.full(len(rows), -1)
    place[order] = np.arange(len(order))
    action = place[action.ravel()]
    effects = np.unpackbits(rows[order], axis=1, count=2 * bits).astype(np.bool_)
    label = (
        None if labels is None else np.array([_mode(labels[action == row]) for row in range(len(order))], dtype=np.intp)
    )
    return Effects(add=effects[:, :bits], delete=effects[:, bits:], action=action, label=label)


def _mode(labels: Indices) -> int:
    values, counts = np.unique(labels, return_counts=True)
    return int(values[counts.argmax()])


def _select(effects: Effects, rows: Bits) -> Effects:
    """Return some of the effects."""
    place = np.append(np.where(rows, np.cumsum(rows) - 1, -1), -1)  # the last one is where -1 points
    label = None if effects.label is None else effects.label[rows]
    return Effects(add=effects.add[rows], delete=effects.delete[rows], action=place[effects.action], label=label)


def _assemble(
    effects: Effects,
    before: Bits,
    learner: PreconditionLearner,
    draw: Callable[[Bits], Images],
    look: Callable[[Images], Bits],
    rng: np.random.Generator,
) -> StripsModel:
    """Learn the preconditions and put the actions together, one per conjunction.

    A name tells where the action comes from: a17-d3-n25 has label 17 and is difference 3, seen 25 times; -p1 is its
    second conjunction.
    """
    shown = effects.action >= 0
    evidence = Evidence(
        before=before[shown],
        action=effects.action[shown],
        add=effects.add,
        delete=effects.delete,
        draw=draw,
        look=look,
        rng=rng,
    )
    learned = learner.learn(evidence)
    if not len(learned.action):
        raise InputError(
            "Every effect leads to states that no picture has: the network draws too badly, train it longer."
        )
    support = effects.support
    turn = np.arange(len(learned.action)) - np.searchsorted(learned.action, learned.action)
    names = []
    for row, part in zip(learned.action.tolist(), turn.tolist(), strict=True):
        label = "" if effects.label is None else f"a{effects.label[row]}-"
        names.append(f"{label}d{row}-n{support[row]}" + (f"-p{part}" if part else ""))
    return StripsModel(
        names=names,
        add=effects.add[learned.action],
        delete=effects.delete[learned.action],
        positive=learned.positive,
        negative=learned.negative,
        support=support[learned.action],
        cost=np.ones(len(names), dtype=np.intp),
    )


def dominated(model: StripsModel) -> Bits:
    """Return the actions to leave out: another applies wherever they do, does the same there, and costs no more."""
    needed, made = literals(model.positive, model.negative), literals(model.add, model.delete)  # (actions, 2 bits)
    result = needed & ~literals(model.delete, model.add) | made  # what is known after the action
    # better[i, j]: action j can stand in for action i
    better = _within(needed, needed).T & _within(made, result).T & _within(made & ~needed, made)
    better &= model.cost <= model.cost[:, None]
    first = np.tri(model.actions, k=-1, dtype=np.bool_)  # j comes before i
    return np.asarray((better & (first | ~better.T)).any(1), dtype=np.bool_)  # of two equal ones the first stays


def _within(some: Bits, others: Bits, chunk: int = 1024) -> Bits:
    """Return whether each row of ``some`` is contained in each row of ``others``."""
    outside = (~others).T.astype(np.float32)
    parts = [some[start : start + chunk].astype(np.float32) @ outside == 0 for start in range(0, len(some), chunk)]
    return np.concatenate(parts)


def _rows(model: StripsModel, rows: Bits) -> StripsModel:
    """Return a model of some of the actions."""
    masks = {name: getattr(model, name)[rows] for name in ("add", "delete", "positive", "negative", "support", "cost")}
    return attrs.evolve(
        model, names=[name for name, kept in zip(model.names, rows.tolist(), strict=True) if kept], **masks
    )


def _covered(model: StripsModel, before: Bits, after: Bits, chunk: int = 1000) -> float:
    """Return the rate of transitions that an applicable action reproduces."""
    hits = 0
    for start in range(0, len(before), chunk):
        states, goals = before[start : start + chunk], after[start : start + chunk]
        rows, actions = np.nonzero(model.applicable(states))
        same = (model.apply(states[rows], actions) == goals[rows]).all(1)
        hits += len(np.unique(rows[same]))
    return hits / len(before)
