"""Every command that reads or reports something can do so as JSON."""

import json

import pytest
import typer

from cubespace.cli.commands import app

WITHOUT = {"cell"}  # typed by scripts


def test_every_command_has_the_option() -> None:
    commands = typer.main.get_group(app).commands
    plain = {name for name, each in commands.items() if all("--json" not in option.opts for option in each.params)}
    assert plain == WITHOUT


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ("run --dry-run --json", {"run", "learner", "phases", "settings"}),
        ("show lightsout -n 3 --json", {"picture", "domain", "transitions", "shape"}),
        (
            "data lightsout -n 100 --json",
            {"file", "picture", "domain", "transitions", "training", "validation", "test"},
        ),
        ("new-plugin rooms --kind domain --json", {"folder", "kind", "name", "try"}),
    ],
)
def test_it_is_json_and_nothing_else(cube, words, keys) -> None:
    answer = cube(*words.split())
    assert set(json.loads(answer.stdout)) == keys, answer.stderr


def test_a_script_for_a_cluster_is_none(cube) -> None:
    answer = cube("matrix", "--domain", "lightsout", "--seeds", "0-1", "--print-jobs", "--json")
    assert answer.returncode == 2
    assert "leave --json out" in answer.stderr
