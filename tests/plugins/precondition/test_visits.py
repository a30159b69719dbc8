"""What states that are visited again and again say about an event."""

from __future__ import annotations

import numpy as np
import pytest
from learned_values import learn_values

from cubespace_precondition.values.visits import parted


def floats(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.float64)


def test_an_event_of_one_state_of_three() -> None:
    """At rate 7/19, none of 15 and of 11 is no accident."""
    found = parted(floats(19, 15, 11), floats(7, 0, 0))
    assert found.rate == pytest.approx(7 / 19, rel=0.01)
    one_rate = 7 * np.log(7 / 45) + 38 * np.log(38 / 45)
    own_rate = 7 * np.log(7 / 19) + 12 * np.log(12 / 19) + np.log(1 / 3) + 2 * np.log(2 / 3)
    assert found.evidence == pytest.approx(own_rate - one_rate, abs=0.01)
    assert found.evidence == pytest.approx(5, abs=0.2)


@pytest.mark.parametrize("shown", [(7, 6, 5), (19, 15, 11)])
def test_an_event_that_all_states_show_says_nothing(shown: tuple[int, ...]) -> None:
    assert parted(floats(19, 15, 11), floats(*shown)).evidence == 0


def test_states_that_were_visited_once_say_nothing() -> None:
    assert parted(np.ones(200), floats(*[1] * 60, *[0] * 140)).evidence == pytest.approx(0, abs=1e-3)


def test_chance_produces_evidence_as_rarely_as_it_should() -> None:
    rng = np.random.default_rng(0)
    tried = rng.integers(1, 15, size=(400, 40)).astype(np.float64)
    shown = rng.binomial(tried.astype(int), 0.3).astype(np.float64)
    strong = [parted(*row).evidence > np.log(20) for row in zip(tried, shown, strict=True)]
    assert np.mean(strong) < 0.05


def test_two_guards_are_found_though_neither_is_significant_alone() -> None:
    """A switch is turned on in a state that was visited 19 times, never in two others that differ in one guard each."""
    visits = np.repeat([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], [22, 17, 13], axis=0)  # switch, guards, other switch
    after = visits.copy()
    after[:8, 0] = 1
    after[8:, 3] = 1
    actions = learn_values((visits, after), [2, 2, 2, 2])
    (switched,) = np.flatnonzero(actions.add[:, 1])
    assert actions.negative[switched].tolist() == [False] * 3 + [True] + [False] + [True] + [False] * 2
    (other,) = np.flatnonzero(actions.add[:, 7])
    assert not actions.negative[other][:6].any()
