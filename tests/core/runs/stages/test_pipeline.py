"""The stages of a run: done in order, once, and again where settings or files are no longer the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from threadpoolctl import threadpool_info
from tiny_run import HASTY

from cubespace.base.errors import InputError, UsageError
from cubespace.base.files import sha256
from cubespace.base.observer import Observer
from cubespace.plugins.catalogue import load_plugins
from cubespace.report import write_report
from cubespace.runs.folder.run_folder import RunFolder
from cubespace.runs.stages.pipeline import Pipeline
from cubespace.settings.check import resolve_components
from cubespace.settings.recipe import Execution
from cubespace.settings.run_config import load_config
from cubespace.settings.stages import way_to
from cubespace.studio.source import open_source

STAGES = tuple(stage.name for stage in way_to("evaluate"))
SETTINGS = {"domain": "lightsout:size=2", "data.transitions": 300, "plan.instances": 2, "plan.length": 2}


class Listener(Observer):
    """Remembers what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[tuple[str, ...]] = []

    def start(self, folder: Path) -> None:
        self.events.append(("start", folder.name))

    def stage(self, name: str, about: str) -> None:
        self.events.append(("stage", name, about))

    def say(self, line: str) -> None:
        self.events.append(("say", line))

    def plan(self, record) -> None:
        self.events.append(("plan", record["problem"]))

    def close(self) -> None:
        self.events.append(("close",))

    def kinds(self, kind: str) -> list[str]:
        return [words[0] for name, *words in self.events if name == kind]


def pipeline(path: Path, observer: Observer | None = None, **settings: object) -> Pipeline:
    config = resolve_components(load_plugins(), load_config(None, {**SETTINGS, **settings}))
    return Pipeline(RunFolder.start(path, config), load_plugins(), Execution(), observer or Observer())


def test_numpy_has_as_many_threads_as_the_run(tmp_path) -> None:
    class Counting(Observer):
        threads: ClassVar[set[int]] = set()

        def stage(self, name: str, about: str) -> None:  # noqa: ARG002
            self.threads.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")

    pipeline(tmp_path / "run", Counting()).until("train")
    assert Counting.threads == {1}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("stages") / "run"
    pipeline(path).until("evaluate")
    return path


@pytest.fixture
def path(made, tmp_path) -> Path:
    return shutil.copytree(made, tmp_path / "run")


@pytest.mark.parametrize("last", STAGES)
def test_work_goes_as_far_as_is_asked_and_no_further(tmp_path, last) -> None:
    listener = Listener()
    done = pipeline(tmp_path / "run", listener)
    done.until(last)
    wanted = STAGES[: STAGES.index(last) + 1]
    assert [stage for stage in STAGES if done.run.finished(stage)] == list(wanted)
    assert listener.kinds("stage") == list(wanted)
    assert (listener.events[0], listener.events[-1]) == (("start", "run"), ("close",))


def test_what_is_finished_is_not_done_again(path) -> None:
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*") if file.is_file() and file.suffix != ".toml"}
    listener = Listener()
    pipeline(path, listener).until("evaluate")
    assert listener.kinds("say")[1:] == [f"{stage}: done already" for stage in STAGES]  # the first names the learner
    assert listener.kinds("stage") == []
    assert {file: file.stat().st_mtime_ns for file in before if file.name != ".lock"} == {
        file: time for file, time in before.items() if file.name != ".lock"
    }


@pytest.mark.parametrize(
    ("settings", "redone"),
    [
        ({"plan.length": 1}, ["evaluate"]),
        ({"extract.precondition": "static"}, ["extract", "evaluate"]),
        ({"extract.seed": 7}, ["extract"]),  # to no effect here: what came of the model still belongs to it
    ],
    ids=["instances", "learner", "seed"],
)
def test_other_settings_redo_their_stage_and_those_that_it_changes(path, settings, redone) -> None:
    listener = Listener()
    pipeline(path, listener, **settings).until("evaluate")
    kept = [line.split(":")[0] for line in listener.kinds("say") if line.endswith("done already")]
    assert kept == [stage for stage in STAGES if stage not in redone]


@pytest.mark.parametrize(
    ("file", "redone"),
    [("data.npz", "data"), ("code.safetensors", "train"), ("strips.npz", "extract"), ("results.json", "evaluate")],
)
def test_a_file_that_is_gone_is_made_again_and_what_came_of_it_stays(path, file, redone) -> None:
    before = sha256(path / "strips.npz")
    (path / file).unlink()
    listener = Listener()
    pipeline(path, listener).until("evaluate")
    kept = [line.split(":")[0] for line in listener.kinds("say") if line.endswith("done already")]
    assert kept == [stage for stage in STAGES if stage != redone]
    assert sha256(path / "strips.npz") == before  # the same settings, the same model


