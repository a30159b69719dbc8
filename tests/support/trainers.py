"""Trainers on the tiny world, for tests of single epochs."""

import attrs
import torch
from builders import build_model
from toggles import EVERY_EPOCH, tiny_recipe, toggles

from cubespace.autoencoder.building import load_extensions, phases
from cubespace.autoencoder.inference import as_pixels
from cubespace.autoencoder.table_1 import table_1
from cubespace.autoencoder.training import Trainer
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.learners import parts_of
from cubespace.settings.recipe import Execution, Recipe

# bits are given up from the first moment on, however few updates there are
BAYES = {
    "action": "posterior",
    "objective": "likelihood:weak=1.0,drawn_well=9.0",
    "decoder": "sprites",
}


def bayes_recipe(apply: str = "btl", **train: object) -> Recipe:
    """A short training with the parts of our recipe: bits are held and labels given anew within it."""
    recipe = tiny_recipe(apply, **{"extensions": (), "epochs": 10, **train})
    return attrs.evolve(recipe, autoencoder=attrs.evolve(recipe.autoencoder, **BAYES))


def trainer(recipe: Recipe, execution: Execution = EVERY_EPOCH, seed: int = 0, count: int = 100) -> Trainer:
    torch.manual_seed(seed)
    parts = parts_of(load_plugins(), execution)
    model = build_model(recipe.autoencoder, (12, 12), recipe.train)
    splits = (toggles(count), toggles(20, 1))
    images, validation = (torch.stack([as_pixels(part) for part in (s.before, s.after)]) for s in splits)
    return Trainer(
        model,
        images,
        validation,
        recipe.train,
        objective=parts.create("objective", recipe.autoencoder.objective, recipe.train.losses),
        phases=phases(load_extensions(recipe.train.extensions, parts)),
        execution=execution,
        before_rewriting=lambda: {"validation": table_1(model, validation)},
    )
