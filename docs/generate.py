"""The parts of the documentation that come from the program: command line, hooks, presets, templates, results."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any

import tomli_w
import typer

from cubespace.cli.commands import app
from cubespace.plugins import hookspecs
from cubespace.plugins.scaffold import write_plugin
from cubespace.settings.presets import find_preset, preset_names

ROOT = Path(__file__).parents[1]
SCAFFOLDS = ("domain", "apply")  # those that docs/plugins.md shows
APART = ("summary", "chaos")  # results that have a place of their own


def generate(folder: Path) -> None:
    """Write all generated parts into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "cli.md").write_text(command_line(), "utf-8")
    (folder / "hooks.md").write_text(hooks(), "utf-8")
    (folder / "presets.md").write_text(presets(), "utf-8")
    (folder / "results.md").write_text(results(ROOT / "results"), "utf-8")
    for kind in SCAFFOLDS:
        write_plugin("mine", kind, folder / kind)


def command_line() -> str:
    """Return every command with its arguments, options and example, as Markdown."""
    group: Any = typer.main.get_command(app)
    return "\n".join(_command(name, group.commands[name]) for name in sorted(group.commands))


def hooks() -> str:
    """Return every hook with its signature and docstring, as Markdown."""
    parts = []
    for name, function in inspect.getmembers(hookspecs, inspect.isfunction):
        if name.startswith("cube_"):
            text = (inspect.getdoc(function) or "").replace(":class:", "").replace("``", "`").replace("`~", "`")
            parts.append(f"### `{name}({', '.join(inspect.signature(function).parameters)})`\n\n{text}\n")
    return "\n".join(parts)


def presets() -> str:
    """Return every preset with its reason and its settings, as Markdown."""
    return "\n".join(
        f"### `{preset.name}`\n\n{preset.reason}\n\n```toml\n{tomli_w.dumps(preset.settings)}```\n"
        for preset in map(find_preset, preset_names())
    )


def results(folder: Path) -> str:
    """Return what the benchmarks printed, except what is shown elsewhere."""
    found = sorted(path for path in folder.glob("*.md") if path.stem not in APART)
    if not found:
        return "No benchmark has written its table to `results/` yet.\n"
    return "\n".join(path.read_text("utf-8").replace("\n# ", "\n## ").replace("# ", "## ", 1) for path in found)


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
        return f"| `{parameter.metavar or parameter.name.upper()}` | {words} |"
    kind = parameter.display_type(context).strip("<>").removesuffix(" range").upper()
    value = "" if parameter.is_flag else f" `{parameter.metavar or kind}`"
    names = ", ".join(f"`{option}`" for option in parameter.opts)
    default = parameter.default
    shown = f" [default: {default}]" if isinstance(default, str | int | float) and not isinstance(default, bool) else ""
    return f"| {names}{value} | {words}{shown} |"
