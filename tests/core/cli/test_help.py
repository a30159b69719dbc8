"""What ``cube -h`` shows: commands by use, values in words, defaults."""

import re
from pathlib import Path

import pytest
import typer

from cubespace.cli.command_group import OF_PLUGINS, OPTIONS, ORDER, panel_of
from cubespace.cli.commands import app

GROUP = typer.main.get_group(app)
CONTEXT = typer.Context(GROUP, info_name="cube")
PYTHON = re.compile(r"<\w|Literal\[|\| None|\bbool\b|\bstr\b|[<>]=|\bx\b")


def help_of(name: str) -> str:
    command = GROUP.get_command(CONTEXT, name)
    shown = [parameter.display_type_rich(CONTEXT) or "" for parameter in command.get_params(CONTEXT)]
    return "\n".join([*shown, *(parameter.help or "" for parameter in command.params)])


def test_commands_are_listed_by_use() -> None:
    shown = [name for name in GROUP.list_commands(CONTEXT) if not GROUP.get_command(CONTEXT, name).hidden]
    assert shown[:3] == [name for name in ORDER if name in shown][:3]
    assert shown[:2] == ["run", "plan"]
    assert "cell" not in shown
    assert panel_of("a-command-of-somebody") == OF_PLUGINS
    assert all(panel_of(name) != OF_PLUGINS for name in shown)


@pytest.mark.parametrize("name", sorted(GROUP.commands))
def test_no_python_in_the_help(name) -> None:
    assert not PYTHON.search(help_of(name)), help_of(name)


def test_defaults_and_ranges_are_shown() -> None:
    words = help_of("run")
    for default in ("mnist", "btl", "auto, the one that goes with the learner", "fd-lmcut", "30", "7", "900", "2048"):
        assert f"[default: {default}]" in words
    assert "N ≥ 1" in words
    assert "NUMBER, 0 to 0.99" in help_of("data")


def test_the_whole_help_names_arguments_plainly(cube) -> None:
    assert "Usage: cube plan [OPTIONS] INIT GOAL" in cube("plan", "-h").stdout
    assert "Usage: cube theory [OPTIONS] [RUN]" in cube("theory", "-h").stdout
    assert "<" not in cube("-h").stdout


@pytest.mark.parametrize("name", ["run", "matrix", "train", "evaluate"])
def test_many_options_are_listed_by_purpose_and_leave_room_for_words(name, cube) -> None:
    shown = cube(name, "-h").stdout.splitlines()
    headings = [line.strip("╭╮─ ") for line in shown if line.startswith("╭─ ")]
    assert set(headings) <= {*OPTIONS, "Arguments", "Options"}
    assert len(headings) >= 4
    assert max(map(len, shown)) <= 80
    for first in (line for line in shown if re.match(r"│ +--", line)):
        words = re.split(r"\s{2,}", first.partition("[default")[0].strip("│ "))[-1]
        assert first.index(words) <= 48, first  # so that 30 characters are left


def test_no_option_of_a_run_is_without_a_heading() -> None:
    parameters = GROUP.get_command(CONTEXT, "run").get_params(CONTEXT)
    assert not [each.name for each in parameters if each.rich_help_panel not in OPTIONS]


def test_every_exit_code_is_in_the_help(cube) -> None:
    page = (Path(__file__).parents[3] / "docs" / "exit-codes.md").read_text("utf-8")
    codes = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)
    words = cube("-h").stdout.partition("Exit codes:")[2]
    assert codes == re.findall(r"\b\d+\b", words)
