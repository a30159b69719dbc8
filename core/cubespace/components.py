"""The components that a configuration names, checked before any work is done."""

from __future__ import annotations

from cubespace.config import RunConfig
from cubespace.options import parse_spec
from cubespace.plugins import Catalogue


def check_components(loaded: Catalogue, config: RunConfig) -> None:
    """Refuse unknown names and bad options."""
    named = [("domain", config.domain), ("apply", config.model.apply), ("precondition", config.extract.precondition)]
    specs = [(kind, parse_spec(text)) for kind, text in [*named, *(("planner", spec) for spec in config.plan.planners)]]
    found = [(loaded.find(kind, spec.name), spec) for kind, spec in specs]  # all names first: options need imports
    for component, spec in found:
        component.options(spec.options)
