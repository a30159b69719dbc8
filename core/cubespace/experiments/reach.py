"""Whether a setting reaches any phase of a run: an axis that reaches none compares a run with itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import Catalogue
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO, is_of_training
from cubespace.settings.run_config import SHORT_NAMES, RunConfig


def refuse_idle_axes(axes: Iterable[str], cells: Sequence[RunConfig], catalogue: Catalogue) -> None:
    """Raise if an axis, by its short or full name, reaches no phase of any of the cells."""
    for axis in axes:
        for key in SHORT_NAMES.get(axis, (axis,)):
            reasons = [_idle(key, config, catalogue) for config in cells]
            if reasons and all(reasons):
                raise UsageError(
                    f"axis '{axis}' reaches no phase of any cell, which would all be the same: {reasons[0]}"
                )


def _idle(key: str, config: RunConfig, catalogue: Catalogue) -> str:
    """Return what would make a setting matter to a run; "" if it matters already."""
    if config.learner.name == AUTO and is_of_training(key):
        return f"set learner={defaults.TRAINED_LEARNER}"
    owners = _extensions_with(key, catalogue)
    if owners and not set(owners) & set(config.train.extensions):
        return f"put {' or '.join(owners)} into train.extensions"
    if key.startswith("lift.") and config.plan.model == "learned":
        return "set plan.model to lifted, repaired or auto"
    return ""


def _extensions_with(key: str, catalogue: Catalogue) -> list[str]:
    """Return the training steps that are the only ones to read a setting; empty if others read it too."""
    return [
        name
        for name in catalogue.names("extension")
        if key.startswith(tuple(catalogue.find("extension", name).load().settings))
    ]
