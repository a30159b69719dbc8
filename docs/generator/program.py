"""Parts that come from the program: command line, settings, options of components, hooks, presets, plugins."""

from __future__ import annotations

import inspect
from collections import Counter
from typing import Any

import attrs
import tomli_w
import typer

from cubespace.base.words import listed
from cubespace.cli.commands import app
from cubespace.cli.option_types import option_rows
from cubespace.plugins import hookspecs
from cubespace.plugins.catalogue import load_plugins
from cubespace.plugins.component import KINDS, Component
from cubespace.plugins.offers import Preset
from cubespace.settings.presets import find_preset, preset_names
from cubespace.settings.run_config import RunConfig, flat
from generator.contracts import comments, plain


def command_line() -> str:
    """Return every command with its arguments, options and example."""
    group: Any = typer.main.get_command(app)
    names = group.list_commands(typer.Context(group))
    return "\n".join(_command(name, group.commands[name]) for name in names if not group.commands[name].hidden)


def hooks() -> str:
    """Return every hook with its signature and docstring."""
    parts = []
    for name, function in inspect.getmembers(hookspecs, inspect.isfunction):
        if name.startswith("cube_"):
            given = ", ".join(inspect.signature(function).parameters)
            parts.append(f"### `{name}({given})`\n\n{plain(inspect.getdoc(function) or '')}\n")
    return "\n".join(parts)


def presets() -> str:
    """Return a list of all presets, then each with its settings: of those for a domain, what differs from the base."""
    found = [find_preset(name) for name in preset_names()]
    lines = ["| preset | what for |", "|---|---|"]
    lines += [f"| [`{each.name}`](#{each.name}) | {each.reason.partition('. ')[0].rstrip('.')} |" for each in found]
    return "\n".join([*lines, "", *map(_preset, found)])


def _preset(preset: Preset) -> str:
    """Return a section: all settings, or of a preset for a domain those that differ from the one it is based on."""
    heading = f"### `{preset.name}`\n\n{preset.reason}\n\n"
    name = preset.name.partition("-")[0]
    if name == preset.name:
        return f"{heading}```toml\n{tomli_w.dumps(preset.settings)}```\n"
    base, own = flat(find_preset(name).settings), flat(preset.settings)
    absent = [f"`{key}`" for key in base if key not in own]
    words = f"Settings are those of [`{name}`](#{name}), but for these"
    words += (
        f"; {listed(absent, ', ')} {'has its default' if len(absent) == 1 else 'have their defaults'}" if absent else ""
    )
    lines = [f"{key} = {tomli_w.dumps({'v': own[key]})[4:]}" for key in own if own[key] != base.get(key)]
    return f"{heading}{words}:\n\n```toml\n{''.join(lines)}```\n"


def settings() -> str:
    """Return every setting of a run with its default and its meaning, a table for each section."""
    parts = []
    for field in attrs.fields(RunConfig):
        value = getattr(RunConfig(), field.name)
        if attrs.has(type(value)):
            rows = _setting_rows(value, field.name)
            about = plain(inspect.getdoc(type(value)) or "")
            head = ["| setting | default | meaning |", "|---|---|---|"]
            parts.append("\n".join([f"### `{field.name}`", "", about, "", *head, *rows, ""]))
    return "\n".join(parts)


def component_options() -> str:
    """Return the options of every component of this distribution, a table for each kind."""
    parts = []
    for kind, components in load_plugins().components.items():
        built_in = [each for each in components.values() if _built_in(each)]
        rows = [
            f"| `{each.name}` | `{row['option']}` | {_value(row['default'])} | {row['help']} |".replace("||", "| |")
            for each in built_in
            for row in option_rows(each)
        ]
        if rows:
            head = ["| component | option | default | meaning |", "|---|---|---|---|"]
            parts.append("\n".join([f"### {KINDS[kind].title.capitalize()}s", "", *head, *rows, ""]))
    return "\n".join(parts)


def plugins() -> str:
    """Return the table: a row per plugin of this distribution, with what it offers."""
    rows = ["| option | plugin | offers |", "|---|---|---|"]
    for kind, components in load_plugins().components.items():
        built_in = [each for each in components.values() if _built_in(each)]
        for plugin in dict.fromkeys(each.plugin for each in built_in):
            offered = [each for each in built_in if each.plugin == plugin]
            alone = len(offered) == 1 and offered[0].name == plugin
            words = offered[0].summary if alone else ", ".join(f"`{each.name}`" for each in offered)
            rows.append(f"| `{_chosen(kind)}` | `{plugin}` | {words} |")
    return "\n".join(rows) + "\n"


def kinds() -> str:
    """Return the short table: a row per kind of component, with the plugins of this distribution."""
    rows = ["| option | built in |", "|---|---|"]
    for kind, components in load_plugins().components.items():
        built_in = [each for each in components.values() if _built_in(each)]
        offered = Counter(each.plugin for each in built_in)
        names = [f"`{plugin}`" + (f" ({count} searches)" if count > 1 else "") for plugin, count in offered.items()]
        if names:
            rows.append(f"| `{_chosen(kind)}` | {', '.join(names)} |")
    return "\n".join(rows) + "\n"


def _chosen(kind: str) -> str:
    if kind == "extension":
        return "--set train.extensions="
    parts = ("encoder", "decoder", "action", "objective")
    return f"--set autoencoder.{kind}=" if kind in parts else f"--{kind}"


def _built_in(component: Component) -> bool:
    return component.distribution.split()[0] == "cubespace"


def _setting_rows(values: Any, path: str) -> list[str]:
    """Return a row for each setting below a path, those of inner sections last."""
    said: dict[str, str] = {}
    for cls in reversed(type(values).__mro__):
        said |= comments(cls) if attrs.has(cls) else {}
    rows, inner = [], []
    for field in attrs.fields(type(values)):
        value, name = getattr(values, field.name), f"{path}.{field.name}"
        if attrs.has(type(value)):
            inner += _setting_rows(value, name)
        else:
            shown = "" if value is None else ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            shown = {"True": "on", "False": "off"}.get(shown, shown)
            meaning = said.get(field.name, "").replace("None:", "not set:")
            rows.append(f"| `{name}` | {_value(shown)} | {meaning} |")
    return rows + inner


def _value(text: str) -> str:
    return f"`{text}`" if text not in ("", "unset") else "–"


def _command(name: str, command: Any) -> str:
    context = typer.Context(command, info_name=name)
    lines = [f"## cube {name}", "", command.help or "", ""]
    rows = [_row(parameter, context) for parameter in command.params if parameter.name != "help"]
    lines += ["| argument or option | meaning |", "|---|---|", *rows, ""]
    if command.epilog:
        lines += [command.epilog, ""]
    return "\n".join(lines)


def _row(parameter: Any, context: typer.Context) -> str:
    words = (parameter.help or "").replace("  [default:", " [default:").replace("|", "\\|")
    if parameter.param_type_name == "argument":
        return f"| `{parameter.metavar or parameter.name.upper()}` | {words} |".replace("RUN…|", "RUN…\\|")
    kind = parameter.display_type(context).strip("<>").removesuffix(" range").upper()
    value = "" if parameter.is_flag else f" `{parameter.metavar or kind}`".replace("|", "\\|")
    names = ", ".join(f"`{option}`" for option in parameter.opts)
    default = parameter.default
    shown = f" [default: {default}]" if isinstance(default, str | int | float) and not isinstance(default, bool) else ""
    return f"| {names}{value} | {words}{'' if '[default:' in words else shown} |"
