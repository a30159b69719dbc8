"""Plugins: found by entry points, loaded one by one, blamed by name.

Built-in plugins are loaded like any other: by an entry point in group ``cubespace``. A plugin that fails is named and
skipped, so that one broken package never takes the others down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import attrs
import pluggy

from cubespace.base.errors import UsageError
from cubespace.base.options import Spec, parse_spec, rooted, suggestion
from cubespace.plugins import hookspecs
from cubespace.plugins.blame import blame, remember
from cubespace.plugins.component import KINDS, PRESET, Component, Registry
from cubespace.plugins.entry_points import installed
from cubespace.plugins.offers import CommandPlugin, Failure, Preset, PresetRegistry


def provide(kind: str, name: str, target: str, summary: str, **default_options: object) -> object:
    """Return a plugin object that offers one component, ``target`` as ``"module:Class"``, under a name."""
    return provide_all(kind, target, (name, summary, default_options))


def provide_all(kind: str, target: str, *rows: tuple[str, str, Mapping[str, object]]) -> object:
    """Return a plugin object that offers one class under several names: (name, summary, default options) for each."""

    def offer(registry: Registry) -> None:
        for name, summary, default_options in rows:
            registry.add(name, target, summary, **default_options)

    plugin = type("Plugin", (), {"__doc__": rows[0][1], "__name__": rows[0][0]})()
    setattr(plugin, KINDS[kind].hook, hookspecs.hookimpl(offer, specname=KINDS[kind].hook))
    return plugin


def join(*plugins: object) -> object:
    """Return one plugin object that offers what several offer."""
    joined = type("Plugin", (), {"__doc__": plugins[0].__doc__})()
    for plugin in plugins:
        for name, hook in vars(plugin).items():
            setattr(joined, name, hook)
    return joined


@attrs.frozen
class Catalogue:
    """What plugins offer: components by kind and name, presets, commands; and the plugins that were skipped."""

    components: Mapping[str, Mapping[str, Component]]
    presets: Mapping[str, Preset]
    commands: tuple[CommandPlugin, ...]
    plugins: tuple[str, ...]
    failures: tuple[Failure, ...]
    clashes: Mapping[tuple[str, str], tuple[Component | Preset, ...]]

    def names(self, kind: str) -> list[str]:
        """Return the names of one kind, in alphabetical order."""
        return sorted(self.components[kind])

    def find(self, kind: str, name: str) -> Component:
        """Return a component, or say what was probably meant."""
        known = self.components[kind]
        if name not in known:
            raise self._unknown(kind, KINDS[kind].title, name, known)
        return known[name]

    def find_preset(self, name: str) -> Preset:
        """Return a preset, whose settings the caller may change, or say what was probably meant."""
        if name not in self.presets:
            raise self._unknown(PRESET, PRESET, name, self.presets)
        return self.presets[name].copy()

    def create(self, kind: str, spec: Spec | str, *arguments: object, home: Path | None = None) -> Any:
        """Build a component: its class is called with ``arguments`` and, last, its options.

        Relative paths among the options start at ``home``, or at the working folder.
        """
        if isinstance(spec, str):
            spec = parse_spec(spec)
        component = self.find(kind, spec.name)
        options, cls = component.options(spec.options), component.load()
        with blame(cls):
            made = cls(*arguments, options if home is None else rooted(options, home))
        remember(made, component.title)
        return made

    def _unknown(self, kind: str, title: str, name: str, known: Mapping[str, object]) -> UsageError:
        """Return the error for a name that is not available."""
        if (kind, name) in self.clashes:
            owners = _owners(self.clashes[kind, name])
            return UsageError(f"{title} '{name}' is provided by plugins {owners}. Block all but one with --no-plugin.")
        for failure in self.failures:
            if failure.plugin == name:
                return UsageError(f"{title} '{name}' is not available: {failure}")
        return UsageError(
            f"No {title} is called '{name}'. {suggestion(name, known)}Available: {', '.join(sorted(known))}."
        )


@cache
def load_plugins(blocked: tuple[str, ...] = ()) -> Catalogue:
    """Load every installed plugin except those ``blocked`` by name or by distribution."""
    entries = list(installed())
    names = {entry_point.name for entry_point, _ in entries} | {source.split()[0] for _, source in entries}
    for name in blocked:
        if name not in names:
            raise UsageError(
                f"No plugin is called '{name}'. {suggestion(name, names)}Available: {', '.join(sorted(names))}."
            )
    allowed = [(entry, source) for entry, source in entries if not {entry.name, source.split()[0]} & set(blocked)]
    return collect([(entry.name, source, entry.load) for entry, source in allowed])


def collect(loaders: Sequence[tuple[str, str, Callable[[], object]]]) -> Catalogue:
    """Register each plugin (name, distribution, loader) and gather what it offers."""
    sources: dict[str, list[str]] = {}
    for name, source, _ in loaders:
        sources.setdefault(name, []).append(source)
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    failures: list[Failure] = []
    offers: dict[tuple[str, str], list[Component | Preset]] = {}
    commands: list[CommandPlugin] = []
    for name, source, load in loaders:
        try:
            if len(sources[name]) > 1:
                raise ValueError(
                    f"{' and '.join(sources[name])} both have a plugin of this name; block one with --no-plugin PACKAGE"
                )
            offered = _register(manager, name, source, load)
        except (Exception, SystemExit) as error:  # a plugin may raise anything
            if manager.has_plugin(name):
                manager.unregister(name=name)
            failures.append(Failure.of(name, source, error))
            continue
        for offer in offered:
            if isinstance(offer, CommandPlugin):
                commands.append(offer)
            else:
                offers.setdefault((_kind_of(offer), offer.name), []).append(offer)
    clashes = {key: tuple(rivals) for key, rivals in offers.items() if len(rivals) > 1}
    failures += _clash_failures(clashes)
    unique = {key: rivals[0] for key, rivals in sorted(offers.items()) if len(rivals) == 1}
    components: dict[str, dict[str, Component]] = {kind: {} for kind in KINDS}
    for (kind, name), offer in unique.items():
        if isinstance(offer, Component):
            components[kind][name] = offer
    presets = {name: offer for (_, name), offer in unique.items() if isinstance(offer, Preset)}
    plugins = tuple(sorted(name for name, _ in manager.list_name_plugin()))
    return Catalogue(components, presets, tuple(commands), plugins, tuple(failures), clashes)


def _register(
    manager: pluggy.PluginManager, name: str, source: str, load: Callable[[], object]
) -> list[Component | Preset | CommandPlugin]:
    """Register one plugin and return what it offers."""
    plugin = load()
    manager.register(plugin, name=name)
    manager.check_pending()  # a misspelt hook is an error of its plugin
    offered: list[Component | Preset | CommandPlugin] = []
    for kind in KINDS.values():
        registry = Registry(kind, name, source)
        _call(manager, plugin, kind.hook, registry=registry)
        offered += registry.components
    presets = PresetRegistry(name, source)
    _call(manager, plugin, "cube_presets", registry=presets)
    offered += presets.presets
    if any(hook.plugin is plugin for hook in manager.hook.cube_commands.get_hookimpls()):
        call = partial(_call, manager, plugin, "cube_commands")
        offered.append(CommandPlugin(name, source, lambda app: call(app=app)))
    if not offered:
        raise ValueError("offers nothing: is a hook missing, or not marked with @hookimpl?")
    return offered


def _call(manager: pluggy.PluginManager, plugin: object, hook: str, **arguments: object) -> None:
    """Call a hook of one plugin alone."""
    others = [other for other in manager.get_plugins() if other is not plugin]
    manager.subset_hook_caller(hook, remove_plugins=others)(**arguments)


def _clash_failures(clashes: Mapping[tuple[str, str], Sequence[Component | Preset]]) -> list[Failure]:
    """Return a line for each name that several plugins provide, none of which is used."""
    failures = []
    for (kind, name), rivals in clashes.items():
        title = KINDS[kind].title if kind in KINDS else kind
        reason = f"{title} '{name}' is provided by plugins {_owners(rivals)}; block one with --no-plugin"
        failures.append(Failure(rivals[-1].plugin, rivals[-1].distribution, reason))
    return failures


def _kind_of(offer: Component | Preset) -> str:
    return PRESET if isinstance(offer, Preset) else offer.kind.name


def _owners(rivals: Sequence[Component | Preset]) -> str:
    return " and ".join(f"'{rival.plugin}' ({rival.distribution})" for rival in rivals)
