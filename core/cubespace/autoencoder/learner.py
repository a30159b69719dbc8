"""The training of a network from pairs of pictures: what the learner ``autoencoder`` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from cubespace.autoencoder.building import load_extensions, new_network, part_specs, phases
from cubespace.autoencoder.network_code import NetworkCode
from cubespace.autoencoder.objective import Objective
from cubespace.autoencoder.resuming import TrainingRun
from cubespace.autoencoder.training import Row
from cubespace.base.errors import CubeError
from cubespace.base.numbers import fixed
from cubespace.learning.bit_learner import Work
from cubespace.learning.code import Training
from cubespace.learning.measures import Measures

if TYPE_CHECKING:
    from cubespace.data.domain import Pairs


def train_network(training: Pairs, held_out: Pairs, work: Work) -> NetworkCode:
    """Train a network by gradient; the same call again continues where it was interrupted."""
    recipe, parts = attrs.evolve(work.recipe, train=attrs.evolve(work.recipe.train, seed=work.seed)), work.parts
    config, train = recipe.autoencoder, recipe.train
    model = new_network(config, train, training.before.shape[1:], parts)
    objective: Objective = parts.create("objective", config.objective, train.losses)
    objective.check(model)

    def measured() -> Mapping[str, Any]:
        code = NetworkCode(model, config, train)
        return {split: attrs.asdict(measures) for split, measures in work.measure(code).items()}

    run = TrainingRun(
        work.folder,
        model,
        training,
        held_out,
        recipe,
        objective=objective,
        phases=phases(load_extensions(train.extensions, parts)),
        execution=parts.execution,
        before_rewriting=measured,
    )
    for note in _notes(run, train.precision):
        work.observer.say(note)
    for row in run:
        work.observer.step(row["epoch"], run.epochs, _brief(row))
        work.observer.epoch(row)
    trainer = run.trainer
    if trainer.updates == 0:
        raise CubeError("nothing was trained: a network without gradient updates is not a model")
    trained = Training(
        updates=trainer.updates,
        phases=tuple(phase.name for phase in trainer.plan),
        parts=part_specs(config),
        precision=train.precision,
        rewritten=any(phase.rewrites for phase in trainer.plan),
        before_rewriting={name: Measures(**table) for name, table in trainer.as_trained.items()} or None,
    )
    return NetworkCode(run.model, config, train, trained)


def _notes(run: TrainingRun, precision: str) -> list[str]:
    """Return what the user should know before the first epoch."""
    notes = [*run.notes]
    notes += [] if precision == "float32" else [f"train: in {precision}"]
    return [*notes, f"train: going on after epoch {run.done}"] if run.done else notes


def _brief(row: Row) -> str:
    """Return the part of a training row that fits beside a bar."""
    held_out = (("Rec", "reconstruction"), ("Succ", "successor"), ("Direct", "direct"))
    parts = [f"{short} {fixed(row[f'validation_{name}'])}" for short, name in held_out]
    return f"{row['phase']}: loss {fixed(row['total'])}, {', '.join(parts)}"
