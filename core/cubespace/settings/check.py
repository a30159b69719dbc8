"""The components that a configuration names, checked before any work is done."""

from __future__ import annotations

from cubespace.base.options import parse_spec
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings.recipe import AUTO
from cubespace.settings.run_config import RunConfig


def check_components(loaded: Catalogue, config: RunConfig) -> None:
    """Refuse unknown names and bad options."""
    named = [
        ("domain", config.domain),
        ("encoder", config.model.encoder),
        ("decoder", config.model.decoder),
        ("apply", config.model.apply),
        ("precondition", config.extract.precondition),
    ]
    specs = [(kind, parse_spec(text)) for kind, text in [*named, *(("planner", spec) for spec in config.plan.planners)]]
    specs = [(kind, spec) for kind, spec in specs if spec.name != AUTO]
    found = [(loaded.find(kind, spec.name), spec) for kind, spec in specs]  # all names first: options need imports
    for component, spec in found:
        component.options(spec.options)
