"""Spoiled data: each way to spoil does what it says, and the clean world still judges."""

from __future__ import annotations

import numpy as np
import pytest

from cubespace.base.errors import UsageError
from cubespace.data.domain import Domain, Pairs, Simulator
from cubespace.data.spoiling import STRIP, mismatch, spoil, walk
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import Spoiling

CLEAN: Simulator = load_plugins().create("domain", "lightsout:size=2")
STATES = CLEAN.random_states(400, np.random.default_rng(1))


def spoiled(**ways: object) -> Simulator:
    domain = spoil(CLEAN, Spoiling(**ways), 0)
    assert isinstance(domain, Simulator)
    return domain


def drawn(**ways: object) -> tuple[np.ndarray, np.ndarray]:
    return CLEAN.render(STATES).astype(float), spoiled(**ways).render(STATES).astype(float)


def test_what_is_not_spoiled_is_the_same_domain() -> None:
    assert spoil(CLEAN, Spoiling(), 0) is CLEAN


def test_noise_has_the_deviation_that_was_asked_for() -> None:
    clean, noisy = drawn(noise=0.1)
    middle = (clean > 60) & (clean < 195)
    error = (noisy - clean)[middle] if middle.any() else (noisy - clean)[noisy > 0]
    assert 0.05 * 255 < error.std() < 0.11 * 255


def test_light_darkens_whole_pictures_and_never_brightens_one() -> None:
    clean, dim = drawn(light=0.3)
    ratio = [
        after[before > 99].mean() / before[before > 99].mean()
        for before, after in zip(clean, dim, strict=True)
        if (before > 99).any()
    ]
    assert 0.69 < min(ratio) < 0.75
    assert 0.95 < max(ratio) <= 1.0
    assert (dim <= clean).all()


def test_lamps_blink_below_the_picture_by_themselves() -> None:
    domain = spoiled(blink=2)
    pictures = domain.render(STATES)
    height = CLEAN.image_shape[0]
    assert domain.image_shape == pictures.shape[1:] == (height + STRIP, *CLEAN.image_shape[1:])
    assert (pictures[:, :height] == CLEAN.render(STATES)).all()
    strips = np.unique(pictures[:, height:].reshape(len(pictures), -1), axis=0)
    assert len(strips) == 4  # each lamp lit or not


def test_shifted_pictures_are_moved_by_a_pixel_at_most() -> None:
    clean, moved = drawn(shift=1)
    padded = np.pad(clean, ((0, 0), (1, 1), (1, 1)), mode="edge")
    ways = [padded[:, y : y + clean.shape[1], x : x + clean.shape[2]] for y in range(3) for x in range(3)]
    assert all(any((way[row] == moved[row]).all() for way in ways) for row in range(len(moved)))
    assert not (moved == clean).all()


def test_the_clean_world_reads_and_moves() -> None:
    domain = spoiled(noise=0.03, blink=1)
    seen, readable = domain.read(domain.render(STATES))
    assert readable.all()
    assert (seen == STATES).all()
    children, parents = domain.successors(STATES)
    assert domain.is_move(STATES[parents], children).all()


@pytest.mark.parametrize("reversible", [True, False])
def test_moves_that_cannot_be_undone_stay_so(reversible: bool) -> None:
    class World(type(CLEAN)):  # type: ignore[misc]
        pass

    World.reversible = reversible
    clean = World(CLEAN.Options(size=2))
    assert spoil(clean, Spoiling(noise=0.1), 0).reversible is reversible


def test_the_same_seeds_spoil_in_the_same_way() -> None:
    first, again, other = (
        spoil(CLEAN, Spoiling(noise=0.1), *seeds).sample(20, np.random.default_rng(0)).before
        for seeds in ((0, 0), (0, 0), (0, 1))
    )
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("walks", [1, 7])
def test_walks_go_on_where_they_were(walks: int) -> None:
    before, after, number = walk(CLEAN, 50, Spoiling(walks=walks), np.random.default_rng(0))
    assert len(before) == len(after) == 50
    assert set(number) == set(range(walks))
    assert (before[walks:] == after[:-walks]).all()
    assert CLEAN.is_move(before, after).all()


def test_walks_begin_anew_after_some_steps() -> None:
    before, after, number = walk(CLEAN, 60, Spoiling(walks=2, restart=10, from_goal=True), np.random.default_rng(0))
    assert np.bincount(number).tolist() == [10] * 6
    for each in range(6):
        mine = number == each
        assert (before[mine][:1] == CLEAN.goal()).all()
        assert (before[mine][1:] == after[mine][:-1]).all()


def test_a_walk_that_is_stuck_begins_anew() -> None:
    class DeadEnd(type(CLEAN)):  # type: ignore[misc]
        def successors(self, states):
            children, parents = super().successors(states)
            going = (states[parents] == self.goal()).all(1)
            return children[going], parents[going]

        def random_states(self, count, _):
            return self.goal().repeat(count, axis=0)

    before, _, number = walk(DeadEnd(CLEAN.Options(size=2)), 9, Spoiling(walks=3), np.random.default_rng(0))
    assert (before == CLEAN.goal()).all()
    assert len(set(number)) == 9


def test_walks_may_begin_at_the_goal() -> None:
    pairs = spoiled(walks=3, from_goal=True).sample(30, np.random.default_rng(0))
    assert pairs.states_before is not None
    assert (pairs.states_before[:3] == CLEAN.goal()).all()


def test_wrong_pairs_have_the_second_picture_of_another() -> None:
    clean = CLEAN.sample(2000, np.random.default_rng(0))
    mixed = mismatch(clean, 0.1, np.random.default_rng(1))
    assert mixed.states_after is not None
    assert (mixed.before == clean.before).all()
    assert (CLEAN.render(mixed.states_after) == mixed.after).all()
    changed = (mixed.states_after != clean.states_after).any(1).mean()
    assert 0.06 < changed < 0.13  # some get the same picture by chance
    assert mismatch(clean, 0.0, np.random.default_rng(1)) is clean


class OnlyPairs(Domain):
    """Pairs of nobody knows what."""

    image_shape = (4, 5)

    def sample(self, count, rng) -> Pairs:
        images = rng.integers(256, size=(2, count or 9, 4, 5), dtype=np.uint8)
        return Pairs(*images)


def test_pairs_without_states_can_be_spoiled_but_not_walked() -> None:
    domain = spoil(OnlyPairs(), Spoiling(blink=1, noise=0.1), 0)
    assert domain.sample(6, np.random.default_rng(0)).before.shape == (6, *domain.image_shape) == (6, 4 + STRIP, 5)
    with pytest.raises(UsageError, match="knows its states"):
        spoil(OnlyPairs(), Spoiling(walks=1), 0)
