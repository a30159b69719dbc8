"""Levels are explored breadth first; what a frame does not show is found out and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cubespace.base.errors import InputError, UsageError
from cubespace.data.exploration import Exploration
from cubespace.data.explored import SHOWN, ExploredWorld, WalkedLevel
from cubespace.data.level import Level, Picture, Step
from cubespace.data.world import numbers_of, states_of

CELLS = 6


class Corridor(Level):
    """A robot that steps left or right; the last cell ends the episode, with a reward."""

    name, actions, start = "corridor", ("left", "right", "stay"), 0

    def __init__(self, *, moody: bool = False, random: bool = False) -> None:
        self.moody, self.random = moody, random
        self.start = (0, 0) if moody else 0
        self.picture = self.draw(self.start)

    def draw(self, snapshot) -> Picture:
        picture = np.zeros((4, 4 * CELLS), dtype=np.uint8)
        cell = snapshot[0] if self.moody else snapshot
        picture[:, 4 * cell : 4 * cell + 4] = 200
        return picture

    def step(self, snapshot, action, luck=None) -> Step:
        cell, mood = snapshot if self.moody else (snapshot, 0)
        if self.random and luck is not None:
            action = 1 - action if action < 2 else action
        way = (-1, 1, 0)[action] * (2 if mood else 1)
        cell = min(max(cell + way, 0), CELLS - 1)
        after = (cell, int(mood or way < 0)) if self.moody else cell
        return Step(after, self.draw(after), over=cell == CELLS - 1, reward=float(cell == CELLS - 1))

    def draws(self, snapshot, step) -> bool:  # noqa: ARG002
        return self.random


def world(**options: object) -> ExploredWorld:
    return ExploredWorld(Corridor, **{"limit": 100, **options})


def test_all_states_and_moves_are_found_and_an_end_is_an_end() -> None:
    told: list[tuple[int, int]] = []
    found = Exploration(Corridor(), 100).run(lambda *step: told.append(step))
    assert len(found.frames) == CELLS
    moves = {(a, b) for a, _, b in found.moves.tolist()}
    right = {(cell, cell + 1) for cell in range(CELLS - 1)}
    assert moves == right | {(b, a) for a, b in right if b < CELLS - 1}
    assert found.goal == CELLS - 1
    assert told[-1] == (CELLS, CELLS)


@pytest.mark.parametrize(
    ("level", "why"), [(Corridor(moody=True), "hides a part of the state"), (Corridor(random=True), "is random")]
)
def test_one_frame_and_action_that_lead_to_two_frames_are_refused_with_pictures(level: Level, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        Exploration(level, 100).run(lambda *_: None)
    file = str(caught.value).partition("shown in ")[2].partition(";")[0]
    assert Path(file).read_bytes().startswith(b"\x89PNG")


def test_too_many_states_are_too_many() -> None:
    with pytest.raises(UsageError, match=r"more than 3 states.*limit="):
        Exploration(Corridor(), 3).run(lambda *_: None)


def test_what_was_found_is_enough_to_judge() -> None:
    def nothing() -> Level:
        raise AssertionError("the level is not needed")

    again = ExploredWorld(nothing, limit=100)
    again.recall(world().findings())
    states = states_of(np.arange(CELLS))
    assert (again.read(world().render(states))[0] == states).all()
    assert again.is_move(states[:1], states[1:2]).all()
    assert numbers_of(again.goal()).tolist() == [CELLS - 1]


def test_moves_are_shown_often_enough_and_some_are_held_out() -> None:
    assert world().usual_pairs == 5000
    pairs = world(held_out=0.5).sample(500, np.random.default_rng(0))
    assert pairs.states_before is not None
    assert pairs.states_after is not None
    shown = set(zip(numbers_of(pairs.states_before), numbers_of(pairs.states_after), strict=True))
    assert 0 < len(shown) < 9
    assert SHOWN >= 1


def test_one_can_act_from_any_state() -> None:
    corridor = world()
    assert corridor.actions == ("left", "right", "stay")
    picture = corridor.put(states_of(np.array([3])))
    assert (picture == corridor.render(states_of(np.array([3])))).all()
    picture, over = corridor.act(1)
    assert (picture == corridor.render(states_of(np.array([4])))).all()
    assert not over
    assert corridor.act(1)[1]


def test_walks_start_again_and_are_episodes() -> None:
    walks = WalkedLevel(Corridor, steps=5)
    pairs = walks.sample(40, np.random.default_rng(0))
    assert len(pairs) == 40
    assert (pairs.before != pairs.after).any((1, 2)).all()
    assert pairs.episodes is not None
    assert np.bincount(pairs.episodes).max() <= 5
    assert walks.image_shape == pairs.before.shape[1:]


def test_walks_refuse_what_is_random() -> None:
    with pytest.raises(InputError, match="is random, or hides"):
        WalkedLevel(lambda: Corridor(moody=True), steps=30).sample(200, np.random.default_rng(0))
