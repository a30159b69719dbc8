"""Plans that lack what true moves have are doubted, alone and together; plans of true moves are not."""

import attrs
import numpy as np
import pytest
from plan_records import plan_record

from cubespace.evaluation.doubts import Doubts, plan_findings
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.evaluation.precision import estimate_precision
from cubespace.evaluation.real_moves import KnownMoves
from cubespace.symbols.effects import differences
from cubespace.symbols.strips import StripsModel

SIDE = 4
WALL = {((1, column), (2, column)) for column in range(SIDE - 1)}  # between two rows, but for the last column


def squares(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return one bit for each row and one for each column."""
    return np.concatenate([np.eye(SIDE, dtype=np.bool_)[rows], np.eye(SIDE, dtype=np.bool_)[columns]], axis=1)


def walks(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return moves of one square, up or down, left or right, that no wall prevents."""
    moves = [
        (one, other)
        for one in np.ndindex(SIDE, SIDE)
        for other in np.ndindex(SIDE, SIDE)
        if abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1 and not {(one, other), (other, one)} & WALL
    ]
    chosen = np.array(moves)[np.random.default_rng(seed).integers(len(moves), size=count)]
    return squares(*chosen[:, 0].T), squares(*chosen[:, 1].T)


@pytest.fixture(scope="module")
def doubts() -> Doubts:
    """What learning saw, and a model that walks through the wall."""
    before, after = walks(1500, 0)
    effects = differences(before, after)
    model = StripsModel(
        names=[f"a{row}" for row in range(len(effects.add))],
        add=effects.add,
        delete=effects.delete,
        positive=effects.delete,
        negative=effects.add,
        support=effects.support,
        cost=np.ones(len(effects.add)),
    )
    precision = estimate_precision(model, (before, after), walks(100, 1), grouped=True)
    known = KnownMoves.of(before, after, grouped=True)
    pictures = lambda bits: (bits * 255).astype(np.uint8)  # noqa: E731 - a code in which nothing is lost
    return Doubts(known=known, precision=precision, draw=pictures, look=lambda images: images > 0)


def record(doubts: Doubts, *path: tuple[int, int], valid: bool | None = None) -> PlanRecord:
    """Return the record of a plan along some squares."""
    doubt = doubts.of(squares(*np.array(path).T))
    assert doubt is not None
    plan = tuple(range(len(path) - 1))
    made = plan_record(plan=plan, valid=valid, optimal=valid, unseen_steps=())
    return attrs.evolve(made, lacking=doubt.lacking, doubtful_steps=doubt.doubtful_steps)


def test_a_step_through_a_wall_is_doubtful_and_a_step_beside_it_is_not(doubts) -> None:
    through, around = record(doubts, (0, 0), (1, 0), (2, 0)), record(doubts, (1, 3), (2, 3), (2, 2))
    assert through.doubtful_steps == (2,)
    assert through.doubtful
    assert around.doubtful_steps == ()
    assert doubts.of(None) is None


def test_plans_are_judged_together_and_only_where_nobody_else_judges(doubts) -> None:
    through = [record(doubts, (0, 0), (1, 0), (2, 0))] * 3
    around = [record(doubts, (1, 3), (2, 3), (2, 2))] * 3
    warning = plan_findings([*through, *around], doubts.precision)
    assert [finding.about for finding in warning] == ["plans"]
    assert warning[0].text.startswith("3 of 6 (50 %) plans rely on doubtful moves")
    assert plan_findings(around, doubts.precision) == ()
    judged = [attrs.evolve(each, valid=True) for each in through]
    assert plan_findings(judged, doubts.precision) == ()
    assert plan_findings(through, None) == ()


def test_states_that_were_never_seen_are_named_where_all_seem_to_have_been(doubts) -> None:
    trace = squares(np.array([0, 1]), np.array([0, 0]))
    trace[1, SIDE - 1] = True  # in two rows at once
    doubt = doubts.of(trace)
    assert doubt is not None
    strange = attrs.evolve(plan_record(plan=(0,), valid=None, optimal=None), lacking=doubt.lacking)
    findings = plan_findings([strange] * 4, doubts.precision)
    assert doubts.precision.saturated
    assert findings[0].text.startswith("4 of 4 (100 %) plans pass through states that were never seen")
    assert "16 distinct ones" in findings[0].text
