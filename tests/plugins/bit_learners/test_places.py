"""Places on small pictures drawn here: lamps and tiles whose true values are known."""

from __future__ import annotations

import json
import time

import attrs
import numpy as np
import pytest
from builders import work_in
from tile_rows import CELL, dimmed, looks_of, noisy, smooth_blobs, tile_rows

from cubespace.base.arrays import Images, Indices
from cubespace.base.differences import changed_values
from cubespace.base.errors import UsageError
from cubespace.data.domain import Pairs
from cubespace.learning.code import BACKGROUND, EXOGENOUS
from cubespace.plugins.catalogue import load_plugins
from cubespace_bit_learners.places.events import exogenous, score_events
from cubespace_bit_learners.places.finder import Places, PlacesOptions, find_places
from cubespace_bit_learners.places.learner import PlacesCode, new_code, read_code
from cubespace_bit_learners.tensor_code import as_numbers, pixel_rows


def agree(codes: Indices, truth: Indices) -> bool:
    """Return whether each place stands for one cell, and one value for one true value."""
    matched = set()
    for code in codes.T:
        for cell, true in enumerate(truth.T):
            both = len(np.unique(np.stack([code, true]), axis=1).T)
            if both == len(np.unique(code)) == len(np.unique(true)):
                matched.add(cell)
    return len(matched) == truth.shape[1] == codes.shape[1]


def check(found: Places, before: Images, after: Images, states: Indices) -> None:
    codes = found.encode(before)
    assert agree(codes, states)
    assert not found.overflow
    assert found.score.coverage > 0.95
    assert not exogenous(codes, found.encode(after)).any()


def drawing_error(found: Places, images: Images) -> float:
    pixels = found.pixels(images.reshape(len(images), -1))
    return float(((found.draw(found.encode(images)) - pixels) ** 2).mean())


@pytest.mark.parametrize("colours", [1, 3], ids=["grey", "colour"])
@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.2])
def test_the_cells_and_what_they_show_are_found_in_spite_of_noise(colours: int, sigma: float) -> None:
    world = tile_rows(1500, colours=colours)
    before, after = noisy(world.before, sigma, 1), noisy(world.after, sigma, 2)
    found = find_places(before, after)
    check(found, before, after, world.states_before)
    assert drawing_error(found, before) <= 1.1 * sigma**2 + 1e-6


def test_background_belongs_to_no_place() -> None:
    world = tile_rows(1000, 101)
    found = find_places(world.before, world.after)
    flat = world.before.reshape(len(world), -1)
    pixels = np.concatenate([place.pixels for place in found.places])
    assert len(np.unique(pixels)) == len(pixels)
    assert (flat[:, pixels].std(0) > 0).all()
    assert np.allclose(found.draw(found.encode(world.before)), flat / 255, atol=1e-4)


def test_the_light_of_each_picture_does_not_matter() -> None:
    world = tile_rows(1500, 102)
    before, after = dimmed(world.before, 3), dimmed(world.after, 4)
    found = find_places(before, after)
    assert found.light is not None
    check(found, before, after, world.states_before)


def test_a_small_difference_is_a_value() -> None:
    """Two of the tiles differ in one pixel."""
    looks = looks_of(4, 4)
    looks[3] = looks[2]
    looks[3, 2, 2] = 255 - looks[2, 2, 2]
    world = tile_rows(1500, 103, looks=looks)
    check(find_places(world.before, world.after), world.before, world.after, world.states_before)


def test_a_group_with_more_values_than_the_options_allow_is_not_a_place() -> None:
    world = tile_rows(600, 106)
    found = find_places(world.before, world.after, PlacesOptions(max_values=4))
    check(found, world.before, world.after, world.states_before)
    fewer = find_places(world.before, world.after, PlacesOptions(max_values=3))
    assert fewer.overflow or max(len(place.patterns) for place in fewer.places) <= 3


def test_light_that_varies_less_than_the_options_say_is_taken_to_be_constant() -> None:
    world = tile_rows(600, 107)
    before, after = dimmed(world.before, 3), dimmed(world.after, 4)
    assert find_places(before, after, PlacesOptions(light_change=2.0)).light is None


