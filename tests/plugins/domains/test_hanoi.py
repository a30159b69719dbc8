"""The towers of Hanoi."""

import itertools

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace_domains import hanoi
from cubespace_domains.hanoi import Hanoi


def build(spec: str) -> Hanoi:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Hanoi)
    return domain


def legal_moves(state: tuple[int, ...], pegs: int) -> set[tuple[int, ...]]:
    """Move by the book: one stack at a time."""
    stacks = [[disk for disk, peg in enumerate(state) if peg == place] for place in range(pegs)]
    moves = set()
    for source, target in itertools.permutations(range(pegs), 2):
        if stacks[source] and (not stacks[target] or stacks[source][0] < stacks[target][0]):
            moved = list(state)
            moved[stacks[source][0]] = target
            moves.add(tuple(moved))
    return moves


def test_nine_disks_have_the_picture_size_of_the_paper() -> None:
    assert build("hanoi").image_shape == (36, 120)


@pytest.mark.parametrize(("disks", "pegs"), [(3, 3), (2, 4), (1, 3)])
def test_moves_are_those_of_the_book(disks: int, pegs: int) -> None:
    domain = build(f"hanoi:disks={disks},pegs={pegs}")
    for state in itertools.product(range(pegs), repeat=disks):
        children, _ = domain.successors(np.array([state], dtype=np.uint8))
        assert {tuple(child) for child in children.tolist()} == legal_moves(state, pegs)
        assert len(children) == len(legal_moves(state, pegs))


@pytest.mark.parametrize("spec", ["hanoi:disks=1", "hanoi:disks=4,pegs=4", "hanoi:disks=6,pegs=5", "hanoi:disks=14"])
def test_other_sizes_are_read_back(spec: str) -> None:
    domain = build(spec)
    states = domain.random_states(200, np.random.default_rng(0))
    seen, readable = domain.read(domain.render(states))
    assert readable.all()
    np.testing.assert_array_equal(seen, states)


def test_the_table_of_stacks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = build("hanoi:disks=5")
    states = domain.random_states(100, np.random.default_rng(0))
    quick = domain.render(states)
    monkeypatch.setattr(hanoi, "MAX_TABLE_STATES", 0)
    np.testing.assert_array_equal(domain.render(states), quick)


def test_one_wrong_pixel_per_slot_is_forgiven_and_two_are_not() -> None:
    domain = build("hanoi")
    image = domain.render(domain.goal())
    image[0, 0, 0] = 255
    assert domain.read(image)[1].all()
    image[0, 0, 1] = 255
    assert not domain.read(image)[1].any()


def test_impossible_stacks_are_unreadable() -> None:
    domain = build("hanoi:disks=3")
    image = domain.render(domain.goal())  # three disks on the right: rows of four pixels, columns of sixteen
    floating, swapped, missing, doubled = (image.copy() for _ in range(4))
    floating[:, 0:4, 0:16], floating[:, 0:4, 32:48] = image[:, 0:4, 32:48], 0
    swapped[:, 0:4], swapped[:, 4:8] = image[:, 4:8], image[:, 0:4]
    missing[:, 0:4] = 0
    doubled[:, 8:12, 0:16] = image[:, 0:4, 32:48]
    for wrong in (floating, swapped, missing, doubled):
        assert not domain.read(wrong)[1].any()


@pytest.mark.parametrize("spec", ["hanoi:disks=0", "hanoi:pegs=2", "hanoi:disks=nine", "hanoi:rods=3"])
def test_bad_options_are_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        build(spec)
