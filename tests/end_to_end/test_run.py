"""The whole way, as a user walks it: a tiny domain is learned, planned in, interrupted, broken and gone on with."""

import json
import re
import shutil
from pathlib import Path

import attrs
import pytest
from command import cube
from PIL import Image
from stranger import stranger
from tiny_run import ARGUMENTS, HASTY, WORLD, copy_run, words

from cubespace.base.files import sha256
from cubespace.symbols.strips import load_strips, save_strips

# asks its own run to end after three epochs, as Ctrl-C does
IMPATIENT = """
import os, signal
from cubespace import hookimpl
from cubespace.base.observer import Observer

class Impatient(Observer):
    def epoch(self, row):
        if row["epoch"] == 3:
            os.kill(os.getpid(), signal.SIGINT)

@hookimpl
def cube_observers(registry):
    registry.add("impatient", Impatient, "ends the run early")
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """A folder with a copy of the finished run ``run`` that a test may spoil."""
    return copy_run(tmp_path).parent


def test_all_plans_are_found_valid_and_optimal(copy) -> None:
    answer = cube("evaluate", "run", "--json", cwd=copy)
    for row in json.loads(answer.stdout)["planners"].values():
        assert (row["instances"], row["found"], row["valid"], row["optimal"]) == (4, 4, 4, 4)


def test_the_folder_holds_what_is_promised(copy) -> None:
    files = "config.toml environment.json manifest.json metrics.jsonl code.safetensors measures.json"
    for name in [*files.split(), "learner.json", "strips.npz", "domain.pddl", "extraction.json", "results.json"]:
        assert (copy / "run" / name).stat().st_size > 0, name
    problem = copy / "run" / "problems" / "000"
    for name in ("init.png", "goal.png", "problem.pddl", "fd-lmcut/plan", "fd-lmcut/result.json"):
        assert (problem / name).stat().st_size > 0, name
    assert Image.open(problem / "fd-lmcut" / "strip.png").size[0] > 100
    assert Image.open(problem / "fd-lmcut" / "plan.png").n_frames == 3  # an animation


def test_the_same_command_again_says_done(copy) -> None:
    answer = cube("run", *ARGUMENTS, "-o", "run", cwd=copy)
    assert answer.returncode == 0
    first, *others = answer.stderr.splitlines()
    assert first.startswith("learner autoencoder")
    assert [line for line in others if line.endswith("done already")] == others
    assert "fd-lmcut" in answer.stdout


def test_another_planner_is_added_without_training_again(copy) -> None:
    answer = cube("evaluate", "run", "--planner", "fd-blind", "--planner", "fd-lmcut", "--json", cwd=copy)
    rows = json.loads(answer.stdout)["planners"]
    assert {name: row["optimal"] for name, row in rows.items()} == {"fd-blind": 4, "fd-lmcut": 4}
    assert "train: done already" in answer.stderr


def test_another_precondition_learner_is_tried_without_training_again(copy) -> None:
    answer = cube("extract", "run", "--precondition", "static", "--json", cwd=copy)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["actions"] > 0
    assert "train: done already" in answer.stderr


def test_plans_of_another_model_are_made_anew(copy) -> None:
    """As after an extraction by a later version, with the same settings: the same actions stand in another order."""
    model = load_strips(copy / "run" / "strips.npz")
    masks = ("add", "delete", "positive", "negative", "support", "cost")
    other = attrs.evolve(model, names=model.names[::-1], **{name: getattr(model, name)[::-1] for name in masks})
    save_strips(copy / "run" / "strips.npz", other)
    manifest = json.loads((copy / "run" / "manifest.json").read_text())
    manifest["stages"]["extract"]["files"]["strips.npz"] = sha256(copy / "run" / "strips.npz")
    del manifest["stages"]["evaluate"]
    (copy / "run" / "manifest.json").write_text(json.dumps(manifest))
    rows = json.loads(cube("evaluate", "run", "--planner", "fd-lmcut", "--json", cwd=copy).stdout)["planners"]
    assert rows["fd-lmcut"]["optimal"] == 4
    for record in rows["fd-lmcut"]["records"]:
        plan = (copy / "run" / "problems" / record["problem"] / "fd-lmcut" / "plan").read_text()
        assert [other.names[action] for action in record["plan"]] == re.findall(r"^\((.*)\)$", plan, re.MULTILINE)


def test_diagnosis_of_a_perfect_model_is_perfect(copy) -> None:
    facts = json.loads(cube("diagnose", "run", "--states", "100", "--json", cwd=copy).stdout)
    assert (facts["recall"], facts["wrong"]) == (1.0, 0.0)


def test_a_plan_between_two_pictures_of_the_user(copy) -> None:
    problem = copy / "run" / "problems" / "000"
    answer = cube("plan", "--run", "run", str(problem / "init.png"), str(problem / "goal.png"), "-o", "mine", cwd=copy)
    assert answer.returncode == 0, answer.stderr
    assert "2 steps, valid" in answer.stderr
    assert answer.stdout.strip() == "mine/strip.png"
    assert json.loads((copy / "mine" / "result.json").read_text())["optimal"] is True


def test_a_picture_unlike_the_training_gets_a_clear_word(copy) -> None:
    strange = Image.new("L", (18, 18), 128)
    strange.save(copy / "grey.png")
    goal = str(copy / "run" / "problems" / "000" / "goal.png")
    answer = cube("plan", "--run", "run", "grey.png", goal, cwd=copy)
    assert "grey.png does not look like what was trained on" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["large.png", "goal.png", "--run", "run"], 3, "trained on 18x18"),
        (["text.png", "goal.png", "--run", "run"], 3, "text.png"),
        (["absent.png", "goal.png", "--run", "run"], 3, "absent.png"),
        (["goal.png", "goal.png", "--run", "raw"], 3, "raw"),
        (["goal.png", "goal.png", "--run", "run", "--planner", "fd-lmctu"], 2, "fd-lmcut"),
    ],
)
def test_broken_input_is_one_line(copy, arguments, code, named) -> None:
    shutil.copy(copy / "run" / "problems" / "000" / "goal.png", copy / "goal.png")
    Image.new("L", (20, 20)).save(copy / "large.png")
    (copy / "text.png").write_text("no picture")
    (copy / "raw").mkdir()
    shutil.copy(copy / "run" / "config.toml", copy / "raw" / "config.toml")
    answer = cube("plan", *arguments, cwd=copy)
    assert answer.returncode == code, answer.stderr
    assert named in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_other_settings_do_not_touch_a_run(copy) -> None:
    answer = cube("run", *ARGUMENTS, "--set", "train.epochs=9", "-o", "run", cwd=copy)
    assert answer.returncode == 2
    assert "train.epochs" in answer.stderr


def test_a_damaged_model_is_named(copy) -> None:
    model = copy / "run" / "code.safetensors"
    content = bytearray(model.read_bytes())
    content[-5] ^= 1
    model.write_bytes(content)
    problem = copy / "run" / "problems" / "000"
    answer = cube("plan", "--run", "run", str(problem / "init.png"), str(problem / "goal.png"), cwd=copy)
    assert answer.returncode == 3
    assert answer.stderr.count("\n") == 1


def test_an_interrupted_run_says_how_to_go_on_and_goes_on(tmp_path) -> None:
    command = ["run", *WORLD, *words(HASTY), "--instances", "1", "-o", "run"]
    stopped = cube(*command, "--observer", "impatient", cwd=tmp_path, env=stranger(tmp_path, IMPATIENT))
    assert stopped.returncode == 130
    assert "the same command continues" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    again = cube(*command, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    epochs = [json.loads(line)["epoch"] for line in lines]
    assert epochs == list(range(1, len(epochs) + 1))
    assert len(epochs) > 5
