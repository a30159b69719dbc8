"""The line printed before a run does any work: the learner, whether it trains by gradient, the sources of the model."""

from __future__ import annotations

from cubespace.base.words import listed
from cubespace.learning.bit_learner import BitLearner
from cubespace.learning.learner_record import USUAL_PRECISION, outline_parts, title
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.learners import effect_source, make_learner, quick_learners
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO, Recipe
from cubespace.settings.run_config import RunConfig
from cubespace.symbols.effects import SOURCES


def announce(config: RunConfig, catalogue: Catalogue) -> str:
    """Return one line; with ``auto``, what is tried and what happens if nothing fits."""
    if config.learner.name == AUTO:
        return f"learner auto: {_tried(config, catalogue)}; {_open_sources(config)}"
    learner = make_learner(catalogue, config.learner.name)
    source = SOURCES[effect_source(learner, config, catalogue)]
    precondition = learner.precondition if config.extract.precondition == AUTO else config.extract.precondition
    return f"{announce_learner(config.learner.name, learner, config)}; effects: {source}; preconditions: {precondition}"


def announce_learner(spec: str, learner: BitLearner, config: RunConfig) -> str:
    """Return a learner, its method, whether it trains by gradient and, if so, with which parts."""
    steps = f", with the steps {', '.join(config.train.extensions)}" if config.train.extensions else ""
    arithmetic = "" if config.train.precision == USUAL_PRECISION else f" in {config.train.precision}"
    how = f"trained by gradient{arithmetic}{steps}" if learner.trained else "no gradient training"
    parts = outline_parts(_parts(learner, config))
    what = "; ".join([how, *([parts] if parts else [])])
    return f"learner {_title(spec, learner, config)}: {learner.method or 'a bit learner'} ({what})"


def _tried(config: RunConfig, catalogue: Catalogue) -> str:
    trained = make_learner(catalogue, defaults.TRAINED_LEARNER)
    otherwise = f"trains {_title(defaults.TRAINED_LEARNER, trained, config)} by gradient"
    quick = list(quick_learners(catalogue))
    return f"tries {listed(quick, ', ')} without gradient training; if none fits, {otherwise}" if quick else otherwise


def _open_sources(config: RunConfig) -> str:
    """Return where effects and preconditions come from, as far as the settings say."""
    by_learner = "chosen by the learner"
    effects = by_learner if config.extract.effects == AUTO else SOURCES[config.extract.effects]
    precondition = by_learner if config.extract.precondition == AUTO else config.extract.precondition
    if effects == precondition:
        return f"effects and preconditions: {by_learner}"
    return f"effects: {effects}; preconditions: {precondition}"


def _title(spec: str, learner: BitLearner, config: RunConfig) -> str:
    return title(spec, _parts(learner, config))


def _parts(learner: BitLearner, config: RunConfig) -> dict[str, str]:
    """Return the specs of what the learner is put together from, by kind."""
    return dict(learner.components(Recipe(autoencoder=config.autoencoder, train=config.train)))
