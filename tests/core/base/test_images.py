"""Reading pictures with care, writing them whole, and contact sheets."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cubespace.base.errors import InputError
from cubespace.base.images import contact_sheet, read_picture, side_by_side, write_png

GREYS = np.arange(24, dtype=np.uint8).reshape(4, 6) * 10


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_picture(path)
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
    return str(caught.value)


def hollow_png(width: int, height: int) -> bytes:
    """Return a PNG that claims a size and has no pixels."""
    chunks = [b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0), b"IDAT" + zlib.compress(b"")]
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_png(tmp_path / "grey.png", GREYS)
    np.testing.assert_array_equal(read_picture(tmp_path / "grey.png"), GREYS)
    colour = np.stack([GREYS, GREYS // 2, GREYS // 3], axis=-1)
    write_png(tmp_path / "colour.png", colour)
    np.testing.assert_array_equal(read_picture(tmp_path / "colour.png"), colour)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["colour.png", "grey.png"]


def test_grey_saved_as_colour_is_grey_unless_colour_is_wanted(tmp_path: Path) -> None:
    Image.fromarray(GREYS).convert("RGB").save(tmp_path / "x.png")
    np.testing.assert_array_equal(read_picture(tmp_path / "x.png"), GREYS)
    assert read_picture(tmp_path / "x.png", "rgb").shape == (4, 6, 3)


def test_sixteen_bits_become_eight(tmp_path: Path) -> None:
    Image.fromarray(GREYS.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    np.testing.assert_array_equal(read_picture(tmp_path / "deep.png"), GREYS)


def test_transparency_becomes_white(tmp_path: Path) -> None:
    Image.new("RGBA", (2, 2), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    assert (read_picture(tmp_path / "clear.png") == 255).all()


def test_a_size_is_height_by_width(tmp_path: Path) -> None:
    write_png(tmp_path / "x.png", GREYS)
    assert read_picture(tmp_path / "x.png", size=(8, 3)).shape == (8, 3)


def test_bad_files_are_refused_by_name(tmp_path: Path) -> None:
    assert "there is no" in complaint(tmp_path / "absent.png")
    assert "not a file" in complaint(tmp_path)
    (tmp_path / "empty.png").touch()
    assert "empty" in complaint(tmp_path / "empty.png")
    (tmp_path / "text.png").write_text("hello")
    assert "not a picture" in complaint(tmp_path / "text.png")
    write_png(tmp_path / "whole.png", np.random.default_rng(0).integers(256, size=(50, 50), dtype=np.uint8))
    (tmp_path / "half.png").write_bytes((tmp_path / "whole.png").read_bytes()[:1000])
    assert "cannot be read" in complaint(tmp_path / "half.png")


@pytest.mark.parametrize("side", [10_000, 100_000])
def test_huge_pictures_are_refused_before_they_are_unpacked(tmp_path: Path, side: int) -> None:
    (tmp_path / "huge.png").write_bytes(hollow_png(side, side))
    assert "too large" in complaint(tmp_path / "huge.png")


def test_an_unwritable_place_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    with pytest.raises(InputError, match="cannot write"):
        write_png(tmp_path / "file" / "x.png", GREYS)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("colour", [(), (3,)])
@pytest.mark.parametrize("count", [1, 2, 7, 30])
def test_a_contact_sheet_shows_every_picture(count: int, colour: tuple[int, ...]) -> None:
    images = np.random.default_rng(0).integers(256, size=(count, 5, 9, *colour), dtype=np.uint8)
    sheet = contact_sheet(images, columns=3, scale=1, gap=2)
    for number, image in enumerate(images):
        row, column = divmod(number, 3)
        top, left = 2 + 7 * row, 2 + 11 * column
        np.testing.assert_array_equal(sheet[top : top + 5, left : left + 9], image)


def test_a_contact_sheet_is_large_enough_to_see() -> None:
    assert contact_sheet(np.zeros((4, 10, 10), dtype=np.uint8)).shape[1] > 150
    assert contact_sheet(np.zeros((0, 10, 10), dtype=np.uint8)).ndim == 2


def test_partners_stand_side_by_side() -> None:
    pair = side_by_side(GREYS[None], GREYS[None] + 1, gap=2)[0]
    np.testing.assert_array_equal(pair[:, :6], GREYS)
    np.testing.assert_array_equal(pair[:, 8:], GREYS + 1)
