"""AMA2 by configuration: trained, searched by its own network, judged, told and shown like any other run."""

import json

import pytest
from command import cube
from tiny_run import SETTINGS, words

from cubespace.search.solver import Outcome

SMALL = {**SETTINGS, "train.epochs": 20, "train.learning_rate": 0.003, "train.discriminator_width": 60}
SMALL["train.extensions"] = ["states", "actions", "discriminate"]
ARGUMENTS = ["--domain", "lightsout:size=2", "--length", "2", "--instances", "2", *words(SMALL)]


def test_the_network_is_searched_and_everything_about_it_is_told(tmp_path) -> None:
    planners = ["--planner", "ama2-gc", "--planner", "ama2-blind"]
    answer = cube("run", "--preset", "ama2", *ARGUMENTS, *planners, "-o", "run", "--json", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    results = json.loads(answer.stdout)
    assert set(results["planners"]) == {"ama2-gc", "ama2-blind"}
    for row in results["planners"].values():
        for record in row["records"]:
            assert record["outcome"] in (Outcome.SOLVED, Outcome.UNSOLVABLE)
            assert record["expansions"] is not None
    measures = json.loads((tmp_path / "run" / "measures.json").read_text())
    assert 0 < measures["test"]["discriminator_f"] <= 1
    phases = [json.loads(line)["phase"] for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert list(dict.fromkeys(phases)) == ["states", "actions", "discriminate"]
    assert (tmp_path / "run" / "report.html").is_file()
    for plan in (tmp_path / "run" / "problems").glob("*/ama2-gc/plan"):
        assert all(line.startswith("(label-") for line in plan.read_text().splitlines())


def test_a_run_without_a_discriminator_cannot_be_searched(tmp_path) -> None:
    defaults = ["--domain", "lightsout:size=2", "--set", "data.transitions=300", "--length", "2", "--instances", "2"]
    answer = cube("run", *defaults, "--planner", "ama2-gc", "-o", "run", cwd=tmp_path)
    assert answer.returncode == 2
    assert "--preset ama2" in answer.stderr.splitlines()[-1]


@pytest.mark.parametrize("word", ["states", "actions", "discriminate"])
def test_the_phases_are_told_beforehand(word, tmp_path) -> None:
    outline = cube("run", "--preset", "ama2", "--dry-run", cwd=tmp_path)
    assert f"# phase {word}: 200 epochs" in outline.stdout
