"""The recipe's benchmark with commands that only pretend: what is asked of them, what is kept, what is printed."""

import importlib
import json
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from cubespace.base.options import parse_spec
from cubespace.cli.options import Settings
from cubespace.plugins.catalogue import load_plugins

ROOT = Path(__file__).parents[2]
SECTIONS = ("domains", "boards", "large-boards", "towers", "stacks", "robustness", "worlds", "held-out")


class Pretended:
    """Stands for ``cube``: solves half of the instances, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.failing = ""

    def __call__(self, run: Path, command: str, *arguments: str) -> dict:
        self.asked.append((run.name, command, *arguments))
        if self.failing and self.failing in run.name:
            raise subprocess.CalledProcessError(3, "cube")
        if command == "diagnose":
            return {"recall": 0.9, "wrong": 0.1, "cpu_seconds": 1.0}
        run.mkdir(parents=True, exist_ok=True)
        (run / "learner.json").write_text(json.dumps({"learner": "places", "variables": 9}))
        (run / "extraction.json").write_text(json.dumps({"differences": 192, "actions": 190}))
        names = [name for word, name in pairwise(arguments) if word == "--planner"] or self.planners
        self.planners = names
        found = 15 if command == "run" else 7
        row = {"found": found, "valid": found - 1, "optimal": found - 2}
        return {"planners": dict.fromkeys(names, row), "model": "learned", "cpu_seconds": 12.5}


@pytest.fixture
def recipe(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("recipe")


@pytest.fixture
def pretended(recipe, monkeypatch) -> Pretended:
    cube = Pretended()
    monkeypatch.setattr(recipe, "cube", cube)
    return cube


@pytest.fixture
def make(recipe, monkeypatch, tmp_path):
    """Make the tables, and return the rows by name and the text that people read."""

    def made(*words: str) -> tuple[dict[str, dict], str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["recipe.py", *words, "--jobs", "1"])
        recipe.main()
        table = json.loads((tmp_path / "results" / "recipe.json").read_text())
        return {f"{row['name']}-s{row['seed']}": row for row in table["rows"]}, Path("results/recipe.md").read_text()

    return made


def test_every_row_is_a_configuration_that_exists_under_a_name_of_its_own(recipe) -> None:
    rows = recipe.rows(SECTIONS, [0, 1], "ape.png", Path("worlds"))
    assert len({row.key for row in rows}) == len(rows)
    catalogue = load_plugins()
    for row in rows:
        config = Settings(pairs=list(row.settings)).configuration({"domain": row.domain})
        spec = parse_spec(config.domain)
        catalogue.find("domain", spec.name).options(spec.options)
        for planner in row.planners:
            catalogue.find("planner", planner)


def test_instances_and_diagnosis_have_seeds_that_nothing_else_uses(make, pretended, recipe) -> None:
    make("domains", "--seeds", "3")
    for _, command, *words in pretended.asked:
        if command == "diagnose":
            assert words[-2:] == ["--seed", str(recipe.DIAGNOSIS_SEED)]
        else:
            assert f"plan.seed={recipe.INSTANCE_SEED}" in words
            assert words[words.index("--seed") + 1] == "3"


def test_rows_say_what_was_learned_and_how_many_plans_were_found(make, pretended) -> None:
    rows, text = make("towers", "--seeds", "0")
    assert list(rows) == ["hanoi4-s0", "hanoi9-s0"]
    row = rows["hanoi9-s0"]
    assert (row["learner"], row["differences"], row["recall"], row["cpu_seconds"]) == ("places", 192, 0.9, 12.5)
    assert row["plans"] == ["15/14/13 + 7/6/5"] * 5
    assert [words[1] for words in pretended.asked] == ["run", "evaluate", "diagnose"] * 2
    assert "| hanoi9 | 0 | places | 192 | 190 | 0.9000 | 0.1000 | 15/14/13 + 7/6/5 |" in text


def test_rows_that_are_not_asked_for_stay(make, pretended) -> None:
    first, _ = make("towers", "--seeds", "0")
    both, text = make("domains", "--seeds", "0")
    assert first.items() <= both.items()
    assert "## towers" in text
    assert "## domains" in text


def test_a_row_that_fails_is_told_and_the_others_go_on(make, pretended, capsys) -> None:
    pretended.failing = "hanoi4"
    rows, _ = make("towers", "--seeds", "0")
    assert list(rows) == ["hanoi9-s0"]
    assert "towers/hanoi4-s0 failed" in capsys.readouterr().err


def test_planners_that_a_row_does_not_have_are_empty_cells(recipe) -> None:
    common = {
        "section": "some",
        "seed": 0,
        "learner": "places",
        "differences": 1,
        "actions": 1,
        "recall": 1,
        "wrong": 0,
    }
    rows = [
        {**common, "name": "one", "planners": ["a", "b"], "plans": ["1/1/1", "2/2/2"], "cpu_seconds": 3},
        {**common, "name": "two", "planners": ["b"], "plans": ["4/4/4"], "cpu_seconds": 5},
    ]
    text = recipe.table(rows)
    assert "| one | 0 | places | 1 | 1 | 1.0000 | 0.0000 | 1/1/1 | 2/2/2 | 3 |" in text
    assert "| two | 0 | places | 1 | 1 | 1.0000 | 0.0000 |  | 4/4/4 | 5 |" in text
