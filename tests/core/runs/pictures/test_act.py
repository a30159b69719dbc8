"""Plans are carried out step by step; what goes otherwise is planned anew, and the environment has the last word."""

from __future__ import annotations

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.data.domain import Environment
from cubespace.evaluation.binding import Binding
from cubespace.evaluation.problems import Problem
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.pictures.act import Actor, environment_of
from cubespace.search.solver import Limits
from cubespace.testing.planner import CELLS, corridor, state


def picture(cell: int) -> np.ndarray:
    """Return a picture that shows its state as it is: one pixel for each bit."""
    return (state(cell, door_open=False)[None, None] * np.uint8(255)).astype(np.uint8)


class Robot(Environment):
    """A robot in a corridor whose buttons are labelled wrongly; cell 5 ends the episode if ``trap`` says so."""

    actions = ("b", "a", "nothing")

    def __init__(self, trap: int | None = None) -> None:
        self.trap = trap

    def put(self, state: np.ndarray) -> np.ndarray:
        self.cell = int(state[0, 0])
        return picture(self.cell)

    def act(self, action: int) -> tuple[np.ndarray, bool]:
        self.cell = min(max(self.cell + (1, -1, 0)[action], 0), CELLS - 1)
        return picture(self.cell), self.cell == self.trap


def actor(robot: Robot, steps: int = 30) -> Actor:
    model = corridor()
    return Actor(
        environment=robot,
        encode=lambda pictures: pictures[:, 0] > 0,
        draw=lambda bits: (bits[:, None] * np.uint8(255)).astype(np.uint8),
        model=model,
        solver=load_plugins().create("planner", "fd-lmcut"),
        limits=Limits(seconds=200, megabytes=1024),
        binding=Binding(model, len(robot.actions)),
        steps=steps,
    )


def problem(start: int, goal: int) -> Problem:
    states = tuple(np.array([[cell]], dtype=np.uint8) for cell in (start, goal))
    return Problem(name="000", init=picture(start), goal=picture(goal), states=states, distance=abs(goal - start))


def test_the_goal_is_reached_although_the_buttons_have_to_be_tried() -> None:
    player = actor(Robot())
    first = player.act(problem(1, 4))
    assert first.failure == ""
    assert (first.happened[-1:] == picture(4)).all()
    assert len(first.planned) == 4
    assert player.act(problem(1, 4)).record().steps == 3  # by now the buttons are known


def test_too_many_steps_are_told() -> None:
    record = actor(Robot(), steps=1).act(problem(0, 4)).record()
    assert record.failure == "too many steps"
    assert not record.reached


def test_an_episode_that_is_over_is_over() -> None:
    player = actor(Robot(trap=2))
    for _ in range(3):
        episode = player.act(problem(0, 4))
    assert episode.failure == "the episode was over"


def test_where_there_is_nothing_to_do_nothing_is_done() -> None:
    assert actor(Robot()).act(problem(3, 3)).record().steps == 0


def test_only_environments_can_be_acted_in() -> None:
    with pytest.raises(UsageError, match="acting needs an environment"):
        environment_of(load_plugins().create("domain", "lightsout:size=2"))
