"""A kind of component, a component that a plugin offers under a name, and the registry that a hook is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from cubespace.base.errors import UsageError, is_memory_error
from cubespace.base.options import NoOptions, structure
from cubespace.base.version import version_of
from cubespace.plugins.blame import reason, remember
from cubespace.plugins.entry_points import import_target
from cubespace.plugins.offers import check_offer


@attrs.frozen
class Kind:
    """A kind of component: what the user calls it, the hook that offers it, the class it must be derived from."""

    name: str
    title: str
    hook: str
    contract: str


KINDS = {
    kind.name: kind
    for kind in (
        Kind("domain", "domain", "cube_domains", "cubespace.data.domain:Domain"),
        Kind("learner", "bit learner", "cube_bit_learners", "cubespace.learning.bit_learner:BitLearner"),
        Kind("apply", "apply module", "cube_apply_modules", "cubespace.autoencoder.apply_module:ApplyModule"),
        Kind("action", "action model", "cube_action_models", "cubespace.autoencoder.action_model:ActionModel"),
        Kind("objective", "objective", "cube_objectives", "cubespace.autoencoder.objective:Objective"),
        Kind("extension", "training step", "cube_training_steps", "cubespace.autoencoder.phase:Phase"),
        Kind(
            "precondition",
            "precondition learner",
            "cube_precondition_learners",
            "cubespace.symbols.precondition_learner:PreconditionLearner",
        ),
        Kind("encoder", "encoder", "cube_encoders", "cubespace.autoencoder.encoder:Encoder"),
        Kind("decoder", "decoder", "cube_decoders", "cubespace.autoencoder.encoder:Decoder"),
        Kind("planner", "planner", "cube_planners", "cubespace.search.solver:Solver"),
        Kind("observer", "observer", "cube_observers", "cubespace.base.observer:Observer"),
        Kind("executor", "executor", "cube_executors", "cubespace.experiments.executor:Executor"),
    )
}

PRESET = "preset"  # not a kind of component: a preset has settings and no class


@attrs.frozen
class Component:
    """Something a plugin offers under a name; its class is imported on first use."""

    kind: Kind
    name: str
    target: str | type
    summary: str
    default_options: Mapping[str, object]
    plugin: str
    distribution: str

    @property
    def title(self) -> str:
        """Return its title for error messages."""
        return f"{self.kind.title} '{self.name}' of plugin '{self.plugin}' ({self.distribution})"

    def load(self) -> type[Any]:
        """Import the class and check that it keeps the contract of its kind."""
        try:
            cls = import_target(self.target) if isinstance(self.target, str) else self.target
        except (Exception, SystemExit) as error:  # a plugin may raise anything
            if is_memory_error(error):
                raise
            raise UsageError(f"{self.title} cannot be loaded: {reason(error)}") from error
        contract = import_target(self.kind.contract)
        if not (isinstance(cls, type) and issubclass(cls, contract)):
            raise UsageError(f"{self.title} is not a {contract.__name__}")
        if not attrs.has(getattr(cls, "Options", NoOptions)):
            raise UsageError(f"{self.title} is not usable: its Options are not an attrs class")
        remember(cls, self.title)
        return cls

    def options(self, given: Mapping[str, object]) -> Any:
        """Return the options of the class: its defaults, then those of the plugin, then the ``given`` ones on top."""
        cls = getattr(self.load(), "Options", NoOptions)
        return structure(cls, {**self.default_options, **given}, f"{self.kind.title} '{self.name}'")

    def identity(self) -> str:
        """Return what distinguishes the component from other versions of itself.

        A class that declares a ``revision`` promises to raise it whenever its results change; for others, the version
        of their package counts, and so does that of the program that a planner runs.
        """
        cls = self.load()
        revision, program = vars(cls).get("revision"), getattr(cls, "package", None)
        release = self.distribution if revision is None else f"revision {revision}"
        return release if program is None else f"{release}, {program} {version_of(program) or 'absent'}"


@attrs.define
class Registry:
    """What a hook is given: it collects the components that one plugin offers for one kind."""

    kind: Kind
    plugin: str
    distribution: str
    components: list[Component] = attrs.field(factory=list)

    def add(self, name: str, target: str | type, summary: str, **default_options: object) -> None:
        """Offer ``target``, a class or ``"module:Class"``, under ``name``, with options of its own."""
        check_offer(name, summary)
        if not isinstance(target, (str, type)):
            raise TypeError(f"'{name}' must be a class or 'module:Class', not {target!r}")
        self.components.append(
            Component(self.kind, name, target, summary, default_options, self.plugin, self.distribution)
        )
