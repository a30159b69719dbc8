"""The components that a configuration names, checked before any work is done and written in a canonical form."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.base.errors import InputError, UsageError
from cubespace.base.options import Spec, parse_spec
from cubespace.base.words import listed
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO, TrainConfig, is_of_training
from cubespace.settings.run_config import RunConfig

PARTS = ("encoder", "decoder", "action", "objective")  # of the network, each a kind of component and a setting


def resolve_components(loaded: Catalogue, config: RunConfig) -> RunConfig:
    """Refuse unknown names and bad options; return the configuration without options that equal their default.

    So ``mnist`` and ``mnist:size=3`` are the same run. An apply module chooses the learner that has one.
    """
    config = choose_learner(config)
    network, extract, plan = config.autoencoder, config.extract, config.plan
    named = [
        ("domain", config.domain),
        ("learner", config.learner.name),
        *((part, getattr(network, part)) for part in PARTS),
        ("apply", defaults.APPLY if network.apply is None else network.apply),
        ("precondition", extract.precondition),
        *(("extension", name) for name in config.train.extensions),
        *(("planner", spec) for spec in plan.planners),
    ]
    for kind, text in named:  # all names first: options need imports
        if text != AUTO:
            loaded.find(kind, parse_spec(text).name)
    plain = {kind: _plain(loaded, kind, text) for kind, text in named if kind not in ("extension", "planner")}
    learner, apply = plain["learner"], plain["apply"]
    trains = learner != AUTO and bool(loaded.find("learner", parse_spec(learner).name).load().trained)
    if not trains and learner != AUTO:
        config = refuse_settings_of_training(config)
    action, objective = _for_apply(loaded, apply, plain["action"], plain["objective"])
    return attrs.evolve(
        config,
        domain=plain["domain"],
        learner=attrs.evolve(config.learner, name=learner),
        autoencoder=attrs.evolve(
            network,
            apply=apply if trains else network.apply,
            encoder=plain["encoder"],
            decoder=plain["decoder"],
            action=action if trains else network.action,
            objective=objective if trains else network.objective,
        ),
        extract=attrs.evolve(extract, precondition=plain["precondition"]),
        plan=attrs.evolve(plan, planners=tuple(_plain(loaded, "planner", spec) for spec in plan.planners)),
    )


def _for_apply(loaded: Catalogue, apply: str, action: str, objective: str) -> tuple[str, str]:
    """Return the action model and the objective; the default ones need an apply module with STRIPS effects."""
    ours = (action, objective) == (defaults.ACTION_MODEL, defaults.OBJECTIVE)
    if not ours or loaded.find("apply", parse_spec(apply).name).load().strips:
        return action, objective
    return defaults.ACTION_MODEL_WITHOUT_EFFECTS, defaults.OBJECTIVE_WITHOUT_EFFECTS


def choose_learner(config: RunConfig) -> RunConfig:
    """Return the configuration with the learner that an explicit apply module belongs to, unless one is named."""
    if config.autoencoder.apply is None or config.learner.name != AUTO:
        return config
    return attrs.evolve(config, learner=attrs.evolve(config.learner, name=defaults.TRAINED_LEARNER))


def refuse_settings_of_training(config: RunConfig) -> RunConfig:
    """Raise if settings of gradient training are given to a learner that has none.

    A precision, which may be meant for the other cells of a matrix, is left out of the configuration that is returned.
    """
    config = attrs.evolve(config, train=attrs.evolve(config.train, precision=TrainConfig().precision))
    given = [key for key in config.settings_of("train") if is_of_training(key)]
    if given:
        name = config.learner.name
        what = f"apply module '{config.autoencoder.apply}'" if "autoencoder.apply" in given else listed(given, ", ")
        raise UsageError(
            f"learner '{name}' trains nothing by gradient, so {what} would have no influence: "
            f"use --learner {defaults.TRAINED_LEARNER}, or leave {'it' if len(given) == 1 else 'them'} out"
        )
    return config


def refuse_missing_files(loaded: Catalogue, config: RunConfig) -> None:
    """Raise if a file or folder that the domain is to read does not exist, before a run folder is created."""
    spec = parse_spec(config.domain)
    options = loaded.find("domain", spec.name).options(spec.options)
    for field in attrs.fields(type(options)):
        path = getattr(options, field.name)
        if isinstance(path, Path) and not path.expanduser().exists():
            raise InputError(f"'{path}' does not exist: {spec.name}:{field.name}=… names what to read")


def _plain(loaded: Catalogue, kind: str, text: str) -> str:
    """Return the shortest spec of the same component: options in a fixed order, without those at their default."""
    if text == AUTO:
        return text
    spec = parse_spec(text)
    component = loaded.find(kind, spec.name)
    meant, defaults = component.options(spec.options), component.options({})
    needed = {
        field.name: getattr(meant, field.name)
        for field in attrs.fields(type(meant))
        if getattr(meant, field.name) != getattr(defaults, field.name)
    }
    plain = str(Spec(spec.name, needed))
    same = component.options(parse_spec(plain).options) == meant  # a value that would change stays as it was written
    return plain if same else text
