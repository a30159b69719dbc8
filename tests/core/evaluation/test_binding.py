"""Learned actions are bound to those of an environment by what they are seen to do."""

from __future__ import annotations

import numpy as np

from cubespace.evaluation.binding import Binding
from cubespace.testing.planner import corridor, state

MODEL = corridor()  # steps right 0-4, steps left 5-9, open the door, jump
LEFT, RIGHT, OPEN = range(3)


def test_what_did_it_is_chosen_and_what_failed_is_not() -> None:
    binding = Binding(MODEL, 3)
    here, there = state(2, door_open=False), state(3, door_open=False)
    binding.observe(here, RIGHT, there)
    assert binding.choose(2) == RIGHT  # the step from 2 to 3
    assert binding.choose(6) != RIGHT  # the step from 2 to 1, which was possible too
    assert binding.bound == 1 / MODEL.actions


def test_trying_finds_every_action() -> None:
    binding = Binding(MODEL, 3)
    ways = {0: LEFT, 1: RIGHT}

    def act(cell: int, action: int) -> int:
        return min(max(cell + {LEFT: -1, RIGHT: 1, OPEN: 0}[action], 0), 5)

    for cell in range(1, 5):
        for way, learned in ((1, cell), (0, 4 + cell)):
            tries = []
            while not tries or tries[-1] != ways[way]:
                tries.append(binding.choose(learned))
                after = act(cell, tries[-1])
                binding.observe(state(cell, door_open=False), tries[-1], state(after, door_open=False))
            assert len(tries) <= 3
            assert binding.choose(learned) == ways[way]


def test_what_changes_nothing_counts_against_all_that_is_possible() -> None:
    binding = Binding(MODEL, 3)
    here = state(0, door_open=False)
    binding.observe(here, LEFT, here)
    assert np.flatnonzero(binding.tried[:, LEFT]).tolist() == [0, 10]  # a step right, opening the door
    assert not binding.did.any()
