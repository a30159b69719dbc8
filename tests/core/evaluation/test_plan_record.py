"""The record of a search: what follows from it, and that its file is read back as it was or refused."""

import json

import attrs
import pytest
from plan_records import plan_record

from cubespace.base.errors import InputError
from cubespace.base.records import read_record, write_record
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.summary import PlannerResults, best_plan, summarise
from cubespace.search.solver import Statistics


@pytest.mark.parametrize(
    ("record", "accepted"),
    [
        (plan_record((1, 2, 3)), [1, 2, 3]),
        (plan_record((1, 2, 3), valid=False, wrong_step=2), [1]),
        (plan_record((1, 2, 3), valid=None), []),
        (plan_record(None, valid=False), []),
    ],
)
def test_steps_before_the_first_mistake_are_accepted(record, accepted) -> None:
    assert list(record.accepted_steps) == accepted


def test_the_best_plan_is_optimal_then_valid_then_seen_then_long() -> None:
    optimal, valid = plan_record((1, 2)), plan_record((1, 2, 3), optimal=False)
    longer, unseen = plan_record((1,) * 9, valid=None), plan_record((1,) * 10, valid=None, unseen_steps=(4,))
    ranked = [optimal, valid, longer, unseen]
    for number, best in enumerate(ranked):
        assert best_plan(reversed(ranked[number:])) is best
    assert best_plan([plan_record(()), plan_record(None)]) is None


def test_without_a_judge_the_plan_with_the_fewest_doubtful_and_unseen_steps_is_the_best() -> None:
    sure = plan_record((1,) * 4, valid=None, optimal=None, unseen_steps=(2,))
    unseen = plan_record((1,) * 9, valid=None, optimal=None, unseen_steps=(2, 3))
    doubtful = plan_record((1,) * 3, valid=None, optimal=None, unseen_steps=(2,), doubtful_steps=(2,))
    assert best_plan([doubtful, unseen, sure]) is sure
    assert best_plan([doubtful, unseen]) is unseen
    assert [record.doubtful for record in (sure, doubtful)] == [False, True]
    assert summarise([sure, unseen, doubtful], optimal_planner=True).doubtful == 1


def test_a_record_is_read_back_as_it_was(tmp_path) -> None:
    record = plan_record((1, 2), expansions=7, search_seconds=0.5, unseen_steps=(2,))
    write_record(tmp_path / "result.json", record)
    assert read_record(PlanRecord, tmp_path / "result.json") == record
    row = summarise([record], optimal_planner=False)
    write_record(tmp_path / "row.json", row)
    assert read_record(PlannerResults, tmp_path / "row.json") == row


@pytest.mark.parametrize(
    ("key", "value"), [("plan", "12"), ("plan", [1.5]), ("seconds", "1"), ("valid", "yes"), ("wrong_step", "2")]
)
def test_a_record_with_a_value_of_another_kind_is_damaged(tmp_path, key, value) -> None:
    file = tmp_path / "result.json"
    write_record(file, plan_record())
    file.write_text(json.dumps({**json.loads(file.read_text()), key: value}))
    with pytest.raises(InputError, match=rf"result\.json' is damaged: result\.json: {key}"):
        read_record(PlanRecord, file)


def test_a_record_that_lacks_something_is_damaged(tmp_path) -> None:
    file = tmp_path / "result.json"
    write_record(file, plan_record())
    table = json.loads(file.read_text())
    del table["outcome"]
    file.write_text(json.dumps(table))
    with pytest.raises(InputError, match="outcome"):
        read_record(PlanRecord, file)


def test_a_record_has_every_statistic_of_a_search() -> None:
    assert {field.name for field in attrs.fields(Statistics)} < {field.name for field in attrs.fields(PlanRecord)}
