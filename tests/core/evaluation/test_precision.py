"""Precision without a simulator: near the truth, none where all is right, and unknown where pairs cannot say."""

import attrs
import numpy as np
import pytest
from joints import joints

from cubespace.evaluation.precision import estimate_precision
from cubespace.evaluation.precision_record import COMPANY, CONTEXT, Precision
from cubespace.symbols.effects import differences
from cubespace.symbols.strips import StripsModel

ANGLES, JOINTS = 4, 3


def locked_joints(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return moves of the joints of which the first may turn only while the last is at angle 0."""
    rng = np.random.default_rng(seed)
    before, after = joints(8 * count, rng)
    turned = (before != after)[:, :ANGLES].any(1)
    allowed = ~turned | before[:, (JOINTS - 1) * ANGLES]
    return before[allowed][:count], after[allowed][:count]


def learned(before: np.ndarray, after: np.ndarray, *, locked: bool) -> StripsModel:
    """Return a model of all differences; unless it knows the lock, the first joint may always turn."""
    effects = differences(before, after)
    positive = effects.delete.copy()
    if locked:
        positive[effects.delete[:, :ANGLES].any(1), (JOINTS - 1) * ANGLES] = True
    return StripsModel(
        names=[f"a{row}" for row in range(len(effects.add))],
        add=effects.add,
        delete=effects.delete,
        positive=positive,
        negative=np.zeros_like(positive),
        support=effects.support,
        cost=np.ones(len(effects.add)),
    )


def estimated(pairs: int, *, locked: bool, wide: bool = False) -> Precision:
    """Return the estimate for a world of 64 states or, with a code of many more, for one whose states never repeat."""
    training, held_out = locked_joints(pairs, 1), locked_joints(pairs // 10, 2)
    model = learned(*training, locked=locked)
    if wide:
        rng = np.random.default_rng(3)
        training, held_out = (with_scenery(half, rng) for half in (training, held_out))
        nothing = np.zeros((model.actions, training[0].shape[1] - model.bits), dtype=np.bool_)
        masks = {name: np.hstack([getattr(model, name), nothing]) for name in ("add", "delete", "positive", "negative")}
        model = attrs.evolve(model, **masks)
    return estimate_precision(model, training, held_out, grouped=True)


def with_scenery(pairs: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs with twelve switches that stay as they are, two bits each."""
    on = rng.random((len(pairs[0]), 12)) < 0.5
    return tuple(np.concatenate([half, on, ~on], axis=1) for half in pairs)  # type: ignore[return-value]


TRUE_WRONG = 0.75 / 3  # where the lock is shut, one of three moves is wrong


@pytest.mark.parametrize("wide", [False, True])
def test_wrong_moves_are_estimated_without_a_simulator(wide) -> None:
    precision = estimated(2000, locked=False, wide=wide)
    assert precision.low <= TRUE_WRONG + 0.04
    assert precision.high >= TRUE_WRONG - 0.04
    assert precision.high - precision.low < (0.2 if wide else 0.05)
    assert precision.clearest is not None
    assert "of 100 moves of the model are wrong (between" in precision.words


def test_the_sign_that_shows_it_is_named() -> None:
    signs = {sign.name: sign for sign in estimated(2000, locked=False, wide=True).signs}
    assert signs[CONTEXT].significance > 10
    assert abs(signs[COMPANY].wrong) < 0.01  # every state that the model reaches is possible


@pytest.mark.parametrize("pairs", [200, 2000])
@pytest.mark.parametrize("wide", [False, True])
def test_a_right_model_is_not_accused(pairs, wide) -> None:
    precision = estimated(pairs, locked=True, wide=wide)
    assert precision.low == 0.0
    assert precision.wrong is not None
    assert precision.wrong < 0.01
    assert precision.clearest is None
    assert "No move of the model seems to be wrong" in precision.words


def test_saturation_is_told_from_states_that_never_repeat() -> None:
    assert estimated(2000, locked=True).saturated
    assert not estimated(2000, locked=True, wide=True).saturated


def test_what_pairs_cannot_say_is_said() -> None:
    idle = locked_joints(50, 1)[0]
    precision = estimate_precision(
        learned(*locked_joints(50, 1), locked=True), (idle, idle), (idle, idle), grouped=True
    )
    assert precision.wrong is None
    assert precision.words.startswith("Pairs cannot say")
