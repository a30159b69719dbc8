import numpy as np
import pytest

from cubespace.data.domain import Simulator
from cubespace.evaluation.distances import frontier
from cubespace.evaluation.judge import UNKNOWN, judge, judge_as_the_authors_do
from cubespace.plugins.catalogue import load_plugins


@pytest.fixture(scope="module")
def domain() -> Simulator:
    simulator = load_plugins().create("domain", "hanoi:disks=3,pegs=3")
    assert isinstance(simulator, Simulator)
    return simulator


@pytest.fixture(scope="module")
def way(domain: Simulator) -> np.ndarray:
    """A shortest way of five moves to the goal."""
    goal = domain.goal()
    layers = [frontier(domain, goal, distance) for distance in range(6)]
    states = [layers[5][:1]]
    for layer in reversed(layers[:5]):
        children, _ = domain.successors(states[-1])
        states.append(next(child[None] for child in children if (layer == child).all(1).any()))
    return np.concatenate(states)


def verdict(domain: Simulator, way: np.ndarray, frames: np.ndarray):
    return judge(domain, way[:1], way[-1:], frames, 5)


def test_a_shortest_way_is_valid_and_optimal(domain, way) -> None:
    result = verdict(domain, way, domain.render(way))
    assert (result.valid, result.optimal) == (True, True)


def test_a_detour_is_valid_but_not_optimal(domain, way) -> None:
    detour = np.concatenate([way[:2], way[:1], way[1:]])
    result = verdict(domain, way, domain.render(detour))
    assert (result.valid, result.optimal) == (True, False)


def test_an_unreadable_frame_is_named(domain, way) -> None:
    frames = domain.render(way)
    frames[3] = 127
    result = verdict(domain, way, frames)
    assert (result.valid, result.step, result.reason) == (False, 3, "frame is not readable")


def test_a_jump_is_not_a_legal_move(domain, way) -> None:
    result = verdict(domain, way, domain.render(way[[0, 1, 4, 5]]))
    assert (result.valid, result.step, result.reason) == (False, 2, "step is not a legal move")


def test_standing_still_is_not_a_legal_move(domain, way) -> None:
    assert not verdict(domain, way, domain.render(way[[0, 0, 1, 2, 3, 4, 5]])).valid


def test_both_ends_are_compared_with_what_was_given(domain, way) -> None:
    assert verdict(domain, way, domain.render(way[1:])).reason == "first frame is not the initial state"
    assert verdict(domain, way, domain.render(way[:-1])).reason == "last frame is not the goal"


def test_the_empty_plan_is_invalid_unless_init_is_the_goal(domain, way) -> None:
    assert not verdict(domain, way, domain.render(way[:1])).valid
    assert judge(domain, way[:1], way[:1], domain.render(way[:1]), 0).optimal


def test_nobody_knows_without_a_simulator(way, domain) -> None:
    class Pictures:
        pass

    assert judge(Pictures(), way[:1], way[-1:], domain.render(way), None) is UNKNOWN  # type: ignore[arg-type]


def test_the_authors_rule_compares_no_ends_and_accepts_empty_plans(domain, way) -> None:
    frames = domain.render(way)
    elsewhere = judge_as_the_authors_do(domain, frames[1:4], 5)
    assert (elsewhere.valid, elsewhere.optimal) == (True, False)
    assert not verdict(domain, way, frames[1:4]).valid
    assert judge_as_the_authors_do(domain, frames[:1], 5).valid
    whole = judge_as_the_authors_do(domain, frames, 5)
    assert (whole.valid, whole.optimal) == (True, True)


def test_the_authors_rule_wants_readable_frames_and_legal_moves(domain, way) -> None:
    assert judge_as_the_authors_do(domain, domain.render(way[[0, 1, 4, 5]]), 5).step == 2
    frames = domain.render(way)
    frames[3] = 127
    assert judge_as_the_authors_do(domain, frames, 5).step == 3
