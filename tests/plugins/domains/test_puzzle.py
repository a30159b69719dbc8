"""Sliding tiles: what is on them, and which pictures will do."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cubespace.base.errors import InputError, UsageError
from cubespace.plugins.catalogue import load_plugins
from cubespace_domains import tiles
from cubespace_domains.mosaic import Mosaic
from cubespace_domains.puzzle import SlidingTiles, smallest_distance


def build(spec: str) -> SlidingTiles:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, SlidingTiles)
    return domain


def test_digits_are_distinct_and_black_and_white() -> None:
    digits = tiles.digits(256)
    assert digits.shape == (256, 14, 14)
    assert len(np.unique(digits.reshape(256, -1), axis=0)) == 256
    assert set(np.unique(digits)) == {0, 255}


def test_more_digits_begin_with_those_of_the_paper() -> None:
    np.testing.assert_array_equal(tiles.digits(16)[:9], tiles.digits(9))


def test_the_goal_shows_the_picture(picture: Path) -> None:
    domain = build(f"photo:image={picture}")
    shown = domain.render(domain.goal())[0].astype(float).ravel()
    original = np.asarray(Image.open(picture).resize((42, 42), Image.Resampling.LANCZOS)).astype(float).ravel()
    assert np.corrcoef(shown, original)[0, 1] > 0.95  # equalised, otherwise the same
    assert shown.min() == 0
    assert shown.max() == 255


@pytest.mark.parametrize("spec", ["mnist:size=2", "mnist:size=4", "photo:size=4", "photo:size=5", "spider:size=4"])
def test_other_sizes_are_read_back(spec: str) -> None:
    domain = build(spec)
    states = domain.random_states(200, np.random.default_rng(0))
    seen, readable = domain.read(domain.render(states))
    assert readable.all()
    np.testing.assert_array_equal(seen, states)


def test_a_wide_picture_is_cropped_at_its_centre(tmp_path: Path, picture: Path) -> None:
    wide = Image.new("L", (400, 168))
    wide.paste(Image.open(picture), (116, 0))
    wide.save(tmp_path / "wide.png")
    np.testing.assert_array_equal(
        build(f"photo:image={tmp_path / 'wide.png'}").tiles, build(f"photo:image={picture}").tiles
    )


def test_both_parities_are_drawn() -> None:
    states = build("mnist").random_states(200, np.random.default_rng(0)).astype(int)
    inversions = np.triu(states[:, :, None] > states[:, None, :], 1).sum((1, 2))
    assert 60 < (inversions % 2).sum() < 140


def test_the_blank_moves_to_its_neighbours_only() -> None:
    domain = build("mnist")
    children, parents = domain.successors(domain.goal())
    assert not parents.any()
    assert sorted(children.tolist()) == [[1, 0, 2, 3, 4, 5, 6, 7, 8], [3, 1, 2, 0, 4, 5, 6, 7, 8]]


def test_a_tile_shown_twice_is_unreadable() -> None:
    domain = build("mnist")
    image = domain.render(domain.goal())
    image[:, :14, :14] = image[:, :14, 14:28]
    assert not domain.read(image)[1].any()


@pytest.mark.parametrize("name", ["mnist", "spider", "photo"])
def test_two_tiles_blended_are_neither(name: str) -> None:
    domain = build(name)
    for one in range(9):
        for other in range(9):
            image = domain.render(domain.goal())
            blend = (domain.tiles[one].astype(int) + domain.tiles[other]) // 2
            image[:, :14, :14] = blend
            assert domain.read(image)[1].all() == (one == other == 0)


def test_the_tolerance_leaves_no_room_for_two_tiles() -> None:
    for name in ("mnist", "spider", "photo"):
        domain = build(name)
        assert domain.tolerance < smallest_distance(domain.tiles) / 2 <= 0.5


def test_pictures_with_tiles_too_alike_are_refused_with_the_number(tmp_path: Path) -> None:
    Image.new("L", (60, 60), 80).save(tmp_path / "plain.png")
    with pytest.raises(InputError, match=r"plain\.png.*too similar at size 3.*0\.000.*another picture"):
        build(f"photo:image={tmp_path / 'plain.png'}")


@pytest.mark.parametrize("size", ["1", "17", "0", "-3"])
def test_sizes_out_of_range_are_refused(size: str) -> None:
    with pytest.raises(UsageError, match="size"):
        build(f"mnist:size={size}")


def test_without_a_mandrill_the_ways_to_one_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tiles, "MANDRILL_PLACES", ())
    monkeypatch.delenv("NODE_PATH", raising=False)
    with pytest.raises(InputError) as caught:
        build("mandrill")
    message = str(caught.value)
    assert "\n" not in message
    for way in ("image=PATH", "apt install xpuzzles", "npm install baboon-image"):
        assert way in message


def test_an_installed_mandrill_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, picture: Path) -> None:
    monkeypatch.setattr(tiles, "MANDRILL_PLACES", (str(tmp_path / "absent.png"), str(picture)))
    np.testing.assert_array_equal(build("mandrill").tiles, build(f"photo:image={picture}").tiles)


@pytest.mark.parametrize(("values", "columns"), [(2, 4), (9, 3), (25, 5), (7, 11), (200, 3)])
def test_strips_draw_what_single_sprites_would(values: int, columns: int) -> None:
    """Also where a row is too long for one strip."""
    rng = np.random.default_rng(0)
    sprites = rng.integers(256, size=(values, 3, 5), dtype=np.uint8)
    cells = rng.integers(values, size=(20, 2, columns), dtype=np.uint8)
    expected = sprites[cells].swapaxes(2, 3).reshape(20, 6, 5 * columns)
    np.testing.assert_array_equal(Mosaic(sprites, 2, columns).draw(cells), expected)
