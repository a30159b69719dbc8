"""A shaking camera, its light and inexact hands: drawn anew for each picture, judged by the clean world."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from cubespace.base.errors import UsageError
from cubespace.data.domain import Simulator
from cubespace.data.spoiled_camera import _views, lay_down, photograph, pick_up
from cubespace.data.spoiling import spoil
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.run_config import Spoiling

CATALOGUE = load_plugins()
LAMPS: Simulator = CATALOGUE.create("domain", "lightsout:size=3")
STATES = LAMPS.random_states(60, np.random.default_rng(1))
SCENE = np.full((3, 21, 25), 40, dtype=np.uint8)
SCENE[:, 8:13, 10:15] = 220


def centre(pictures: np.ndarray) -> np.ndarray:
    """Return the mean position (row, column) of what is brighter than the background."""
    weight = pictures.astype(float) - 40
    rows, columns = np.indices(pictures.shape[1:])
    return np.stack([(weight * each).sum((1, 2)) / weight.sum((1, 2)) for each in (rows, columns)], 1)


def test_the_camera_moves_by_parts_of_a_pixel() -> None:
    seen = photograph(np.repeat(SCENE, 100, axis=0), Spoiling(move=2), np.random.default_rng(0))
    apart = centre(seen) - centre(SCENE)[:1]
    assert 1.9 < np.abs(apart).max() < 2.1
    assert abs(apart.std() - 2 / 3**0.5) < 0.1
    assert np.abs(apart - apart.round()).mean() > 0.1  # no whole pixels


def test_turning_keeps_the_middle_and_perspective_moves_each_corner() -> None:
    views = _views(50, 21, 25, Spoiling(turn=2), np.random.default_rng(0))
    assert np.abs(views[:, :2, 2]).max() < 1e-9
    angle = np.degrees(np.arctan2(views[:, 1, 0], views[:, 0, 0]))
    assert 1.8 < np.abs(angle).max() <= 2
    tilted = _views(50, 21, 25, Spoiling(perspective=1.5), np.random.default_rng(0))
    corner = tilted @ np.array([12.0, 10.0, 1.0])
    apart = corner[:, :2] / corner[:, 2:] - [12, 10]
    assert 1.3 < np.abs(apart).max() <= 1.5 + 1e-9


def test_a_steady_camera_without_light_takes_the_picture_as_it_is() -> None:
    assert photograph(SCENE, Spoiling(ground="black"), np.random.default_rng(0)) is SCENE


def test_light_is_gain_offset_and_slope() -> None:
    flat = np.full((200, 11, 11), 100, dtype=np.uint8)
    gain = photograph(flat, Spoiling(gain=0.2), np.random.default_rng(0)).astype(float)
    assert gain.std((1, 2)).max() == 0
    assert 80 <= gain.min() < 83
    assert 117 < gain.max() <= 120
    added = photograph(flat, Spoiling(offset=0.1), np.random.default_rng(0)).astype(float)
    assert 24 < np.abs(added - 100).max() <= 26
    sloped = photograph(flat, Spoiling(slope=0.1), np.random.default_rng(0)).astype(float)
    assert np.abs(sloped.mean((1, 2)) - 100).max() < 1
    assert 5 < np.abs(sloped[:, 5, 0] - sloped[:, 5, -1]).max() < 15


@pytest.mark.parametrize("ground", ["textured", "black"])
@pytest.mark.parametrize("shape", [(4, 9, 8), (4, 9, 8, 3)])
def test_the_ground_is_the_same_around_every_picture(ground: str, shape: tuple[int, ...]) -> None:
    pictures = np.random.default_rng(0).integers(256, size=shape, dtype=np.uint8)
    spoiling = Spoiling(ground=ground, ground_width=3)
    laid = lay_down(pictures, spoiling)
    assert laid.shape == (4, 15, 14, *shape[3:])
    assert (pick_up(laid, spoiling) == pictures).all()
    around = laid.copy()
    around[:, 3:-3, 3:-3] = 0
    assert (around == around[0]).all()
    assert (around.max() > 0) == (ground == "textured")


def test_the_clean_world_reads_what_lies_on_the_ground() -> None:
    domain = spoil(LAMPS, Spoiling(ground="textured", blink=1), 0)
    pictures = domain.render(STATES)
    assert pictures.shape[1:] == domain.image_shape
    seen, readable = domain.read(pictures)
    assert readable.all()
    assert (seen == STATES).all()


def test_each_picture_has_a_camera_of_its_own_and_seeds_repeat_it() -> None:
    first, again = (spoil(LAMPS, Spoiling(move=1, gain=0.1), 3).render(STATES[[0] * 5]) for _ in range(2))
    assert (first == again).all()
    assert len(np.unique(first.reshape(5, -1), axis=0)) == 5


def test_what_is_not_moved_stays_exactly_where_it_lies() -> None:
    kept = []

    class Watched(type(CATALOGUE.create("domain", "blocks"))):  # type: ignore[misc]
        def render_placed(self, states, places):
            kept.append(places)
            return super().render_placed(states, places)

    blocks = Watched(Watched.Options(blocks=2, columns=3))
    pairs = spoil(blocks, Spoiling(place=1.5, place_turn=12), 0).sample(40, np.random.default_rng(0))
    before, after = kept
    moved = pairs.states_before != pairs.states_after
    assert (before[~moved] == after[~moved]).all()
    assert (before[moved] != after[moved]).all()
    assert np.abs(before).max((0, 1)).tolist() == pytest.approx([1.5, 1.5, 12], rel=0.1)
    assert (blocks.render(pairs.states_before) != pairs.before).any((1, 2, 3)).all()


def test_things_off_their_places_are_read_by_the_middle_of_cells() -> None:
    blocks = CATALOGUE.create("domain", "blocks")
    states = blocks.random_states(80, np.random.default_rng(0))
    domain = spoil(blocks, Spoiling(place=1.5, place_turn=12), 0)
    assert isinstance(domain, Simulator)
    seen, readable = domain.read(domain.render(states))
    assert readable.all()
    assert (seen == states).all()
    assert not blocks.read(domain.render(states))[1].any()


def test_other_worlds_say_that_they_cannot_put_things_down_inexactly() -> None:
    with pytest.raises(UsageError, match="draws each thing by itself"):
        spoil(LAMPS, Spoiling(place=1), 0)
    solid = CATALOGUE.create("domain", "blocks:solid=true")
    with pytest.raises(UsageError, match="flat ones"):
        spoil(solid, Spoiling(place=1), 0).render(solid.goal())


@pytest.mark.parametrize("spec", ["lightsout:size=3", "mnist:size=2"])
def test_a_judge_reads_what_a_lens_has_blurred_and_nothing_else(spec: str) -> None:
    world = CATALOGUE.create("domain", spec)
    states = world.random_states(40, np.random.default_rng(5))
    spoiling = Spoiling(ground="textured", ground_width=4, move=1)
    blurred = gaussian_filter(lay_down(world.render(states), spoiling).astype(float), (0, 0.65, 0.65))
    domain = spoil(world, spoiling, 0)
    assert isinstance(domain, Simulator)
    seen, readable = domain.read(np.rint(blurred).astype(np.uint8))
    assert readable.all()
    assert (seen == states).all()
    mixed = np.rint((blurred[:20] + blurred[20:]) / 2)[(states[:20] != states[20:]).any(1)].astype(np.uint8)
    assert not domain.read(mixed)[1].any()


@pytest.mark.parametrize("blur", [0.0, 0.6])
@pytest.mark.parametrize(("spec", "rim"), [("mnist:size=2", (0, 0)), ("mnist:size=2", (2, 2)), ("photo", (1, 1))])
def test_a_judge_reads_pictures_that_were_laid_over_each_other_after_a_shift(
    blur: float, rim: tuple[int, int], spec: str
) -> None:
    world = CATALOGUE.create("domain", spec)
    states = world.random_states(40, np.random.default_rng(5))
    seen = world.render(states).astype(float)
    outside = np.ones(seen.shape[1:], dtype=bool)
    outside[rim[0] : seen.shape[1] - rim[1], rim[0] : seen.shape[2] - rim[1]] = False
    usual = world.render(world.random_states(1000, np.random.default_rng(6))).mean(0)
    seen[:, outside] = usual[outside]
    domain = spoil(world, Spoiling(shift=1), 0)
    assert isinstance(domain, Simulator)
    read, readable = domain.read(np.rint(gaussian_filter(seen, (0, blur, blur))).astype(np.uint8))
    assert readable.all()
    assert (read == states).all()


def test_a_judge_reads_a_picture_whose_rim_is_wider_on_one_side_and_no_blend() -> None:
    world = CATALOGUE.create("domain", "photo")
    states = world.random_states(80, np.random.default_rng(5))
    seen = world.render(states).astype(float)
    seen[:, :, -2:] = world.render(world.random_states(1000, np.random.default_rng(6))).mean(0)[:, -2:]
    domain = spoil(world, Spoiling(shift=1), 0)
    assert isinstance(domain, Simulator)
    read, readable = domain.read(seen.astype(np.uint8))
    assert readable.all()
    assert (read == states).all()
    differ = (states[:40] != states[40:]).any(1)
    blends = (seen[:40] + seen[40:])[differ] / 2
    assert not domain.read(blends.astype(np.uint8))[1].any()