def test_plans_of_the_same_model_are_kept_when_more_are_wanted(path) -> None:
    listener = Listener()
    pipeline(path, listener, **{"plan.instances": 3}).until("evaluate")
    assert listener.kinds("plan") == ["002"]
    records = pipeline(path, **{"plan.instances": 3}).results().planners["fd-lmcut"].records
    assert [record.problem for record in records] == ["000", "001", "002"]


def test_a_verdict_is_never_taken_from_a_file_that_nothing_seals(path) -> None:
    truth = sha256(path / "results.json")
    plan = path / "problems" / "000" / "fd-lmcut"
    record = json.loads((plan / "result.json").read_text())
    assert record["valid"]
    (plan / "result.json").write_text(json.dumps({**record, "valid": False, "optimal": None, "reason": "a lie"}))
    (path / "results.json").unlink()
    listener = Listener()
    pipeline(path, listener).until("evaluate")
    assert not listener.kinds("plan"), "nothing was searched for again"
    assert sha256(path / "results.json") == truth

    for lie in ({"plan": [0] * len(record["plan"])}, {"plan": [10**6]}, {"trace": "0" * 64}):
        (plan / "result.json").write_text(json.dumps({**record, **lie}))
        (path / "results.json").unlink()
        listener = Listener()
        pipeline(path, listener).until("evaluate")
        assert listener.kinds("plan") == ["000"], "what does not lead to the goal is not a plan"
        assert pipeline(path).results().planners["fd-lmcut"].valid == 2


def test_no_plan_is_shown_with_pictures_of_another_instance(path) -> None:
    problems = path / "problems"
    truth = sha256(problems / "000" / "init.png")
    shutil.copy(problems / "001" / "goal.png", problems / "000" / "init.png")
    (problems / "001" / "fd-lmcut" / "strip.png").write_bytes(b"")
    for show in (lambda: write_report([path], load_plugins()), lambda: write_report([path, path], load_plugins())):
        with pytest.raises(InputError, match=r"pictures in .*problems/00\d' are not those of the plan: cube evaluate"):
            show()
    source = open_source(path, load_plugins(), Execution(device="cpu"))
    assert not source.solved, "and none is offered to plan between"
    listener = Listener()
    pipeline(path, listener).until("evaluate")
    assert not listener.kinds("plan")
    assert sha256(problems / "000" / "init.png") == truth
    write_report([path], load_plugins())


def test_a_stage_that_is_not_done_names_the_command_that_does_it(tmp_path) -> None:
    started = pipeline(tmp_path / "run")
    for stage in (*STAGES[1:], "diagnose"):
        with pytest.raises(InputError, match=rf"no finished stage '{stage}': cube {stage} {started.run.path} does it"):
            started.require(stage)
    started.until("extract")
    started.require("extract")
    with pytest.raises(InputError, match="cube evaluate"):
        started.require("evaluate")


def test_a_failing_stage_is_told_to_the_end_and_leaves_no_record(tmp_path) -> None:
    listener = Listener()
    started = pipeline(tmp_path / "run", listener, **{"extract.min_support": 10_000})
    with pytest.raises(UsageError, match=r"extract\.min_support"):
        started.until("evaluate")
    assert listener.events[-1] == ("close",)
    assert started.run.finished("train")
    assert not started.run.finished("extract")


def test_effects_of_the_network_need_an_apply_module_that_has_them(tmp_path) -> None:
    settings = {**HASTY, "autoencoder.apply": "blackbox", "extract.effects": "network"}
    started = pipeline(tmp_path / "run", **settings)
    with pytest.raises(UsageError, match="no STRIPS effects"):
        started.until("extract")


@pytest.mark.parametrize("effects", ["network", "observed"])
def test_effects_of_labels_need_a_learner_that_has_labels(path, effects) -> None:
    other = pipeline(path, **{"extract.effects": effects})
    with pytest.raises(UsageError, match=f"extract.effects={effects} needs learned actions, and learner 'places' has"):
        other.until("extract")


