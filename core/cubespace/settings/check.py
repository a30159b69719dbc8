"""The components that a configuration names, checked before any work is done and written in a canonical form."""

from __future__ import annotations

from pathlib import Path

import attrs

from cubespace.base.errors import InputError
from cubespace.base.options import Spec, parse_spec
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.recipe import AUTO
from cubespace.settings.run_config import RunConfig


def resolve_components(loaded: Catalogue, config: RunConfig) -> RunConfig:
    """Refuse unknown names and bad options; return the configuration without options that equal their default.

    So ``mnist`` and ``mnist:size=3`` are the same run.
    """
    model, extract, plan = config.model, config.extract, config.plan
    named = [
        ("domain", config.domain),
        ("encoder", model.encoder),
        ("decoder", model.decoder),
        ("apply", model.apply),
        ("precondition", extract.precondition),
        *(("planner", spec) for spec in plan.planners),
    ]
    for kind, text in named:  # all names first: options need imports
        if text != AUTO:
            loaded.find(kind, parse_spec(text).name)
    domain, encoder, decoder, apply, precondition, *planners = (_plain(loaded, kind, text) for kind, text in named)
    return attrs.evolve(
        config,
        domain=domain,
        model=attrs.evolve(model, encoder=encoder, decoder=decoder, apply=apply),
        extract=attrs.evolve(extract, precondition=precondition),
        plan=attrs.evolve(plan, planners=tuple(planners)),
    )


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
