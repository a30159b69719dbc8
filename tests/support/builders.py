"""Networks and trainings put together for tests, as the stages of a run do it."""

from pathlib import Path
from typing import Any

from cubespace.data.domain import Pairs
from cubespace.learning.autoencoder import SpaceAutoEncoder
from cubespace.learning.encoder import Layout
from cubespace.learning.resumable_training import Pictures, TrainingRun
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.networks import build_network, new_network, read_network
from cubespace.settings.recipe import Execution, ModelConfig, Recipe


def build_model(config: ModelConfig, image_shape: tuple[int, ...]) -> SpaceAutoEncoder:
    """An untrained network with as many bits as the settings say."""
    return build_network(load_plugins(), config, image_shape, Layout(bits=config.bits))


def training_run(
    folder: Path, training: Pictures, validation: Pictures, recipe: Recipe, execution: Execution | None = None
) -> TrainingRun:
    """A training in a folder, of a network with seeded weights."""
    pairs = Pairs(training.before, training.after)
    network = new_network(load_plugins(), recipe.model, pairs, recipe.train.seed)
    return TrainingRun(folder, network, training, validation, recipe, execution=execution)


def train_run(*arguments: Any, **settings: Any) -> SpaceAutoEncoder:
    """Train to the end and return the network."""
    run = training_run(*arguments, **settings)
    for _ in run:
        pass
    return run.model


def load_model(path: Path, device: str = "cpu") -> SpaceAutoEncoder:
    """Read a trained network."""
    return read_network(load_plugins(), path, device)