def with_a_lamp(pictures: Images, chance: float, seed: int) -> Images:
    """Pictures with a strip below, in which a lamp is lit now and then."""
    strip = np.zeros((len(pictures), 4, pictures.shape[2]), dtype=np.uint8)
    strip[np.random.default_rng(seed).random(len(pictures)) < chance, 1:3, 3:6] = 255
    return np.concatenate([pictures, strip], axis=1)


@pytest.mark.parametrize(("chance", "usual"), [(0.7, 1.0), (0.3, 0.0)], ids=["mostly lit", "mostly dark"])
def test_a_lamp_that_blinks_by_itself_is_left_out_and_drawn_as_it_mostly_is(chance: float, usual: float) -> None:
    world = tile_rows(2000, 104)
    before, after = with_a_lamp(world.before, chance, 5), with_a_lamp(world.after, chance, 6)
    found = find_places(before, after)
    check(found, before, after, world.states_before)  # only the cells are places
    assert len(found.exogenous_pixels) == 6
    drawn = found.draw(found.encode(before))[:, found.exogenous_pixels]
    assert np.allclose(drawn, usual, atol=1 / 255)


def test_a_tenth_of_wrong_pairs_leaves_places_and_values() -> None:
    world = tile_rows(1500, 105)
    wrong = np.random.default_rng(6).random(len(world)) < 0.1
    after = np.where(wrong[:, None, None], np.roll(world.before, 7, axis=0), world.after)
    assert agree(find_places(world.before, after).encode(world.before), world.states_before)


def test_events_are_old_and_new_values_of_what_changed() -> None:
    """Three places: the first two swap, the third stays."""
    before, after = np.array([[0, 1, 1]]), np.array([[1, 0, 1]])
    assert changed_values(before, after).tolist() == [[0, 1, -1, 1, 0, -1]]


def test_an_event_that_comes_again_needs_fewer_bits_than_new_ones() -> None:
    rng = np.random.default_rng(0)
    states = rng.integers(4, size=(200, 3))
    swapped = states[:, [1, 0, 2]]
    again, never = score_events(states, swapped), score_events(states, rng.integers(4, size=(200, 3)))
    assert again.coverage == 1.0 > never.coverage
    assert again.bits < never.bits


def test_pictures_that_do_not_factor_say_so() -> None:
    """Coverage alone says it weakly, as coarse values come again; what is left unexplained says it too."""
    found = find_places(*smooth_blobs(400, 8))
    assert found.overflow or (found.score.coverage < 0.95 and found.unexplained > 0.3)


@pytest.mark.parametrize("shape", [(8, 8), (8, 8, 3)], ids=["grey", "colour"])
def test_constant_pictures_and_mere_noise_have_no_places(shape: tuple[int, ...]) -> None:
    constant = np.full((20, *shape), 77, dtype=np.uint8)
    assert find_places(constant, constant).places == ()
    many = np.full((500, *shape), 77, dtype=np.uint8)
    assert find_places(noisy(many, 0.1, 1), noisy(many, 0.1, 2)).places == ()


def test_large_colour_pictures_take_seconds() -> None:
    world = tile_rows(600, colours=3)
    before, after = (np.kron(x, np.ones((1, 14, 4, 1), dtype=np.uint8)) for x in (world.before, world.after))
    start = time.process_time()
    found = find_places(before, after)
    assert time.process_time() - start < 20  # a few seconds on a quiet core
    assert agree(found.encode(before), world.states_before)


def code_of(before: Images, after: Images) -> PlacesCode:
    return new_code(find_places(before, after), before.shape[1:])


def test_exactly_one_bit_of_each_place_is_true_whatever_is_shown() -> None:
    world = tile_rows(800)
    code = code_of(world.before, world.after)
    groups = np.array(code.groups)
    garbage = np.random.default_rng(0).integers(256, size=world.before.shape, dtype=np.uint8)
    for images in (world.before, world.after, garbage):
        bits = code.encode(images)
        for place in range(4):
            assert (bits[:, groups == place].sum(1) == 1).all()


