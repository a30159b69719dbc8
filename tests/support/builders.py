"""Networks and trainings put together for tests, as the stages of a run do it."""

from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.encoder import Layout
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.resuming import Pictures, TrainingRun
from cubespace.data.domain import Pairs
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.stages.networks import build_network, new_network, read_network
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


def train_in_a_process(folder: Path, length: int, news: Connection) -> None:
    """Train a tiny network and tell after each epoch; here, since a child process cannot import a test file."""
    run = training_run(folder, toggles(100), toggles(20, 1), tiny_recipe(epochs=length), execution=EVERY_EPOCH)
    news.send(run.done)
    for row in run:
        news.send(row["epoch"])