def test_labels_that_were_rewritten_give_the_effects_that_are_seen(tmp_path) -> None:
    models = {}
    for effects in ("auto", "network", "observed", "differences"):
        roomy = {**HASTY, "autoencoder.actions": 300}  # a label for every difference
        other = pipeline(tmp_path / "run", **roomy, **{"extract.effects": effects})
        other.until("extract")
        assert other.extraction().effects == {"auto": "network"}.get(effects, effects)
        models[effects] = _effects(other.strips())
    assert models["auto"] == models["network"] == models["observed"] == models["differences"]


def _effects(model) -> set[bytes]:
    return {row.tobytes() for row in np.concatenate([model.add, model.delete], axis=1)}


def test_the_authors_judge_joins_the_strict_one_and_nothing_is_searched_again(path) -> None:
    pipeline(path).until("evaluate")
    plans = sorted(path.glob("problems/*/*/plan"))
    listener = Listener()
    again = pipeline(path, listener, **{"plan.judge": "authors"})
    again.until("evaluate")
    assert plans
    assert not listener.kinds("plan")
    (row,) = again.results().planners.values()
    assert row.authors_valid == row.valid == row.found == len(plans)
    assert row.authors_optimal == row.optimal


def test_an_oracle_has_an_action_for_every_move(path) -> None:
    oracle = {"extract.pairs": "oracle", "extract.precondition": "whole-state"}
    listener = Listener()
    done = pipeline(path, listener, **oracle)
    done.until("evaluate")
    model = done.strips()
    assert model.actions == 16 * 4  # states of two by two lamps, and presses
    assert ((model.positive | model.negative).all(1)).all()
    assert any("an oracle, not a learned model" in line for line in listener.kinds("say"))
    (row,) = done.results().planners.values()
    assert row.optimal == row.instances == 2
    with pytest.raises(UsageError, match="more than 20: choose a smaller one"):
        pipeline(path, **oracle, **{"extract.most_moves": 20}).until("extract")


def test_the_groups_of_the_code_reach_the_model(path) -> None:
    done = pipeline(path)
    groups = done.strips().groups
    assert groups is not None
    assert tuple(groups.tolist()) == done.code().groups
    record = json.loads((path / "extraction.json").read_text())
    assert record["precondition"] == "values"  # that of the learner
    assert done.extraction().redrawing_error == record["redrawing_error"] < 1e-4


def test_a_domain_that_draws_other_pictures_is_not_planned_in(path) -> None:
    """As if the picture file of a puzzle had been replaced."""
    done = pipeline(path, **{"plan.length": 1})
    data = done.transitions()
    pairs = data.pairs
    spoiled = type(data)(
        type(pairs)(255 - pairs.before, 255 - pairs.after, pairs.states_before, pairs.states_after),
        data.spec,
        data.seed,
        data.sizes,
    )
    spoiled.save(path / "data.npz")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["stages"]["data"]["files"]["data.npz"] = sha256(path / "data.npz")
    (path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="no longer draws the pictures"):
        done.until("evaluate")


def test_a_diagnosis_is_a_stage_that_belongs_to_its_model(path) -> None:
    done = pipeline(path, **{"diagnose.states": 50, "diagnose.seed": 3})
    done.until("diagnose")
    result = json.loads((path / "diagnosis.json").read_text())
    assert (result["seed"], result["recall"], result["wrong"], result["failures"]) == (3, 1.0, 0.0, [])
    other = pipeline(path, **{"diagnose.states": 50, "diagnose.seed": 3, "extract.precondition": "static"})
    other.until("extract")
    with pytest.raises(InputError, match="cube diagnose"):
        other.diagnosis()


def test_reading_a_run_back_gives_the_code_that_made_its_model(path) -> None:
    done = pipeline(path)
    train, model = done.transitions().train, done.strips()
    before, after = (done.code().encode(images) for images in (train.before, train.after))
    rows, actions = np.nonzero(model.applicable(before))
    reached = (model.apply(before[rows], actions) == after[rows]).all(1)
    assert set(rows[reached]) == set(range(len(train)))


def test_a_model_can_be_read_off_all_pairs_and_then_says_that_none_was_held_out_from_it(tmp_path) -> None:
    transitions = {}
    for pairs in ("training", "all"):
        listener = Listener()
        pipeline(tmp_path / pairs, listener, **{"extract.pairs": pairs}).until("extract")
        transitions[pairs] = json.loads((tmp_path / pairs / "extraction.json").read_text())["transitions"]
        assert any("from all pairs" in line for line in listener.kinds("say")) == (pairs == "all")
    assert transitions == {"training": 270, "all": 300}
