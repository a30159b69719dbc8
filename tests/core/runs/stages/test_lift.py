"""The stage ``lift``: what it writes, what it says, plans with its model, and worlds that it does not lift."""

import json
from pathlib import Path

import numpy as np
import pytest
from command import cube
from tile_rows import noisy
from tiny_run import reseal
from toggles import toggles

import cubespace
from cubespace.base.errors import UsageError
from cubespace.data.domain import Pairs
from cubespace.lifting.checks import Checks, Explained, LearnedCheck
from cubespace.lifting.grounding import ground
from cubespace.lifting.model import LiftedModel
from cubespace.lifting.pixels import find_pixel_variables
from cubespace.lifting.refutation import Refutation
from cubespace.report import write_report
from cubespace.runs.folder.bits_file import BitPairs, load_bits, save_bits
from cubespace.runs.folder.lifting_file import LiftingRecord
from cubespace.runs.stages.lifted_checks import lifting_record
from cubespace.runs.stages.lifted_pairs import lift_pairs, plain_eye
from cubespace.runs.stages.planned import choose, planned_with
from cubespace.settings.run_config import LiftConfig, RunConfig
from cubespace.settings.stages import BITS

NEW = ("lifted.pddl", "lifted-problem.pddl", "lifted-objects.png", "lifted-places.png", "lifted-schemas.png")


@pytest.fixture(scope="module")
def rows() -> Pairs:
    made = toggles(600)
    return Pairs(made.before, made.after)


