"""What ``cube run --dry-run`` shows: the folder, the learner, the phases of training and the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import attrs

from cubespace.autoencoder.building import load_extensions, phases
from cubespace.base.options import parse_spec
from cubespace.plugins.catalogue import Catalogue
from cubespace.runs.learners import parts_of
from cubespace.settings import defaults
from cubespace.settings.recipe import AUTO, Execution
from cubespace.settings.run_config import RunConfig, dump_toml


def outline(folder: Path, config: RunConfig, loaded: Catalogue) -> str:
    """Return the configuration, after comments that say where the run goes and how it learns."""
    lines = [f"# phase {name}: {length}" for name, length in _phases(config, loaded).items()]
    return "\n".join((f"# {folder}", f"# learner: {_learner(config, loaded)}", *lines, dump_toml(config)))


def outline_json(folder: Path, config: RunConfig, loaded: Catalogue) -> str:
    """Return the same as JSON."""
    facts = {
        "run": str(folder),
        "learner": _learner(config, loaded),
        "phases": _phases(config, loaded),
        "settings": attrs.asdict(config),
    }
    return json.dumps(facts, indent=2) + "\n"


def _learner(config: RunConfig, loaded: Catalogue) -> str:
    """Return the learner and its method."""
    if config.learner.name == AUTO:
        return f"auto, the quick learner that held-out pairs choose; {defaults.TRAINED_LEARNER} if none fits"
    method = loaded.find("learner", parse_spec(config.learner.name).name).load().method
    return f"{config.learner.name}, {method}"


def _phases(config: RunConfig, loaded: Catalogue) -> dict[str, str]:
    """Return how long each phase of training takes; none where nothing is trained by gradient."""
    name = defaults.TRAINED_LEARNER if config.learner.name == AUTO else parse_spec(config.learner.name).name
    if not loaded.find("learner", name).load().trained:
        return {}
    condition = ", if no quick learner fits" if config.learner.name == AUTO else ""
    steps = phases(load_extensions(config.train.extensions, parts_of(loaded, Execution())))
    return {phase.name: f"{phase.outline(config.train)}{condition}" for phase in steps}
