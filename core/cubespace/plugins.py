"""Plugins: found by entry points, loaded one by one, blamed by name.

Built-in plugins come the same way as anybody's: an entry point in group ``cubespace``. A plugin that fails is named and
skipped, so that one broken package never takes the others down.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import attrs
import pluggy

from cubespace import hookspecs
from cubespace.errors import UsageError
from cubespace.options import NoOptions, Spec, parse_spec, rooted, structure, suggestion


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
        Kind("domain", "domain", "cube_domains", "cubespace.domains:Domain"),
        Kind("apply", "apply module", "cube_apply_modules", "cubespace.apply:ApplyModule"),
        Kind(
            "precondition",
            "precondition learner",
            "cube_precondition_learners",
            "cubespace.preconditions:PreconditionLearner",
        ),
        Kind("planner", "planner", "cube_planners", "cubespace.planners:PlannerBackend"),
    )
}


@attrs.frozen
class Component:
    """Something a plugin offers under a name; its class is imported on first use."""

    kind: Kind
    name: str
    target: str | type
    summary: str
    preset: Mapping[str, object]
    plugin: str
    distribution: str

    def load(self) -> type[Any]:
        """Import the class and check that it keeps the contract of its kind."""
        try:
            cls = _import(self.target) if isinstance(self.target, str) else self.target
        except Exception as error:  # a plugin may raise anything
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"{self.kind.title} '{self.name}' of plugin '{self.plugin}' cannot be loaded: {reason}"
            ) from error
        contract = _import(self.kind.contract)
        if not (isinstance(cls, type) and issubclass(cls, contract)):
            raise UsageError(f"{self.kind.title} '{self.name}' of plugin '{self.plugin}' is not a {contract.__name__}")
        return cls

    def options(self, given: Mapping[str, object]) -> Any:
        """Return the options of the class: its defaults, overridden by the plugin's preset, overridden by ``given``."""
        cls = getattr(self.load(), "Options", NoOptions)
        return structure(cls, {**self.preset, **given}, f"{self.kind.title} '{self.name}'")


@attrs.frozen
class Failure:
    """A plugin that was skipped, and why."""

    plugin: str
    distribution: str
    reason: str

    def __str__(self) -> str:
        """Return the line shown to the user."""
        return f"skipped plugin '{self.plugin}' ({self.distribution}): {self.reason}"


@attrs.define
class Registry:
    """What a hook is given: it collects the components that one plugin offers for one kind."""

    kind: Kind
    plugin: str
    distribution: str
    components: list[Component] = attrs.field(factory=list)

    def add(self, name: str, target: str | type, summary: str, **preset: object) -> None:
        """Offer ``target``, a class or ``"module:Class"``, under ``name``, with ``preset`` as its default options."""
        self.components.append(Component(self.kind, name, target, summary, preset, self.plugin, self.distribution))


def provide(kind: str, name: str, target: str, summary: str, **preset: object) -> object:
    """Return a plugin object that offers one component."""

    def offer(registry: Registry) -> None:
        registry.add(name, target, summary, **preset)

    plugin = type("Plugin", (), {"__doc__": summary, "__name__": name})()
    setattr(plugin, KINDS[kind].hook, hookspecs.hookimpl(offer, specname=KINDS[kind].hook))
    return plugin


@attrs.frozen
class Catalogue:
    """All components that loaded, by kind and name, and the plugins that did not."""

    components: Mapping[str, Mapping[str, Component]]
    plugins: tuple[str, ...]
    failures: tuple[Failure, ...]
    clashes: Mapping[tuple[str, str], tuple[Component, ...]]

    def names(self, kind: str) -> list[str]:
        """Return the names of one kind, in alphabetical order."""
        return sorted(self.components[kind])

    def find(self, kind: str, name: str) -> Component:
        """Return a component, or say what was probably meant."""
        known = self.components[kind]
        if name in known:
            return known[name]
        title = KINDS[kind].title
        if (kind, name) in self.clashes:
            owners = " and ".join(f"'{c.plugin}' ({c.distribution})" for c in self.clashes[kind, name])
            raise UsageError(f"{title} '{name}' is provided by plugins {owners}. Block all but one with --no-plugin.")
        for failure in self.failures:
            if failure.plugin == name:
                raise UsageError(f"{title} '{name}' is not available: {failure}")
        raise UsageError(
            f"No {title} is called '{name}'. {suggestion(name, known)}Available: {', '.join(sorted(known))}."
        )

    def create(self, kind: str, spec: Spec | str, *arguments: object, home: Path | None = None) -> Any:
        """Build a component: its class is called with ``arguments`` and, last, its options.

        Relative paths among the options start at ``home``, or where we are.
        """
        if isinstance(spec, str):
            spec = parse_spec(spec)
        component = self.find(kind, spec.name)
        options = component.options(spec.options)
        return component.load()(*arguments, options if home is None else rooted(options, home))


