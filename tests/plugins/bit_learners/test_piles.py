"""Piles: which disk lies on which peg is told exactly, and any tower is drawn, seen or not."""

from __future__ import annotations

import json

import attrs
import numpy as np
import pytest
import torch
from tile_rows import noisy, tile_rows
from toggles import toggles

from cubespace.base.errors import UsageError
from cubespace.data.domain import Pairs, Simulator
from cubespace.plugins.catalogue import load_plugins
from cubespace_bit_learners.piles.finder import Cut, find_piles, order
from cubespace_bit_learners.piles.learner import join, new_code, read_code, split
from cubespace_bit_learners.tensor_code import TensorCode, pixel_rows


def towers(disks: int) -> Simulator:
    domain = load_plugins().create("domain", f"hanoi:disks={disks}")
    assert isinstance(domain, Simulator)
    return domain


def code_of(pairs: Pairs) -> TensorCode:
    return new_code(find_piles(pairs.before, pairs.after, None), pairs.before.shape[1:])


@pytest.mark.parametrize(("disks", "count"), [(4, 400), (9, 1500)])
def test_every_disk_on_every_peg_is_a_bit_of_the_variable_of_its_disk(disks: int, count: int) -> None:
    domain = towers(disks)
    code = code_of(domain.sample(count, np.random.default_rng(0)))
    assert code.bits == 3 * disks
    assert code.groups == tuple(np.repeat(np.arange(disks), 3).tolist())
    states = domain.random_states(300, np.random.default_rng(1))  # most of nine disks were never seen
    bits = code.encode(domain.render(states)).reshape(300, disks, 3)
    assert (bits.sum(2) == 1).all()
    pegs = bits.argmax(2)  # (states, things)
    things = {tuple(column) for column in pegs.T.tolist()}
    assert things == {tuple(column) for column in states.T.tolist()}


@pytest.mark.parametrize(("disks", "count"), [(4, 400), (9, 1500)])
def test_any_tower_is_drawn_even_one_that_was_never_seen(disks: int, count: int) -> None:
    domain = towers(disks)
    pairs = domain.sample(count, np.random.default_rng(0))
    code = code_of(pairs)
    high = np.zeros((1, disks), dtype=np.uint8)  # all disks on the first peg
    states = np.concatenate([high, high + 1, high + 2, domain.random_states(200, np.random.default_rng(1))])
    if disks == 9:
        seen = {state.tobytes() for state in np.concatenate([pairs.states_before, pairs.states_after])}
        assert sum(state.tobytes() not in seen for state in states) > 150
    pictures = domain.render(states)
    drawn = code.draw(code.encode(pictures))
    assert np.abs(drawn.astype(int) - pictures).max() <= 1
    assert (domain.read(drawn)[0] == states).all()


def test_noise_does_not_hide_the_disks() -> None:
    domain = towers(4)
    pairs = domain.sample(600, np.random.default_rng(0))
    code = code_of(Pairs(noisy(pairs.before, 0.05, 1), noisy(pairs.after, 0.05, 2)))
    pictures = domain.render(domain.random_states(200, np.random.default_rng(1)))
    assert code.bits == 12
    assert (domain.read(code.draw(code.encode(noisy(pictures, 0.05, 3))))[0] == domain.read(pictures)[0]).all()


def test_piles_may_hang_from_the_ceiling() -> None:
    domain = towers(3)
    pairs = domain.sample(300, np.random.default_rng(0))
    turned = Pairs(pairs.before[:, ::-1].copy(), pairs.after[:, ::-1].copy())
    code = code_of(turned)
    assert code.details["cut"]["hanging"]
    drawn = code.draw(code.encode(turned.before))
    assert np.abs(drawn.astype(int) - turned.before).max() <= 1


def test_details_as_json_and_weights_give_the_same_bits_and_pictures_again() -> None:
    domain = towers(4)
    pairs = domain.sample(400, np.random.default_rng(0))
    code = code_of(pairs)
    saved = code.saved()
    again = read_code(attrs.evolve(saved, details=json.loads(json.dumps(saved.details))))
    bits = code.encode(pairs.before)
    assert again.groups == code.groups
    assert (again.encode(pairs.before) == bits).all()
    assert (again.draw(bits) == code.draw(bits)).all()


def puzzle() -> Pairs:
    domain: Simulator = load_plugins().create("domain", "mnist:size=2")
    return domain.sample(300, np.random.default_rng(0))


def lights() -> Pairs:
    return toggles(300)


def tiles() -> Pairs:
    world = tile_rows(300)
    return Pairs(world.before, world.after)


@pytest.mark.parametrize("world", [lights, puzzle, tiles], ids=lambda world: world.__name__)
def test_what_does_not_lie_in_piles_is_refused(world) -> None:
    pairs = world()
    with pytest.raises(UsageError, match="no piles"):
        find_piles(pairs.before, pairs.after, None)


def test_columns_that_do_not_divide_the_picture_are_refused() -> None:
    pairs = towers(3).sample(100, np.random.default_rng(0))
    width = pairs.before.shape[2]
    with pytest.raises(UsageError, match="no piles"):
        find_piles(pairs.before, pairs.after, next(columns for columns in range(2, 99) if width % columns))


def columns_of(*columns: tuple[int, ...]) -> np.ndarray:
    """One picture per column, given from the ground up."""
    return np.array(columns)[:, :, None]


def test_the_order_is_what_lies_below_what() -> None:
    below = order(columns_of((3, 1, 0), (3, 2, 1)), 3)
    assert below is not None
    assert [(a + 1, b + 1) for a, b in np.argwhere(below).tolist()] == [(1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    "columns",
    [[(3, 1, 0), (3, 2, 1), (1, 3, 0)], [(0, 1, 0)], [(1, 1, 0)], [(1, 2, 3), (1, 2, 3)]],
    ids=["either way", "floating", "twice in a column", "never an empty slot"],
)
def test_there_is_no_order_where_things_float_come_twice_or_lie_either_way(columns) -> None:
    assert order(columns_of(*columns), 3) is None


@pytest.mark.parametrize("hanging", [False, True])
@pytest.mark.parametrize("shape", [(6, 9, 1), (4, 6, 3)], ids=["grey", "colour"])
def test_slots_are_those_of_the_finder_and_join_again(shape, hanging: bool) -> None:
    cut = Cut(columns=3, slot=2, hanging=hanging)
    images = np.random.default_rng(0).integers(256, size=(5, *shape), dtype=np.uint8)
    slots = split(pixel_rows(images).float(), shape, cut)
    assert (slots.numpy() == cut.slots(images)).all()
    assert torch.equal(join(slots, shape, cut), pixel_rows(images).float())


@pytest.mark.parametrize(
    ("spec", "words"),
    [("pile", "Did you mean 'piles'"), ("piles:rows=3", "unknown option 'rows'"), ("piles:columns=1", ">= 2")],
)
def test_a_wrong_name_or_option_is_told(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load_plugins().create("learner", spec)
