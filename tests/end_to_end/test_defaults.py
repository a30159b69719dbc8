"""A run in which all choices are left to the defaults: nothing is trained, and yet all is there."""

import json
from pathlib import Path

import pytest
from command import cube
from PIL import Image
from tiny_run import DEFAULTS, WORLD, copy_run, words


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with a copy of the run."""
    return copy_run(tmp_path, "default").parent


def test_all_plans_are_found_valid_and_optimal(folder) -> None:
    for row in json.loads((folder / "run" / "results.json").read_text())["planners"].values():
        assert (row["instances"], row["found"], row["valid"], row["optimal"]) == (4, 4, 4, 4)


def test_what_was_chosen_is_kept_and_nothing_was_trained(folder) -> None:
    chosen = json.loads((folder / "run" / "learner.json").read_text())
    assert (chosen["learner"], chosen["training"], chosen["bits"], chosen["variables"]) == ("places", None, 8, 4)
    assert (folder / "run" / "metrics.jsonl").read_text() == ""
    assert json.loads((folder / "run" / "extraction.json").read_text())["precondition"] == "values"
    measures = json.loads((folder / "run" / "measures.json").read_text())["test"]
    assert (measures["exact"], measures["covered"], measures["live_bits"]) == (None, 1.0, 8)
    results = json.loads((folder / "run" / "results.json").read_text())
    assert (results["learner"], results["updates"], results["effects"]) == ("places", 0, "differences")


def test_the_same_command_again_says_done(folder) -> None:
    answer = cube("run", *WORLD, *words(DEFAULTS), "-o", "run", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr.splitlines()[1:] == [  # the first line names the learner
        f"{stage}: done already" for stage in ("data", "train", "extract", "evaluate")
    ]


def test_the_same_settings_give_the_same_files(folder) -> None:
    answer = cube("run", "--config", "run/config.toml", "-o", "again", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    for name in ("code.safetensors", "strips.npz", "domain.pddl", "extraction.json"):
        assert (folder / "again" / name).read_bytes() == (folder / "run" / name).read_bytes(), name


def test_diagnosis_of_a_perfect_model_is_perfect(folder) -> None:
    facts = json.loads(cube("diagnose", "run", "--states", "100", "--json", cwd=folder).stdout)
    assert (facts["recall"], facts["wrong"], facts["failures"]) == (1.0, 0.0, [])


def test_a_plan_between_two_pictures_and_a_word_about_a_strange_one(folder) -> None:
    problem = folder / "run" / "problems" / "000"
    init, goal = str(problem / "init.png"), str(problem / "goal.png")
    answer = cube("plan", "--run", "run", init, goal, "-o", "mine", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    assert "2 steps, valid" in answer.stderr
    assert "does not look like" not in answer.stderr
    Image.new("L", (18, 18), 128).save(folder / "grey.png")
    assert (
        "grey.png does not look like what was trained on"
        in cube("plan", "--run", "run", "grey.png", goal, cwd=folder).stderr
    )
