"""A training of seconds, for the suites of learners, objectives and training steps."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.data.domain import Pairs
from cubespace.learning.bit_learner import Parts, Work
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.settings.recipe import AutoencoderConfig, ConsolidationConfig, Execution, Recipe, TrainConfig
from cubespace.testing.pictures import BITS, World

ACTIONS = 20  # labels
HELD_OUT = 40  # pairs of a world that nothing is learned from
SHORT = Recipe(
    autoencoder=AutoencoderConfig(bits=BITS, actions=ACTIONS, action_width=BITS),
    train=TrainConfig(
        extensions=(),
        epochs=2,
        action_epochs=1,
        discriminator_epochs=1,
        discriminator_width=BITS,
        decoder_epochs=1,
        batch=40,
        consolidation=ConsolidationConfig(rounds=1, epochs=1),
    ),
)
EXECUTION = Execution(device="cpu", checkpoint_seconds=0.0)


def parts() -> Parts:
    """Return all parts that are installed."""
    return parts_of(load_plugins(), EXECUTION)


def work_in(folder: Path, *extensions: str) -> Work:
    """Return what a learner is given besides pictures."""
    recipe = attrs.evolve(SHORT, train=attrs.evolve(SHORT.train, extensions=extensions))
    return Work(folder=folder, seed=0, recipe=recipe, parts=parts())


def split(world: World) -> tuple[Pairs, Pairs]:
    """Return the training pairs of a world and those that are held out."""
    pairs = Pairs(world.before, world.after)
    return pairs[HELD_OUT:], pairs[:HELD_OUT]