def test_a_run_is_lifted_checked_and_shown(default_run, tmp_path) -> None:
    answer = cube("lift", str(default_run), "--baseline", cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "(:action press" in answer.stdout
    assert "recall 1.0000, wrong per state 0.0000" in answer.stdout
    assert "without the network: switches: press" in answer.stdout
    for name in NEW:
        assert (default_run / name).is_file(), name
    record = json.loads((default_run / "lifting.json").read_text())
    assert record["checks"]["passed"]
    assert record["objects"] == {"place": 4, "button": 4}
    assert "lift: done already" in cube("lift", str(default_run), cwd=tmp_path).stderr


def test_the_bits_of_the_run_are_read_and_not_encoded_again(default_run) -> None:
    bits = load_bits(default_run / BITS)
    before, after = bits["train"].before, bits["train"].after.copy()
    after[:100] = before[:100]
    moving = int((before != after).any(1).sum())
    save_bits(default_run / BITS, {**bits, "train": BitPairs(before, after)})
    reseal(default_run, "train", BITS)
    record = cubespace.Run.load(default_run).lift().record
    assert record.source == "encoder"
    assert record.checks is not None
    assert record.checks.training.transitions == moving < len(before) - 99


def test_plans_of_the_lifted_and_of_the_repaired_model(default_run) -> None:
    found = {}
    for model in ("learned", "lifted", "repaired"):
        run = cubespace.run(default_run / "config.toml", folder=default_run, planners=("fd-lmcut",), plan_model=model)
        assert run.results["model"] == model
        records = run.results["planners"]["fd-lmcut"]["records"]
        found[model] = [(len(record["plan"]), record["valid"]) for record in records]
        assert (run.path / "problems/000/fd-lmcut/lifted.plan").is_file() == (model == "lifted")
    assert found["learned"] == found["lifted"] == found["repaired"]
    assert all(valid for _, valid in found["lifted"])


def test_the_report_names_the_actions_of_the_model_that_was_planned_with(default_run) -> None:
    run = cubespace.run(default_run / "config.toml", folder=default_run, planners=("fd-lmcut",), plan_model="lifted")
    grounded = ground(run.lift().model).model  # type: ignore[arg-type]
    steps = run.results["planners"]["fd-lmcut"]["records"][0]["plan"]
    text = write_report([run.path], run.catalogue).read_text()
    assert all(grounded.names[step] in text for step in steps)


def test_bits_that_are_no_values_are_lifted_from_redrawn_pictures(tiny_run) -> None:
    run = cubespace.Run.load(tiny_run)
    record = run.lift().record
    assert record.source == "redrawn"
    assert record.lifted or record.reasons
    with pytest.raises(UsageError, match=r"plan\.model=learned"):
        cubespace.run(tiny_run / "config.toml", folder=tiny_run, plan_model="lifted")


def test_the_python_interface(default_run) -> None:
    lifted = cubespace.Run.load(default_run).lift()
    assert lifted.model is not None
    assert lifted.pddl is not None
    assert [schema.name for schema in lifted.model.schemas] == ["press"]
    assert lifted.reasons == ()
    assert "press" in repr(lifted)


def test_the_report_has_a_section(default_run) -> None:
    run = cubespace.Run.load(default_run)
    assert "Objects, places and schemas" not in write_report([run.path], run.catalogue).read_text()
    run.lift()
    text = write_report([run.path], run.catalogue).read_text()
    assert "Objects, places and schemas" in text
    assert "(:action press" in text


def test_planning_depends_on_lifting_only_if_it_is_asked_for() -> None:
    names = {model: _way(model) for model in ("learned", "lifted", "repaired", "auto")}
    assert names["learned"] == ["data", "train", "extract", "evaluate"]
    assert names["lifted"] == names["repaired"] == names["auto"] == ["data", "train", "extract", "lift", "evaluate"]


def _way(model: str) -> list[str]:
    config = cubespace.api.configure(RunConfig(), {"plan_model": model})
    return [stage.name for stage in config.way_to("evaluate")]


def test_a_world_that_was_not_lifted_is_refused_or_left_as_it_is() -> None:
    record = LiftingRecord(lifted=False, reasons=("nothing moves",), source="encoder")
    with pytest.raises(UsageError, match="nothing moves"):
        planned_with("lifted", record, None, np.zeros((1, 1), dtype=bool))  # type: ignore[arg-type]
    assert (
        choose("repaired", record) == choose("auto", record) == ("learned", "this world was not lifted (nothing moves)")
    )


def _explained(number: int) -> Explained:
    return Explained(transitions=10, explained=number, missed=())


def _record(held_out: int, *, by_learned: int, too_general: bool = False, learned_too_general: bool = False):
    def found(number: int) -> Refutation:
        return Refutation(
            refuted={},
            number=number,
            extra=9,
            steps=99,
            unseen=0,
            expected_unseen=0.0,
            held_out=0,
            expected_held_out=0.0,
            accident_rate=0.02,
            level=1e-3,
        )

    none: dict[str, int] = {}
    learned = LearnedCheck(
        states=1,
        same=1,
        only_lifted=none,
        only_learned=none,
        missing=0,
        added=0,
        training=_explained(10),
        held_out=_explained(by_learned),
        refutation=found(int(learned_too_general)),
    )
    checks = Checks(
        training=_explained(10),
        held_out=_explained(held_out),
        learned=learned,
        refutation=found(int(too_general)),
        passed=held_out >= by_learned and not too_general,
    )
    model = LiftedModel(bits=1, types=(), objects=(), predicates=(), facts=(), schemas=(), meaning=())
    return LiftingRecord(lifted=True, source="encoder", checks=checks, model=model)


@pytest.mark.parametrize(
    ("record", "name", "why"),
    [
        (_record(10, by_learned=10), "learned", "both explain 10 of 10 held-out pairs"),
        (_record(10, by_learned=8), "repaired", "it explains 10 of 10 held-out pairs, the learned one 8"),
        (_record(8, by_learned=10), "learned", "it explains 8 of 10 held-out transitions"),
        (_record(10, by_learned=8, too_general=True), "learned", "it is too general"),
        (_record(10, by_learned=10, learned_too_general=True), "repaired", "the learned one is too general"),
    ],
)
def test_auto_takes_the_lifted_model_if_it_is_better_and_says_why(record: LiftingRecord, name: str, why: str) -> None:
    chosen, reason = choose("auto", record)
    assert chosen == name
    assert why in reason


def test_a_lifted_model_that_is_too_general_is_not_planned_with() -> None:
    record = _record(10, by_learned=8, too_general=True)
    assert choose("repaired", record)[0] == "learned"
    with pytest.raises(UsageError, match="too general"):
        planned_with("lifted", record, None, np.zeros((1, 1), dtype=bool))  # type: ignore[arg-type]


class TestWithoutANetwork:
    def test_clean_pictures_are_lifted(self, rows) -> None:
        eye = plain_eye(rows)
        record = lifting_record(lift_pairs(eye, rows, eye.read(rows), LiftConfig()))
        assert record.schemas == {"press": 18}
        assert record.objects == {"place": 9, "button": 9}
        assert record.model is not None
        assert {fact.terms for fact in record.model.facts} == {(f"b{place}", f"p{place}") for place in range(1, 10)}

    def test_noise_is_not_understood(self, rows) -> None:
        spoiled = Pairs(noisy(rows.before, 0.3, 1), noisy(rows.after, 0.3, 2))
        with pytest.raises(UsageError, match="no variables"):
            find_pixel_variables(spoiled.before, spoiled.after)

    def test_an_empty_batch_has_no_bits(self, rows) -> None:
        found = find_pixel_variables(rows.before, rows.after)
        assert found.look(rows.before[:0]).shape == (0, len(found.groups))


def test_names_of_files_are_those_of_the_documentation() -> None:
    page = (Path(__file__).parents[4] / "docs/run-folder.md").read_text()
    for name in ("lifting.json", *NEW):
        assert name in page, name
