"""Instances and distances, against a search that anyone can check."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cubespace.base.arrays import Images, States
from cubespace.base.errors import UsageError
from cubespace.data.domain import Simulator
from cubespace.evaluation import distances
from cubespace.evaluation.distances import draw, frontier, shortest
from cubespace.plugins.catalogue import load_plugins

SPECS = ["mnist:size=2", "lightsout:size=3", "lightsout:size=4", "hanoi:disks=4", "hanoi:disks=2,pegs=4"]


class OneWay(Simulator):
    """A ring of ten places with steps forward of one and of three, so that no move is undone by one move."""

    reversible = False

    @property
    def image_shape(self) -> tuple[int, ...]:
        return (1, 10)

    @property
    def radices(self) -> tuple[int, ...]:
        return (10,)

    def random_states(self, count: int, rng: np.random.Generator) -> States:
        return rng.integers(10, size=(count, 1), dtype=np.uint8)

    def goal(self) -> States:
        return np.zeros((1, 1), dtype=np.uint8)

    def successors(self, states: States) -> tuple[States, np.ndarray]:
        return self._moved(states, (1, 3))

    def predecessors(self, states: States) -> tuple[States, np.ndarray]:
        return self._moved(states, (9, 7))

    def _moved(self, states: States, steps: tuple[int, int]) -> tuple[States, np.ndarray]:
        return ((states + np.array(steps)) % 10).astype(np.uint8).reshape(-1, 1), np.arange(len(states)).repeat(2)

    def render(self, states: States) -> Images:
        return (np.eye(10, dtype=np.uint8) * 255)[states[:, 0]][:, None]

    def read(self, images: Images) -> tuple[States, np.ndarray]:
        return images[:, 0].argmax(1).astype(np.uint8)[:, None], np.ones(len(images), dtype=bool)


def build(spec: str) -> Simulator:
    if spec == "one-way":
        return OneWay()
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Simulator)
    return domain


def distances_to_goal(domain: Simulator) -> dict[bytes, int]:
    """Search state by state, by the moves alone."""
    everything = {domain.goal().tobytes(): 0}
    queue = deque([domain.goal()])
    while queue:
        state = queue.popleft()
        for before in domain.predecessors(state)[0]:
            if before.tobytes() not in everything:
                everything[before.tobytes()] = everything[state.tobytes()] + 1
                queue.append(before[None])
    return everything


@pytest.mark.parametrize("numeric", [True, False])
@pytest.mark.parametrize("spec", [*SPECS, "one-way"])
def test_frontiers_are_exact(spec: str, numeric: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not numeric:  # as for states that 64 bits do not hold
        monkeypatch.setattr(distances, "KEY_BITS", 0)
    domain = build(spec)
    expected = distances_to_goal(domain)
    for distance in range(max(expected.values()) + 2):
        states = frontier(domain, domain.goal(), distance)
        assert len(states) == len({state.tobytes() for state in states})
        assert {state.tobytes() for state in states} == {key for key, far in expected.items() if far == distance}


def test_the_fifteen_puzzle_has_the_known_numbers_of_states() -> None:
    domain = build("mnist:size=4")
    known = [1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808]  # OEIS A151944
    assert [len(frontier(domain, domain.goal(), distance)) for distance in range(len(known))] == known


def test_expanding_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = build("mnist")
    whole = frontier(domain, domain.goal(), 9)
    monkeypatch.setattr(distances, "STATES_PER_EXPANSION", 5)
    np.testing.assert_array_equal(frontier(domain, domain.goal(), 9), whole)


def test_states_beyond_64_bits_are_searched() -> None:
    domain = build("lightsout:size=9")
    assert len(frontier(domain, domain.goal(), 2)) == 81 * 80 // 2


def test_instances_are_distinct_and_at_their_distance() -> None:
    domain = build("mnist")
    drawn = draw(domain, 7, 30, seed=0)
    assert len(drawn) == len(np.unique(drawn.inits, axis=0)) == 30
    for row in range(len(drawn)):
        assert shortest(domain, drawn.inits[row : row + 1], drawn.goals[row : row + 1], 10) == 7


def test_the_seed_decides() -> None:
    domain = build("mnist")
    np.testing.assert_array_equal(draw(domain, 7, 9, seed=1).inits, draw(domain, 7, 9, seed=1).inits)
    assert (draw(domain, 7, 9, seed=1).inits != draw(domain, 7, 9, seed=2).inits).any()


def test_a_frontier_that_is_too_small_is_refused_or_taken_whole() -> None:
    domain = build("hanoi:disks=4")
    with pytest.raises(UsageError, match=r"only 4 states are 3 moves from the goal, but 100 were requested"):
        draw(domain, 3, 100, seed=0)
    assert len(draw(domain, 3, 100, seed=0, fewer=True)) == 4


def test_an_empty_frontier_is_refused_in_any_case() -> None:
    with pytest.raises(UsageError, match="only 0 states"):
        draw(build("lightsout:size=2"), 9, 1, seed=0, fewer=True)


@pytest.mark.parametrize(("distance", "count"), [(0, 1), (-1, 1), (3, 0)])
def test_senseless_numbers_are_refused(distance: int, count: int) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        draw(build("mnist:size=2"), distance, count, seed=0)


def test_random_goals_make_many_instances_where_one_goal_has_few() -> None:
    domain = build("hanoi")
    drawn = draw(domain, 3, 100, seed=0, random_goals=True)
    assert len(np.unique(np.concatenate([drawn.inits, drawn.goals], axis=1), axis=0)) == 100
    for row in range(0, 100, 9):
        assert shortest(domain, drawn.inits[row : row + 1], drawn.goals[row : row + 1], 5) == 3


def test_random_goals_that_cannot_be_had_are_refused() -> None:
    with pytest.raises(UsageError, match="random goals"):
        draw(build("lightsout:size=2"), 9, 1, seed=0, random_goals=True)


@pytest.mark.parametrize("spec", [*SPECS, "one-way"])
def test_shortest_ways_have_the_true_length(spec: str) -> None:
    domain = build(spec)
    expected = distances_to_goal(domain)

    @settings(max_examples=30, deadline=None, database=None)
    @given(seed=st.integers(0, 1000))
    def check(seed: int) -> None:
        init = domain.random_states(1, np.random.default_rng(seed))
        assert shortest(domain, init, domain.goal(), 50) == expected.get(init.tobytes())

    check()


def test_no_way_within_the_bound_is_none() -> None:
    domain = build("mnist")
    init = frontier(domain, domain.goal(), 6)[:1]
    assert shortest(domain, init, domain.goal(), 5) is None
    assert shortest(domain, init, domain.goal(), 6) == 6
    assert shortest(domain, init, init, 0) == 0


def test_a_search_that_nobody_waits_for_ends_early() -> None:
    domain = load_plugins().create("domain", "lightsout:size=4")
    answers = iter([False, False, True])
    far = domain.random_states(1, np.random.default_rng(0))
    stopped = distances.reach(domain, far, domain.goal(), given_up=lambda: next(answers))
    assert (stopped.distance, stopped.unreachable) == (None, False)
    assert distances.reach(domain, far, domain.goal()).distance > 3
