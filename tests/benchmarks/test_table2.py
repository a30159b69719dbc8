"""Table 2 with commands that only pretend: what is asked of them, what is kept, what is printed."""

import importlib
import json
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEASURES = {"reconstruction": 0.0001, "successor": 0.0002}


def record(plan: list[int] | None, valid: bool, optimal: bool, known: tuple[int, int] | None) -> dict:
    states, transitions = known or (None, None)
    counts = {"known_states": states, "known_transitions": transitions}
    return {"outcome": "some", "plan": plan, "valid": valid, "optimal": optimal, "seconds": 2.0, **counts}


class Pretended:
    """Stands for ``cube``: solves every second instance, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def __call__(self, folder: Path, command: str, *arguments: str) -> dict:
        self.asked.append((folder.name, command, *arguments))
        if command == "diagnose":
            return {"recall": 0.9, "wrong": 0.1, "failures": []}
        given = dict(pair.split("=", 1) for word, pair in pairwise(arguments) if word == "--set")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "measures.json").write_text(json.dumps({"test": MEASURES}))
        (folder / "extraction.json").write_text(json.dumps({"actions": 3}))
        (folder / "metrics.jsonl").write_text('{"seconds": 60}\n{"seconds": 30}\n')
        found = record([0] * int(given["plan.length"]), True, True, (1, 0))
        number = min(int(given["plan.instances"]), 8 if "hanoi" in given["domain"] else 30)
        records = [found if each % 2 else record(None, False, False, None) for each in range(number)]
        planners = given["plan.planners"].split("+")
        row = {"instances": number, "optimal_planner": True, "records": records}
        return {"run": str(folder), "planners": dict.fromkeys(planners, row)}


@pytest.fixture
def table2(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("table2")


@pytest.fixture
def pretended(table2, monkeypatch) -> Pretended:
    cube = Pretended()
    monkeypatch.setattr(table2, "cube", cube)
    return cube


@pytest.fixture
def make(table2, tmp_path):
    """Make the table, and return it as JSON and as people read it."""

    def made(*words: str) -> tuple[dict, str]:
        table2.main([*words, "--folder", str(tmp_path / "runs"), "--output", str(tmp_path / "table")])
        return json.loads((tmp_path / "table.json").read_text()), (tmp_path / "table.md").read_text()

    return made


def test_the_paper_has_a_figure_for_every_planner_and_presets_exist(table2) -> None:
    assert len({row.name for row in table2.ROWS}) == len(table2.ROWS)
    for row in table2.ROWS:
        assert row.paper is None or len(row.paper) == len(table2.PLANNERS)
        assert set(row.planners) <= set(table2.PLANNERS)
        assert row.preset is None or table2.find_preset(row.preset).reason


def test_the_bigger_rows_have_one_seed_unless_more_are_wanted(table2) -> None:
    cells = [(rows[0].run, seed) for rows, seed in table2.trainings(["mnist", "hanoi9"], None)]
    assert cells == [("mnist", 0), ("hanoi9", 0), ("mnist", 1)]
    assert [seed for _, seed in table2.trainings(["hanoi9"], [3, 2])] == [2, 3]


def test_several_lengths_are_one_training_and_one_row(make, pretended) -> None:
    table, text = make("--domains", "mandrill15", "--mandrill", "ape.png")
    (row,) = table["rows"]
    assert (row["domain"], row["seed"], row["preset"], row["train_minutes"]) == ("mandrill15", 0, "large-board", 1.5)
    planned = row["planners"]["fd-blind"]
    assert [planned[key] for key in ("instances", "found", "valid", "optimal")] == [40, 20, 20, 20]
    assert planned["mean_seconds"] == 2.0
    assert row["known_states"] == pytest.approx(20 / (10 * 15 + 10 * 22), abs=1e-4)
    assert row["known_transitions"] == 0
    assert "records" not in planned
    assert "20 at l = 14, 20 at l = 21" in text
    assert "20/20/20 (32/32/29)" in text
    assert "Preset `large-board`: A 15-puzzle" in text
    runs = [words for words in pretended.asked if words[1] == "run"]
    assert len(runs) == 2
    assert len({words[0] for words in runs}) == 1
    assert all("domain=mandrill:size=4,image=ape.png" in words and "large-board" in words for words in runs)
    assert all("plan.seed=31337" in words for words in runs)


def test_rows_of_one_training_are_diagnosed_once_and_say_how_many_instances_there_were(make, pretended) -> None:
    table, text = make("--domains", "hanoi9-piles", "--seeds", "0")
    assert [row["domain"] for row in table["rows"]] == ["hanoi9-piles", "hanoi9-piles-goals"]
    assert [words[:2] for words in pretended.asked] == [
        ("hanoi9-piles-s0", "run"),
        ("hanoi9-piles-s0", "diagnose"),
        ("hanoi9-piles-s0", "run"),
    ]
    assert "plan.random_goals=True" in pretended.asked[2]
    assert "| hanoi9-piles, preset `piles` | 8 at l = 7 | 0 | 4/4/4 (-)" in text
    assert "8 at l = 7, random goals" in text


def test_rows_that_are_not_asked_for_stay_as_they_were_made(make, pretended, monkeypatch, table2) -> None:
    monkeypatch.setattr(table2, "environment", lambda: {"date": "2001-01-01", "processor": "old"})
    make("--domains", "spider", "mnist", "--seeds", "0", "1")
    monkeypatch.setattr(table2, "environment", lambda: {"date": "2002-02-02", "processor": "new"})
    table, text = make("--domains", "mnist", "hanoi4", "--seeds", "0")
    assert [(row["domain"], row["seed"], row["made"]["environment"]["date"][:4]) for row in table["rows"]] == [
        ("mnist", 0, "2002"),
        ("spider", 0, "2001"),
        ("hanoi4", 0, "2002"),
        ("mnist", 1, "2001"),
        ("spider", 1, "2001"),
    ]
    assert "2001-01-01, old" in text
    assert "2002-02-02, new" in text


def test_what_is_finished_is_not_done_again_unless_its_settings_change(make, pretended, monkeypatch, table2) -> None:
    first = make("--domains", "mnist", "hanoi4")
    done = len(pretended.asked)
    assert done == 6
    assert make("--domains", "mnist", "hanoi4") == first
    assert len(pretended.asked) == done
    monkeypatch.setattr(table2, "INSTANCE_SEED", 1)
    make("--domains", "hanoi4")
    assert [words[1] for words in pretended.asked[done:]] == ["run"]  # the diagnosis does not depend on instances


def test_a_row_that_fails_says_so_and_the_others_go_on(make, pretended, monkeypatch, table2) -> None:
    def cube(folder: Path, *arguments: str) -> dict:
        if folder.name.startswith("mnist"):
            raise subprocess.CalledProcessError(3, "cube")
        return pretended(folder, *arguments)

    monkeypatch.setattr(table2, "cube", cube)
    table, text = make("--domains", "mnist", "spider", "--seeds", "0")
    assert table["rows"][0]["failed"].startswith("exit code 3")
    assert "exit code 3" in text
    assert "15/15/15 (30/28/16)" in text


def test_the_rows_keep_the_fields_they_had(make, pretended) -> None:
    (row,) = make("--domains", "photo", "--seeds", "5")[0]["rows"]
    assert {"domain", "seed", "train_minutes", "measures", "diagnosis", "extraction", "planners"} <= row.keys()
    assert row["measures"] == MEASURES


def test_an_answer_to_another_question_or_of_another_version_is_made_anew(table2, tmp_path) -> None:
    file = tmp_path / "answer.json"
    assert table2.kept(file, "a", lambda: {"value": 1}) == {"value": 1}
    assert table2.kept(file, "a", lambda: {"value": 2}) == {"value": 1}
    assert table2.kept(file, "b", lambda: {"value": 3}) == {"value": 3}
    file.write_text(json.dumps({**json.loads(file.read_text()), "cubespace": "0.0"}))
    assert table2.kept(file, "b", lambda: {"value": 4}) == {"value": 4}
