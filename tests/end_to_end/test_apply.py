"""``--apply X`` trains the paper's network with X and plans with its effects; elsewhere it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import cube
from tiny_run import words

APPLY = ("btl", "minmax", "smooth", "blackbox")
SHORT: dict[str, object] = {
    "data.transitions": 300,
    "autoencoder.bits": 16,
    "autoencoder.actions": 40,
    "autoencoder.action_width": 40,
    "autoencoder.encoder": "mlp:width=40",
    "autoencoder.decoder": "mlp:width=40",
    "train.updates": 60,
    "train.batch": 45,  # ten epochs
    "train.extensions": "",  # what is planned with is what was trained
}
MATRIX = """
[settings]
domain = "lightsout:size=2"
learner = "{learner}"

[axes]
{axis}
"""
TUNING = """
[settings]
domain = "lightsout:size=2"
"learner.name" = "{learner}"

[space]
{axis}
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("apply")
    for apply in APPLY:
        world = ("--domain", "lightsout:size=3", "--instances", "1", "--length", "1", "--time-limit", "20")
        answer = cube("run", *world, "--apply", apply, *words(SHORT), "-o", apply, cwd=folder)
        assert answer.returncode == 0, answer.stderr
        assert f"learner autoencoder, {apply}: the Cube-Space AutoEncoder (60 gradient updates" in answer.stdout
    return {apply: folder / apply for apply in APPLY}


def test_four_modules_make_four_models(models) -> None:
    assert len({(run / "domain.pddl").read_text() for run in models.values()}) == 4
    assert len({(run / "strips.npz").read_bytes() for run in models.values()}) == 4


@pytest.mark.parametrize("apply", APPLY)
def test_each_was_trained_and_says_so(models, apply) -> None:
    results = json.loads((models[apply] / "results.json").read_text())
    assert results["learner"] == f"autoencoder, {apply}"
    assert results["updates"] == 60
    assert results["effects"] == ("observed" if apply == "blackbox" else "network")
    assert results["preconditions"] == "values"
    learner = json.loads((models[apply] / "learner.json").read_text())
    assert (learner["training"]["phases"], learner["training"]["rewritten"]) == (["joint"], False)
    assert (models[apply] / "metrics.jsonl").read_text().count("\n") > 0


def refused(folder: Path, *arguments: str) -> str:
    answer = cube(*arguments, cwd=folder)
    assert answer.returncode == 2, answer.stderr
    assert answer.stderr.count("\n") == 1
    return answer.stderr


@pytest.mark.parametrize("learner", ["places", "piles"])
@pytest.mark.parametrize("order", [1, -1], ids=["learner first", "apply first"])
def test_a_module_that_nothing_would_train_is_refused_with_what_to_type(tmp_path, learner, order) -> None:
    options = [("--learner", learner), ("--apply", "btl")][::order]
    line = refused(tmp_path, "run", "--domain", "lightsout:size=2", *(word for pair in options for word in pair))
    assert f"learner '{learner}' trains nothing by gradient" in line
    assert "apply module 'btl' would have no influence: use --learner autoencoder, or leave it out" in line
    assert not list(tmp_path.iterdir())


def test_settings_of_training_are_refused_where_nothing_is_trained(tmp_path) -> None:
    line = refused(tmp_path, "run", "--learner", "places", "--set", "train.epochs=5", "--set", "autoencoder.bits=9")
    assert "so autoencoder.bits, train.epochs would have" in line
    assert "--learner autoencoder" in line


def matrix(folder: Path, learner: str, axis: str) -> str:
    (folder / "matrix.toml").write_text(MATRIX.format(learner=learner, axis=axis))
    return refused(folder, "matrix", "matrix.toml", "-o", "out")


def test_an_axis_of_apply_modules_over_places_is_refused(tmp_path) -> None:
    line = matrix(tmp_path, "places", 'apply = ["btl", "minmax"]')
    assert "learner 'places' trains nothing by gradient, so apply module 'btl' would have no influence" in line
    assert "--learner autoencoder" in line
    assert not (tmp_path / "out").exists()


def test_an_axis_of_losses_is_refused_unless_the_learner_is_trained(tmp_path) -> None:
    line = matrix(tmp_path, "auto", '"train.losses.direct" = [0.0, 0.1]')
    assert "axis 'train.losses.direct' reaches no phase of any cell" in line
    assert "set learner=autoencoder" in line


def test_an_axis_of_a_step_that_is_not_taken_is_refused(tmp_path) -> None:
    axis = '"train.extensions" = [["decoder"]]\n"train.discriminator_width" = [10, 20]'
    line = matrix(tmp_path, "autoencoder", axis)
    assert "axis 'train.discriminator_width' reaches no phase" in line
    assert "put discriminate into train.extensions" in line


@pytest.mark.parametrize(
    ("learner", "axis", "words"),
    [
        ("places", '"autoencoder.apply" = ["btl", "minmax"]', "learner 'places' trains nothing by gradient"),
        ("auto", '"train.losses.direct" = [0.0, 0.1]', "set learner=autoencoder"),
    ],
)
def test_a_tuning_is_refused_likewise(tmp_path, learner, axis, words) -> None:
    pytest.importorskip("optuna", reason="cube tune needs the extra [tune]")
    (tmp_path / "tuning.toml").write_text(TUNING.format(learner=learner, axis=axis))
    line = refused(tmp_path, "tune", "tuning.toml", "-o", "out")
    assert words in line
    assert not (tmp_path / "out").exists()


def test_an_axis_of_apply_modules_chooses_the_autoencoder(tmp_path) -> None:
    (tmp_path / "matrix.toml").write_text(MATRIX.format(learner="auto", axis='apply = ["btl", "minmax"]'))
    answer = cube("matrix", "matrix.toml", "-o", "out", "--dry-run", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
