"""The stage ``train``: the learner that is named or chosen, what is kept of it and what the user is told."""

from __future__ import annotations

import json

import pytest
from tile_learner import TileLearner, with_a_stranger
from tiny_run import HASTY

from cubespace.base.errors import ComponentError, UsageError
from cubespace.base.observer import Observer
from cubespace.learning.code import Code
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.settings.check import resolve_components
from cubespace.settings.recipe import AUTO, Execution
from cubespace.settings.run_config import load_config

LAMPS = "lightsout:size=2"
MEASURES = "measures.json"
PLACES = {"domain": "lightsout:size=3", "learner.name": "places"}


class Listener(Observer):
    """Keeps what is said."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def trained(folder, catalogue=None, **settings: object) -> tuple[Pipeline, str]:
    """Train and return the run, and what the user is told."""
    listener, catalogue = Listener(), catalogue or load_plugins()
    config = resolve_components(catalogue, load_config(None, {"domain": LAMPS, "data.transitions": 300, **settings}))
    done = Pipeline(RunFolder.start(folder / "run", config, catalogue), catalogue, Execution(), listener)
    done.until("train")
    return done, "\n".join(listener.lines)


def test_a_run_keeps_what_was_tried_and_tells_the_user(tmp_path) -> None:
    done, text = trained(tmp_path)
    record = done.learner()
    assert (record.learner, record.bits, record.variables, record.labels) == ("places", 8, 4, None)
    assert {"piles", "places"} <= {candidate.learner for candidate in record.candidates}
    assert "learner piles: not possible, these pictures show no piles" in text
    assert "learner places: fits, 32 differences, covering 1.0000 of held-out pairs" in text
    assert "learner places: a clustering of pixels (no gradient training)" in text
    assert "8 bits in 4 variables" in text
    assert done.run.config.learner.name == AUTO  # the settings stay what they were


def test_a_learner_that_is_named_is_taken_without_trying_others(tmp_path) -> None:
    done, _ = trained(tmp_path, **{"learner.name": "places:seed=2"})
    assert (done.learner().learner, done.learner().candidates) == ("places:seed=2", ())


def test_a_learner_that_pictures_do_not_suit_is_refused_with_a_way_out(tmp_path) -> None:
    with pytest.raises(UsageError, match=r"show no piles: .*; --learner auto looks for a learner that suits them"):
        trained(tmp_path, **{"learner.name": "piles"})


def test_nothing_is_said_about_actions_where_none_were_learned(tmp_path) -> None:
    done, _ = trained(tmp_path)
    measures = json.loads(done.run.file(MEASURES).read_text())["test"]
    assert (measures["successor"], measures["direct"], measures["actions"]) == (None, None, None)
    assert measures["reconstruction"] < 1e-4
    assert (done.learner().updates, done.learner().training, done.learner().title) == (0, None, "places")
    assert done.run.file("metrics.jsonl").read_text() == ""


def test_a_network_says_how_it_was_trained_and_what_it_was_before_it_was_rewritten(tmp_path) -> None:
    done, text = trained(tmp_path, **{**HASTY, "autoencoder.apply": "minmax"})
    record = done.learner()
    assert record.training is not None
    assert record.updates == len(done.run.file("metrics.jsonl").read_text().splitlines()) * (270 // 50)
    assert record.title == "autoencoder, minmax"
    assert f"learner autoencoder, minmax: the Cube-Space AutoEncoder ({record.updates:,} gradient updates" in text
    assert record.training.rewritten
    assert record.training.before_rewriting is not None
    as_trained = record.training.before_rewriting["test"]
    assert json.loads(done.run.file(MEASURES).read_text())["test"]["exact"] >= as_trained.exact
    last = [row for row in map(json.loads, done.run.file("metrics.jsonl").open()) if row["phase"] == "joint"][-1]
    assert record.training.before_rewriting["validation"].direct == pytest.approx(last["validation_direct"])


def test_the_identity_of_the_stage_names_the_learner_and_its_parts_and_the_precision(tmp_path) -> None:
    done, text = trained(tmp_path, **{**HASTY, "train.precision": "bf16"})
    assert "trained by gradient in bf16" in text
    assert " gradient updates in bf16, then rewritten" in done.learner().summary  # of the report, too
    assert done.learner().precision == "bf16"
    assert done.run.records()["train"].settings["train.precision"] == "bf16"
    components = done.run.records()["train"].components
    assert {"learner autoencoder", "apply btl", "action head", "objective paper", "extension rewrite"} <= set(
        components
    )


def test_the_code_of_a_run_is_read_by_its_learner(tmp_path) -> None:
    done, _ = trained(tmp_path)
    train = done.transitions().train
    assert (done.code().encode(train.before) == done.bits()["train"].before).all()
    assert done.code().groups is not None
    assert done.code().actions is None


def test_where_no_quick_learner_fits_it_is_said_before_a_network_is_trained_and_kept(tmp_path) -> None:
    done, text = trained(tmp_path, **{**HASTY, "learner.name": AUTO, "learner.most_structure": 0.0})
    said = "no quick learner fits these pictures: piles: these pictures show no piles"
    assert f"train: warning: {said}" in text
    assert "so a network is trained by gradient, which takes minutes instead of seconds: learner autoencoder" in text
    assert text.index(said) < text.index("gradient updates")
    (warning,) = done.learner().warnings
    assert warning.startswith(said)
    assert "places: bits lack something that pixels share, 0.00" in warning


def test_a_learner_of_somebody_else_that_fails_is_named(tmp_path) -> None:
    class Failing(TileLearner):
        def learn(self, *_) -> Code:
            raise ValueError("too many")

    with pytest.raises(ComponentError, match=r"bit learner 'stranger' of plugin 'stranger' .* ValueError: too many"):
        trained(tmp_path, with_a_stranger(Failing), **{"learner.name": "stranger"})


def test_pictures_of_a_shaking_camera_are_registered_first(tmp_path) -> None:
    shaking = {"data.spoil.ground": "textured", "data.spoil.move": 1.0, "data.spoil.noise": 0.008}
    done, text = trained(tmp_path, **shaking, **{"data.transitions": 500, **PLACES})
    assert "train: the camera moves: pictures are registered" in text
    record = done.learner().registration
    assert record is not None
    assert record.deviations["right"] == pytest.approx(3**-0.5, rel=0.2)
    assert (tmp_path / "run" / "registration.png").is_file()
    pairs, bits = done.transitions().train, done.bits()["train"]
    again = done.code().encode(pairs.before)  # from the file, with its registration
    assert (again != bits.before).any(1).mean() < 0.01


def test_a_fixed_camera_is_said_to_be_fixed(tmp_path) -> None:
    done, text = trained(tmp_path, **{"data.transitions": 200, **PLACES})
    assert "train: nothing moves" in text
    record = done.learner().registration
    assert record is not None
    assert not record.registered
    assert not (tmp_path / "run" / "registration.png").exists()
