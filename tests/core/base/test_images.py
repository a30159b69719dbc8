"""Reading pictures with care, writing them whole, and contact sheets."""

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cubespace.base.errors import CubeNote, InputError
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


def test_a_picture_may_come_as_what_is_in_its_file(tmp_path: Path) -> None:
    write_png(tmp_path / "grey.png", GREYS)
    np.testing.assert_array_equal(read_picture((tmp_path / "grey.png").read_bytes()), GREYS)
    for wrong in (b"", b"not a picture", b"%!PS-Adobe-3.0 EPSF-3.0"):
        with pytest.raises(InputError, match=r"^this is not a picture"):
            read_picture(wrong)
    with pytest.raises(InputError, match=r"^the picture is too large"):
        read_picture(hollow_png(100_000, 100_000))


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


def test_only_formats_of_pixels_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostScript would be handed to a program, whatever the file is called."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gs").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    (programs / "gs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    (tmp_path / "x.png").write_text(
        "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n%%EOF\n"
    )
    assert "its format is not supported: save it as PNG" in complaint(tmp_path / "x.png")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("ending", ["png", "jpg", "bmp", "gif", "tif", "webp", "pgm"])
def test_usual_formats_are_read(tmp_path: Path, ending: str) -> None:
    Image.new("L", (8, 8), 128).save(tmp_path / f"x.{ending}")
    assert abs(int(read_picture(tmp_path / f"x.{ending}").mean()) - 128) <= 1


@pytest.mark.parametrize(
    "pixels",
    [
        np.array([[0, 255], [100, 7]], dtype=np.int32),
        np.array([[0, 1], [0.5, 0.1]], dtype=np.float32),
        np.array([[np.nan, 1], [0.5, 0.1]], dtype=np.float32),
        np.array([[0, 1000], [500, 7]], dtype=np.uint16),
        np.array([[0, 255], [100, 7]], dtype=np.uint16),
    ],
    ids=["int32", "float", "not numbers", "10 of 16 bits", "8 of 16 bits"],
)
def test_deep_pictures_are_refused_rather_than_blackened(tmp_path: Path, pixels: np.ndarray) -> None:
    Image.fromarray(pixels).save(tmp_path / "deep.tif")
    assert "save it with 8" in complaint(tmp_path / "deep.tif")


def test_sixteen_bits_of_colour_are_refused_rather_than_blackened(tmp_path: Path) -> None:
    rows = np.arange(48, dtype=">u2").reshape(4, 4, 3) * 10

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    def png(pixels: np.ndarray) -> bytes:
        lines = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)
        parts = (
            (b"IHDR", struct.pack(">IIBBBBB", 4, 4, 16, 2, 0, 0, 0)),
            (b"IDAT", zlib.compress(lines)),
            (b"IEND", b""),
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)

    (tmp_path / "dark.png").write_bytes(png(rows))
    assert "save it with 8" in complaint(tmp_path / "dark.png")
    (tmp_path / "whole.png").write_bytes(png(rows * 100))
    assert read_picture(tmp_path / "whole.png").max() > 100


def test_a_black_picture_of_sixteen_bits_is_black(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((3, 3), dtype=np.uint16)).save(tmp_path / "black.png")
    assert (read_picture(tmp_path / "black.png") == 0).all()


def test_of_a_picture_that_moves_the_first_frame_is_taken_with_a_note(tmp_path: Path) -> None:
    first, second = Image.new("L", (4, 4), 0), Image.new("L", (4, 4), 255)
    first.save(tmp_path / "moves.gif", save_all=True, append_images=[second])
    with pytest.warns(CubeNote, match=r"moves.gif' has several frames: only the first is used"):
        assert (read_picture(tmp_path / "moves.gif") == 0).all()


def test_a_name_that_no_disk_takes_is_one_line(tmp_path: Path) -> None:
    assert "too long" in complaint(tmp_path / ("x" * 5000))
