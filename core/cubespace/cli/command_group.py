"""How ``cube -h`` is laid out: commands by what they are for, and values in the words of users, not of Python."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

SPEC = "NAME[:key=value,…]"  # a component and its options

# commands by purpose, those that a user needs first at the top
PANELS = {
    "Learn and plan": ("run", "plan", "studio", "report", "show"),
    "One stage at a time": ("data", "train", "extract", "evaluate"),
    "Look closer": ("diagnose", "lift", "act", "theory"),
    "Many runs": ("matrix", "tune", "tables", "export"),
    "This installation": ("info", "plugins", "new-plugin"),
}
OF_PLUGINS = "Commands of plugins"
ORDER = [name for names in PANELS.values() for name in names]

# options by purpose, where a command has many
OPTIONS = {
    "What is learned": ("domain", "learner", "apply", "encoder", "precondition", "seed", "seeds", "variant"),
    "What is planned": ("planner", "model", "judge", "instances", "length", "time_limit", "memory_limit", "searches"),
    "Settings and files": ("preset", "config", "pairs", "output", "reuse", "dry_run"),
    "How it is computed": (
        *("device", "threads", "precision", "compile", "checkpoint_seconds"),
        *("executor", "jobs", "cell_time", "cell_memory"),
    ),
    "What it says": ("observer", "quiet", "verbose", "as_json", "no_plugin", "help"),
}
MANY = 12  # options that one list shows at a glance

# what help shows for a value, by what typer would show
VALUES = {"<int>": "N", "<int range>": "N", "<float>": "NUMBER", "<float range>": "NUMBER", "<path>": "PATH"}
VALUES |= {"<str>": "TEXT"}
SHORT = {SPEC: "NAME[:…]"}  # in a narrow column


class CommandGroup(TyperGroup):
    """The commands in the order of :data:`PANELS`, then those of plugins."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Return the names of all commands, in order."""
        return sorted(super().list_commands(ctx), key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """Return a command, with its panel and its values in words."""
        command = super().get_command(ctx, cmd_name)
        if isinstance(command, TyperCommand):
            command.rich_help_panel = command.rich_help_panel or panel_of(cmd_name)
            _by_purpose(_in_words(command.get_params(ctx)))
        return command

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]
        """Return the options of ``cube`` itself, with their values in words."""
        return _in_words(super().get_params(ctx))


class WordyArgument(TyperArgument):
    """An argument whose name alone says what to write."""

    def display_type_rich(self, ctx: Any) -> str | None:  # noqa: ARG002 - the signature is typer's
        """Return None: an argument shows no type."""
        return None

    def _usage_display_name(self) -> str:
        name = self.display_name_raw + ("…" if self.nargs != 1 and not self.display_name_raw.endswith("…") else "")
        return name if self.required else f"[{name}]"


class WordyOption(TyperOption):
    """An option that shows what to write: ``N`` for a number, its values for a choice, nothing for a flag."""

    def display_type_rich(self, ctx: Any) -> str | None:
        """Return what to write, with the smallest and the largest value."""
        if self.is_flag:
            return None
        shown = self.metavar or str(self.display_type(ctx))
        words = SHORT.get(shown) or VALUES.get(shown, shown.strip("<>"))
        if self.max is not None:
            return f"{words}, {self.min or 0:,} to {self.max:,}"
        return words if self.min is None else f"{words} ≥ {self.min}"

    def _get_number_range_help_str(self) -> str | None:
        return None  # shown beside the name


def panel_of(name: str) -> str:
    """Return the heading under which a command is listed."""
    return next((panel for panel, names in PANELS.items() if name in names), OF_PLUGINS)


def _by_purpose(parameters: list[Any]) -> None:
    """Put many options under headings; those that have none stay together at the top."""
    options = [each for each in parameters if isinstance(each, TyperOption)]
    if len(options) > MANY:
        headings = {name: heading for heading, names in OPTIONS.items() for name in names}
        for each in options:
            each.rich_help_panel = each.rich_help_panel or headings.get(each.name or "")


def _in_words(parameters: list[Any]) -> list[Any]:
    """Let parameters show what to write; typer builds them itself and takes no class for them."""
    for parameter in parameters:
        if isinstance(parameter, TyperArgument):
            parameter.__class__ = WordyArgument
        elif isinstance(parameter, TyperOption):
            parameter.__class__ = WordyOption
    return parameters
