import json

import numpy as np
import pytest
from plan_records import plan_record

import cubespace
from cubespace.base.records import as_table
from cubespace.evaluation.memorisation import Memorised, TrainingMemory, known_pictures
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.summary import summarise


def bits(*numbers: int) -> np.ndarray:
    """Return states of nine bits, so that a row is more than one byte."""
    return np.array([[number >> bit & 1 for bit in range(9)] for number in numbers], dtype=np.bool_)


SEEN = TrainingMemory.of(bits(0, 1, 2), bits(1, 2, 256))


@pytest.mark.parametrize(
    ("trace", "states", "transitions", "unseen"),
    [
        ((0, 1, 2, 256), 4, 3, ()),
        ((2, 1, 0), 3, 0, (1, 2)),  # the other way round was not seen
        ((0, 2, 256), 3, 1, (1,)),
        ((7, 1, 2), 2, 1, (1,)),
        ((0,), 1, 0, ()),
    ],
)
def test_states_and_steps_that_were_seen_are_counted(trace, states, transitions, unseen) -> None:
    known = Memorised(known_states=states, known_transitions=transitions, unseen_steps=unseen)
    assert SEEN.count(bits(*trace)) == known


def test_no_plan_has_no_counts() -> None:
    assert SEEN.count(None) == Memorised(known_states=None, known_transitions=None, unseen_steps=None)


def test_what_was_held_out_may_be_known_all_the_same() -> None:
    assert SEEN.known_states(bits(0, 1, 5, 6)) == 0.5
    assert SEEN.known_transitions(bits(0, 0), bits(1, 2)) == [True, False]
    pictures = np.arange(4, dtype=np.uint8)[:, None, None].repeat(3, axis=1).repeat(3, axis=2)
    assert known_pictures((pictures[:1], pictures[1:2]), pictures) == 0.5
    assert known_pictures((pictures, pictures), pictures[:0]) == 0.0


def record(plan, valid, states=None, transitions=None) -> PlanRecord:
    unseen = None if plan is None else tuple(range(1, 1 + len(plan) - transitions))
    return plan_record(plan, valid, known_states=states, known_transitions=transitions, unseen_steps=unseen)


def test_fractions_are_over_all_plans_that_are_not_wrong() -> None:
    records = [
        record((1, 2), True, 3, 1),
        record((1,), True, 1, 0),
        record((4, 4, 4), False, 4, 3),
        record(None, False),
    ]
    row = summarise(records, optimal_planner=True)
    assert (row.known_states, row.known_transitions) == (0.8, 0.3333)
    assert (row.instances, row.found, row.valid, row.all_seen) == (4, 3, 2, 1)
    unjudged = summarise([record((1,), None, 1, 1)], optimal_planner=True)
    assert (unjudged.valid, unjudged.known_states, unjudged.known_transitions) == (None, 0.5, 1.0)
    none = summarise(records[2:], optimal_planner=True)
    assert (none.known_states, none.known_transitions) == (None, None)


def test_a_run_tells_what_of_its_plans_was_in_the_training_split(tiny_run) -> None:
    run = cubespace.Run.load(tiny_run)
    known = {state.tobytes() for state in run.data.train.states_before} | {
        state.tobytes() for state in run.data.train.states_after
    }
    assert len(known) == 16  # 2 x 2 lamps: all states were seen
    row = run.results["planners"]["fd-lmcut"]
    assert row["known_states"] == 1.0
    first = row["records"][0]
    kept = json.loads((tiny_run / "problems" / "000" / "fd-lmcut" / "result.json").read_text())
    assert {**kept, "pictures": first["pictures"]} == first  # sealed in the results, not beside the pictures
    states = run.code.encode(run.data.train.before), run.code.encode(run.data.train.after)
    problem = [run.picture(tiny_run / "problems" / "000" / f"{name}.png") for name in ("init", "goal")]
    trace = run.strips.execute(run.code.encode(problem[0])[0], first["plan"])
    counted = as_table(TrainingMemory.of(*states).count(trace))
    assert {key: first[key] for key in counted} == counted
