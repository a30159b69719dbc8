"""Places on pictures that something spoils: a light, a pointer and bad pixels make no values, similar tiles do."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray
from tile_rows import looks_of, noisy, tile_rows

from cubespace.base.arrays import Images, Indices
from cubespace.data.domain import Domain, Pairs
from cubespace.data.spoiled_pictures import spoil_pixels, spoil_scene
from cubespace.plugins.catalogue import load_plugins
from cubespace.settings.spoiled_pictures import PictureSpoiling
from cubespace_bit_learners.places import grouping as grouping_module
from cubespace_bit_learners.places import lit
from cubespace_bit_learners.places.clusters import clear_clusters
from cubespace_bit_learners.places.events import Score
from cubespace_bit_learners.places.finder import PlacesOptions, find_places
from cubespace_bit_learners.places.grouping import GroupingOptions, group_pixels
from cubespace_bit_learners.places.selection import Grouping, simplest
from cubespace_bit_learners.places.values import _lost


def spoilt(pictures: Images, how: PictureSpoiling, seed: int) -> Images:
    rng = np.random.default_rng(seed)
    return spoil_pixels(spoil_scene(pictures, how, rng), how, rng)


def digits(count: int) -> Pairs:
    board = load_plugins().create("domain", "mnist")
    assert isinstance(board, Domain)
    return board.sample(count, np.random.default_rng(0))


def same_partition(codes: Indices, states: Indices) -> bool:
    """Whether each place is one cell, and each of its values one tile."""
    pairs = [len(np.unique(np.stack([code, true]), axis=1).T) for code in codes.T for true in states.T]
    return codes.shape[1] == states.shape[1] and pairs.count(4) == 4 and int(codes.max()) == 3


@pytest.mark.parametrize(
    "how", [PictureSpoiling(shadow=0.4), PictureSpoiling(gradient=0.4)], ids=["shadow", "gradient"]
)
def test_a_light_that_differs_from_picture_to_picture_makes_no_values(how: PictureSpoiling) -> None:
    world = tile_rows(800)
    found = find_places(spoilt(world.before, how, 1), spoilt(world.after, how, 2))
    assert same_partition(found.encode(world.before), world.states_before)


@pytest.mark.parametrize(
    "how", [PictureSpoiling(pepper=0.02), PictureSpoiling(cursor=5)], ids=["bad pixels", "a pointer"]
)
def test_bad_pixels_and_a_pointer_make_no_values(how: PictureSpoiling, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping_module, "MAX_CUTS", 1)  # of each kind: to save time
    board = digits(1000)
    found = find_places(spoilt(board.before, how, 1), spoilt(board.after, how, 2))
    assert found.score.coverage > 0.95
    assert [len(place.patterns) for place in found.places] == [9] * 9


def test_similar_tiles_stay_two_values_in_spite_of_noise() -> None:
    looks = looks_of(4)
    looks[3] = looks[2]
    looks[3, 1:3, 1:4] = 255 - looks[3, 1:3, 1:4]  # six pixels of 25
    world = tile_rows(1500, looks=looks)
    found = find_places(noisy(world.before, 0.2, 1), noisy(world.after, 0.2, 2))
    assert same_partition(found.encode(world.before), world.states_before)


def test_pixels_that_only_a_pointer_changes_are_in_no_group_of_those_that_stay() -> None:
    board, how = digits(600), PictureSpoiling(cursor=5)
    before, after = (
        spoilt(side, how, seed).reshape(600, -1, 1).astype(np.float32)
        for seed, side in enumerate((board.before, board.after))
    )
    label = group_pixels(before, np.random.default_rng(0), GroupingOptions(), later=after)[0]
    assert (label[board.before.reshape(600, -1).std(0) == 0] < 0).mean() > 0.95
    cell = np.arange(42) // 14
    cells = (3 * cell[:, None] + cell).ravel()
    shown = [np.bincount(cells[label == number], minlength=9) for number in range(label.max() + 1)]
    assert sorted(int(each.max()) for each in shown)[-9:] == [80] * 9
    assert all(each.max() == each.sum() for each in shown if each.sum() > 3)


def test_parts_of_a_picture_in_which_nothing_varies_change_no_group(monkeypatch) -> None:
    seen = np.random.default_rng(1).integers(2, size=(300, 4)).astype(np.float32).repeat(6, axis=1) * 255
    wide = np.concatenate((seen, np.zeros((300, 76), dtype=np.float32)), axis=1)[:, :, None]  # (pictures, pixels, 1)
    whole = group_pixels(wide, np.random.default_rng(0), GroupingOptions())[0]
    monkeypatch.setattr(lit, "MOST_BLOCK", 300 * 10)  # ten pixels of all pictures at a time
    parts = group_pixels(wide, np.random.default_rng(0), GroupingOptions())[0]
    assert (parts == whole).all()
    assert (whole[24:] < 0).all()
    assert len(set(whole[:24].tolist())) == 4


def test_a_few_patterns_that_share_a_bad_pixel_are_no_cluster() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=400)
    patterns = (100.0 * np.eye(3).repeat(10, axis=1)[truth] + rng.normal(0, 3, (400, 30))).astype(np.float32)
    patterns[:4, 0] += 60
    code = clear_clusters(patterns, floor=5.0, common=3, most=256)
    assert len({(true, each) for true, each in zip(truth.tolist(), code.tolist(), strict=True)}) == 3


def grouping(bits: float, values: int, lost: float, unexplained: float = 0.1, left_out: float = 0.0) -> Grouping:
    score = Score(events=10, coverage=1.0, bits=bits)
    return Grouping([], "tight", score, values, unexplained, lost, left_out, overflow=False, common=values)


def test_the_fewest_bits_win_by_however_little() -> None:
    exact, merged = grouping(7.744, 81, 0.0), grouping(7.749, 80, 0.0)
    assert simplest([merged, exact], PlacesOptions()) is exact


def test_what_stays_must_not_be_lost_for_fewer_bits_but_a_shadow_may() -> None:
    exact, merged = grouping(7.7, 81, 0.0, unexplained=0.08), grouping(7.4, 72, 0.008)
    split = attrs.evolve(exact, values=300, unexplained=0.0, score=Score(events=10, coverage=1.0, bits=7.9), common=300)
    assert simplest([merged, split, exact], PlacesOptions()) is exact


def test_two_similar_tiles_of_one_place_stay_two_where_events_are_the_same() -> None:
    merged, exact = grouping(7.71389, 80, 0.00134, unexplained=0.2753), grouping(7.71389, 81, 0.00056, 0.2744)
    assert simplest([merged, exact], PlacesOptions()) is exact


def test_rare_values_are_not_merged_for_fewer_bits_or_fewer_values() -> None:
    merged = grouping(10.9, 101, 0.0001, unexplained=0.01)
    exact = attrs.evolve(merged, values=120, common=100, unexplained=0.0, score=Score(events=10, coverage=1.0, bits=11))
    assert simplest([merged, exact], PlacesOptions()) is exact
    rarer = attrs.evolve(exact, score=Score(events=10, coverage=0.98, bits=11))  # as of five blocks in four columns
    assert simplest([merged, rarer], PlacesOptions()) is rarer
    unlike = attrs.evolve(exact, score=Score(events=10, coverage=0.9, bits=11))  # events of outliers do not recur
    assert simplest([merged, unlike], PlacesOptions()) is merged
    tied = attrs.evolve(exact, groups=[], score=merged.score)
    assert simplest([merged, tied], PlacesOptions()) is tied


def test_a_value_that_hardly_any_probe_shows_is_a_cluster_of_its_own() -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(5, size=8000, p=[0.5, 0.3, 0.18, 0.01, 0.01])
    truth[::20] = rng.integers(3, size=400)  # the probes have none of the rare ones
    patterns = (100.0 * np.eye(5).repeat(10, axis=1)[truth] + rng.normal(0, 3, (8000, 50))).astype(np.float32)
    patterns[1, :30] = 255  # and one that has nothing in common with any
    code = clear_clusters(patterns, floor=5.0, common=3, most=256)
    kept = np.arange(8000) != 1
    assert len({(true, each) for true, each in zip(truth[kept].tolist(), code[kept].tolist(), strict=True)}) == 5


def test_places_that_others_explain_are_not_left_out() -> None:
    """The top row of blocks changes nearly whenever it shows anything: little of it stays."""
    whole, part = grouping(6.8, 36, 0.0, unexplained=0.0), grouping(6.3, 24, 0.0, left_out=0.099)
    whole, part = (attrs.evolve(way, groups=cells(rows)) for way, rows in ((whole, 3), (part, 2)))
    assert simplest([part, whole], PlacesOptions()) is whole


def test_edges_of_places_may_be_left_out() -> None:
    """A codec mixes neighbours there, so that one of nine places has seventeen values."""
    mixed, clear = grouping(7.895, 89, 0.0047, unexplained=0.008), grouping(7.654, 81, 0.005, 0.03, left_out=0.022)
    mixed, clear = attrs.evolve(mixed, groups=cells(3)), attrs.evolve(clear, groups=[each[2:] for each in cells(3)])
    assert simplest([mixed, clear], PlacesOptions()) is clear


def cells(rows: int) -> list[NDArray[np.intp]]:
    """Return the pixels of so many rows of three cells."""
    return [np.arange(20 * number, 20 * number + 20) for number in range(3 * rows)]


def test_all_cells_of_blocks_are_places() -> None:
    blocks = load_plugins().create("domain", "blocks:blocks=3,columns=3")
    assert isinstance(blocks, Domain)
    pairs = blocks.sample(600, np.random.default_rng(0))
    assert [len(place.patterns) for place in find_places(pairs.before, pairs.after).places] == [4] * 9


def test_what_stays_is_lost_even_if_no_pair_keeps_its_value() -> None:
    """A group of pixels that is the whole picture: each action moves something, and two tiles are one value."""
    rng = np.random.default_rng(0)
    value, hidden = rng.integers(3, size=1000), rng.choice([-20.0, 20.0], 1000)
    noise = rng.normal(0, 10, (2, 1000, 20))
    patterns = noise + 100 * np.eye(20)[np.stack([value, (value + 1) % 3])]
    code = np.concatenate([value, (value + 1) % 3])
    assert _lost(patterns.reshape(2000, 20).astype(np.float32), code) == pytest.approx(0, abs=2)
    patterns[:, :, 10] += hidden
    assert _lost(patterns.reshape(2000, 20).astype(np.float32), code) == pytest.approx(400, rel=0.1)