@cache
def load_plugins(blocked: tuple[str, ...] = ()) -> Catalogue:
    """Load every installed plugin except those ``blocked`` by their own name or by that of their distribution."""
    found = list(_installed())
    names = {entry_point.name for entry_point, _ in found} | {source.split()[0] for _, source in found}
    for name in blocked:
        if name not in names:
            raise UsageError(
                f"No plugin is called '{name}'. {suggestion(name, names)}Available: {', '.join(sorted(names))}."
            )
    wanted = [(entry, source) for entry, source in found if not {entry.name, source.split()[0]} & set(blocked)]
    return collect([(entry.name, source, entry.load) for entry, source in wanted])


def collect(found: Sequence[tuple[str, str, Callable[[], object]]]) -> Catalogue:
    """Register each plugin (name, distribution, loader) and gather what it offers."""
    sources: dict[str, list[str]] = {}
    for name, source, _ in found:
        sources.setdefault(name, []).append(source)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    failures: list[Failure] = []
    offers: dict[tuple[str, str], list[Component]] = {}
    for name, source, load in found:
        try:
            if len(sources[name]) > 1:
                raise ValueError(
                    f"{' and '.join(sources[name])} both have a plugin of this name; block one with --no-plugin PACKAGE"
                )
            offered = _register(manager, name, source, load)
        except Exception as error:
            if manager.has_plugin(name):
                manager.unregister(name=name)
            failures.append(Failure(name, source, _reason(error)))
            continue
        for component in offered:
            offers.setdefault((component.kind.name, component.name), []).append(component)
    clashes = {key: tuple(rivals) for key, rivals in offers.items() if len(rivals) > 1}
    for (_, name), rivals in clashes.items():
        owners = " and ".join(f"'{rival.plugin}' ({rival.distribution})" for rival in rivals)
        reason = f"{rivals[0].kind.title} '{name}' is provided by plugins {owners}; block one with --no-plugin"
        failures.append(Failure(rivals[-1].plugin, rivals[-1].distribution, reason))
    components: dict[str, dict[str, Component]] = {kind: {} for kind in KINDS}
    for (kind, name), (first, *rest) in sorted(offers.items()):
        if not rest:
            components[kind][name] = first
    plugins = tuple(sorted(name for name, _ in manager.list_name_plugin()))
    return Catalogue(components, plugins, tuple(failures), clashes)


def _register(manager: pluggy.PluginManager, name: str, source: str, load: Callable[[], object]) -> list[Component]:
    """Register one plugin and return what it offers."""
    plugin = load()
    manager.register(plugin, name=name)
    manager.check_pending()  # a misspelt hook is an error of its plugin
    others = [other for other in manager.get_plugins() if other is not plugin]
    offered: list[Component] = []
    for kind in KINDS.values():
        registry = Registry(kind, name, source)
        manager.subset_hook_caller(kind.hook, remove_plugins=others)(registry=registry)
        offered += registry.components
    if not offered:
        raise ValueError("offers nothing: is a hook missing, or not marked with @hookimpl?")
    return offered


def _installed() -> Iterator[tuple[EntryPoint, str]]:
    """Yield the entry points of the group with the name and version of their distribution, each once."""
    seen = set()
    for entry_point in sorted(entry_points(group=hookspecs.PROJECT), key=lambda entry: entry.name):
        source = f"{entry_point.dist.name} {entry_point.dist.version}" if entry_point.dist else "unknown"
        key = (entry_point.name, entry_point.value, source)
        if key not in seen:  # an editable install can be on the path twice
            seen.add(key)
            yield entry_point, source


def _import(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def _reason(error: Exception) -> str:
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}"