def test_the_code_encodes_and_draws_as_the_finder_does() -> None:
    world = tile_rows(800, colours=3)
    found, code = find_places(world.before, world.after), code_of(world.before, world.after)
    bits, groups = code.encode(world.before), np.array(code.groups)
    values = found.encode(world.before)
    for place in range(4):
        assert (bits[:, groups == place].argmax(1) == values[:, place]).all()
    assert np.allclose(code.decode(bits), world.before / 255, atol=1 / 255)
    margin = code.reader(as_numbers(pixel_rows(world.before))).abs().min()
    assert margin > 9.9  # logits: no bit of a clean picture is in doubt


def test_dim_pictures_are_encoded_in_torch_as_in_numpy() -> None:
    world = tile_rows(1500, 102)
    before, after = dimmed(world.before, 3), dimmed(world.after, 4)
    found, code = find_places(before, after), code_of(before, after)
    assert code.reader.light is not None
    normalised = code.normalise(before).reshape(len(before), -1)
    np.testing.assert_allclose(normalised, found.pixels(before.reshape(len(before), -1)), atol=1e-5)
    groups, values, bits = np.array(code.groups), found.encode(before), code.encode(before)
    chosen = np.stack([bits[:, groups == place].argmax(1) for place in range(4)], axis=1)
    assert (chosen == values).all()
    assert agree(values, world.states_before)


@pytest.mark.parametrize("light", [False, True], ids=["steady light", "light that varies"])
def test_details_as_json_and_weights_give_the_same_bits_and_pictures_again(light: bool) -> None:
    world = tile_rows(1000, 102)
    pair = (dimmed(world.before, 3), dimmed(world.after, 4)) if light else (world.before, world.after)
    code = code_of(*pair)
    saved = code.saved()
    again = read_code(attrs.evolve(saved, details=json.loads(json.dumps(saved.details))))
    bits = code.encode(pair[0])
    assert (again.groups, again.bits) == (code.groups, code.bits)
    assert (again.encode(pair[0]) == bits).all()
    assert (again.decode(bits) == code.decode(bits)).all()
    assert (again.regions() == code.regions()).all()


def test_regions_are_the_places_of_pixels_and_lamps_that_blink_are_exogenous() -> None:
    world = tile_rows(2000, 104)
    before, after = with_a_lamp(world.before, 0.5, 5), with_a_lamp(world.after, 0.5, 6)
    regions = code_of(before, after).regions()
    assert regions.shape == before.shape[1:]
    assert set(np.unique(regions)) == {EXOGENOUS, BACKGROUND, 0, 1, 2, 3}
    assert (regions == EXOGENOUS).sum() == 6
    for place in range(4):
        columns = np.flatnonzero((regions == place).any(0))
        assert columns.max() - columns.min() < CELL


def test_nothing_is_learned_from_held_out_pairs(tmp_path) -> None:
    world, other = tile_rows(500), tile_rows(100, 9)
    learner, work = load_plugins().create("learner", "places"), work_in(tmp_path)
    training, held_out = Pairs(world.before, world.after), Pairs(255 - other.before, other.after)
    one, another = learner.learn(training, training[:100], work), learner.learn(training, held_out, work)
    assert all((array == another.saved().arrays[name]).all() for name, array in one.saved().arrays.items())


@pytest.mark.parametrize(("spec", "words"), [("place", "Did you mean 'places'"), ("places:rows=3", "unknown option")])
def test_a_wrong_name_or_option_is_told(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load_plugins().create("learner", spec)


def test_of_two_values_that_are_equally_near_one_is_taken() -> None:
    """A picture half way between two tiles, to the last bit."""
    world = tile_rows(800)
    code = code_of(world.before, world.after)
    code.reader.weight[0], code.reader.bias[0] = 0.0, 0.0
    assert (code.encode(world.before)[:, np.array(code.groups) == 0].sum(1) == 1).all()


def test_no_places_are_a_code_of_no_bits_and_not_an_error() -> None:
    nothing = np.zeros((5, 0), dtype=np.intp)
    score = score_events(nothing, nothing)
    assert (score.events, score.coverage) == (1, 1.0)
    found = Places((4, 4), np.full(16, 0.5, dtype=np.float32), (), None, overflow=False, unexplained=1.0, score=score)
    code = new_code(found, (4, 4))
    bits = code.encode(np.zeros((3, 4, 4), dtype=np.uint8))
    assert bits.shape == (3, 0)
    assert code.decode(bits) == pytest.approx(0.5, abs=0.01)
