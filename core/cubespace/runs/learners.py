"""Bit learners put together from the components that settings name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from cubespace.base.options import parse_spec
from cubespace.learning.bit_learner import BitLearner, EffectSource, Parts
from cubespace.learning.code import Code, SavedCode
from cubespace.learning.code_file import load_code
from cubespace.plugins.blame import blame, stand_for
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.recipe import Execution, Recipe
from cubespace.settings.run_config import RunConfig


def make_learner(catalogue: Catalogue, spec: str) -> BitLearner:
    """Return the learner that a spec names."""
    learner: BitLearner = catalogue.create("learner", spec)
    return learner


def quick_learners(catalogue: Catalogue) -> dict[str, BitLearner]:
    """Return all learners that take seconds, by name."""
    names = [name for name in catalogue.names("learner") if catalogue.find("learner", name).load().quick]
    return {name: make_learner(catalogue, name) for name in names}


def parts_of(catalogue: Catalogue, execution: Execution) -> Parts:
    """Return how a learner gets its parts from the installed plugins."""

    def load(kind: str, spec: str) -> type[Any]:
        return catalogue.find(kind, parse_spec(spec).name).load()

    return Parts(create=catalogue.create, load=load, execution=execution)


def effect_source(learner: BitLearner, config: RunConfig, catalogue: Catalogue) -> EffectSource:
    """Return where the effects of a run come from: as the settings say, or else as its learner has it."""
    if config.extract.effects != "auto":
        return config.extract.effects
    recipe = Recipe(autoencoder=config.autoencoder, train=config.train)
    return learner.effects(recipe, parts_of(catalogue, Execution()))


def read_code(catalogue: Catalogue, path: Path, execution: Execution) -> Code:
    """Read the code of a run, by the learner that made it."""
    return load_code(path, partial(_read, catalogue, execution))


def _read(catalogue: Catalogue, execution: Execution, learner: str, saved: SavedCode) -> Code:
    made = make_learner(catalogue, learner)
    with blame(made):
        code = made.read(saved, parts_of(catalogue, execution))
    stand_for(code, made)
    return code
