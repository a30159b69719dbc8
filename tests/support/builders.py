"""Networks, trainings and codes put together for tests, as the stages of a run do it."""

from multiprocessing.connection import Connection
from pathlib import Path

from toggles import EVERY_EPOCH, ON_THE_CPU, tiny_recipe, toggles

from cubespace.autoencoder.building import build_network, load_extensions, new_network, phases
from cubespace.autoencoder.learner import train_network
from cubespace.autoencoder.model import SpaceAutoEncoder
from cubespace.autoencoder.network_code import NetworkCode
from cubespace.autoencoder.resuming import TrainingRun
from cubespace.data.domain import Pairs
from cubespace.learning.bit_learner import Work
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import make_learner, parts_of
from cubespace.settings.recipe import AutoencoderConfig, Execution, Recipe, TrainConfig

PAPER = TrainConfig(extensions=())  # the joint training alone


def build_model(
    config: AutoencoderConfig, image_shape: tuple[int, ...], train: TrainConfig = PAPER
) -> SpaceAutoEncoder:
    """An untrained network, with the parts that the extensions of a training add."""
    return build_network(config, train, image_shape, parts_of(load_plugins(), ON_THE_CPU))


def code_of(model: SpaceAutoEncoder, recipe: Recipe | None = None) -> NetworkCode:
    """A network as the code that it stands for, whether it was trained or not."""
    recipe = recipe or Recipe()
    return NetworkCode(model, recipe.autoencoder, recipe.train)


def training_run(
    folder: Path, training: Pairs, validation: Pairs, recipe: Recipe, execution: Execution = ON_THE_CPU
) -> TrainingRun:
    """A training in a folder, of a network with seeded weights."""
    parts = parts_of(load_plugins(), execution)
    return TrainingRun(
        folder,
        new_network(recipe.autoencoder, recipe.train, training.before.shape[1:], parts),
        training,
        validation,
        recipe,
        objective=parts.create("objective", recipe.autoencoder.objective, recipe.train.losses),
        phases=phases(load_extensions(recipe.train.extensions, parts)),
        execution=execution,
    )


def work_in(folder: Path, recipe: Recipe | None = None, execution: Execution = ON_THE_CPU) -> Work:
    """What a stage gives a learner besides pictures."""
    recipe = recipe or Recipe()
    return Work(folder=folder, seed=recipe.train.seed, recipe=recipe, parts=parts_of(load_plugins(), execution))


def trained_code(
    folder: Path, training: Pairs, validation: Pairs, recipe: Recipe, execution: Execution = ON_THE_CPU
) -> NetworkCode:
    """Train to the end and return the code of the network."""
    return train_network(training, validation, work_in(folder, recipe, execution))


def learned_code(spec: str, folder: Path, pairs: Pairs) -> Code:
    """What a learner that is not trained by gradient makes of pairs of pictures; a tenth of them is held out."""
    held_out = len(pairs) // 10
    return make_learner(load_plugins(), spec).learn(pairs[held_out:], pairs[:held_out], work_in(folder))


def train_in_a_process(folder: Path, length: int, news: Connection) -> None:
    """Train a tiny network and tell after each epoch; here, since a child process cannot import a test file."""
    run = training_run(folder, toggles(100), toggles(20, 1), tiny_recipe(epochs=length), execution=EVERY_EPOCH)
    news.send(run.done)
    for row in run:
        news.send(row["epoch"])
