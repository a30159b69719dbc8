"""Blocks in columns."""

import itertools

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace_domains.block_pictures import BLOCK_PIXELS
from cubespace_domains.blocks import Blocks

Columns = tuple[tuple[int, ...], ...]  # the blocks of each, from the ground upwards


def build(spec: str) -> Blocks:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Blocks)
    return domain


def cells(columns: Columns, blocks: int, held: int | None = None) -> tuple[int, ...]:
    state = [len(columns) * blocks if block == held else -1 for block in range(blocks)]
    for number, column in enumerate(columns):
        for height, block in enumerate(column):
            state[block] = number * blocks + height
    return tuple(state)


def legal_moves(columns: Columns) -> list[Columns]:
    """Move by the book: one column at a time."""
    moves = []
    for source, target in itertools.permutations(range(len(columns)), 2):
        if columns[source]:
            moved = list(columns)
            moved[source], moved[target] = columns[source][:-1], (*columns[target], columns[source][-1])
            moves.append(tuple(moved))
    return moves


def test_from_the_goal_all_states_of_the_book_are_reached_by_its_moves() -> None:
    domain = build("blocks:blocks=4,columns=3")
    known, fresh = set[Columns](), {((), (), (3, 2, 1, 0))}
    while fresh:
        columns = fresh.pop()
        known.add(columns)
        children, _ = domain.successors(np.array([cells(columns, 4)], dtype=np.uint8))
        following = legal_moves(columns)
        assert sorted(map(tuple, children.tolist())) == sorted(cells(each, 4) for each in following)
        fresh |= set(following) - known
    assert len(known) == 360
    assert tuple(domain.goal()[0].tolist()) in {cells(columns, 4) for columns in known}


def test_a_gripper_holds_one_block_and_puts_it_down_on_any_column() -> None:
    domain = build("blocks:blocks=3,columns=2,gripper=on")
    idle, busy = cells(((0, 1), (2,)), 3), cells(((0,), (2,)), 3, held=1)
    children, parents = domain.successors(np.array([idle, busy], dtype=np.uint8))
    after = [tuple(child) for child in children.tolist()]
    assert after[:2] == [busy, cells(((0, 1), ()), 3, held=2)]
    assert after[2:] == [idle, cells(((0,), (2, 1)), 3)]
    assert parents.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("spec", "number"), [("blocks=3", 60), ("blocks=3,columns=2,gripper=on", 42)])
def test_every_state_is_drawn_about_as_often_as_any_other(spec: str, number: int) -> None:
    states = build(f"blocks:{spec}").random_states(200 * number, np.random.default_rng(0))
    counts = np.unique(states, axis=0, return_counts=True)[1]
    assert len(counts) == number
    assert counts.min() > 120
    assert counts.max() < 280


@pytest.mark.parametrize("view", ["", ",solid=on", ",gripper=on", ",gripper=on,solid=on"])
def test_all_views_are_read_back_with_noise(view: str) -> None:
    domain, rng = build(f"blocks:blocks=8,columns=5{view}"), np.random.default_rng(0)
    states = domain.random_states(300, rng)
    noise = 12 * rng.standard_normal((300, *domain.image_shape))
    seen, readable = domain.read(np.clip(domain.render(states) + noise, 0, 255).astype(np.uint8))
    assert readable.all()
    np.testing.assert_array_equal(seen, states)


def test_solid_blocks_hide_parts_of_each_other() -> None:
    domain = build("blocks:blocks=2,columns=2,solid=on")
    apart, above = domain.render(np.array([[0, 2], [0, 1]], dtype=np.uint8))
    below = (slice(-2 - BLOCK_PIXELS - 4, -2 - BLOCK_PIXELS), slice(4, BLOCK_PIXELS))  # the top of the red block
    assert (apart[below] != above[below]).any()


def test_impossible_pictures_are_unreadable_and_say_why() -> None:
    domain = build("blocks:blocks=3")
    image = domain.render(np.array([cells(((0, 1), (2,), ()), 3)], dtype=np.uint8))
    floating, doubled, faded = image.copy(), image.copy(), image.copy()
    floating[:, 20:30, 0:10] = image[:, 20:30, 20:30]
    doubled[:, 20:30, 20:30] = image[:, 20:30, 0:10]
    faded[:, 20:30, 10:20] = (image[:, 20:30, 10:20].astype(int) + image[:, 20:30, 20:30]) // 2
    assert not domain.read(np.concatenate([floating, doubled, faded]))[1].any()
    assert domain.faults(image) == [""]
    assert domain.faults(floating) == ["red missing, yellow floats"]
    assert domain.faults(doubled) == ["red twice"]
    assert domain.faults(faded) == ["neither a block nor nothing in row 3, column 2"]


@pytest.mark.parametrize("spec", ["blocks=0", "blocks=9", "columns=1", "gripper=maybe"])
def test_bad_options_are_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        build(f"blocks:{spec}")
