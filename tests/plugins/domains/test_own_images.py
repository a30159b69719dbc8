"""The user's own pairs: everything that can be wrong with them is said, by name."""

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cubespace.base.errors import CubeNote, InputError, UsageError
from cubespace.data.domain import Domain, Simulator
from cubespace.plugins.catalogue import load_plugins

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(256, size=(4, 2, 6, 8), dtype=np.uint8)  # pairs, halves, height, width


def build(spec: str) -> Domain:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Domain)
    return domain


def complaint(spec: str) -> str:
    domain = build(spec)  # files are read when they are needed
    with pytest.raises(InputError) as caught:
        domain.sample(None, RNG)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, pair in enumerate(PIXELS):
        for half, pixels in zip("ab", pair, strict=True):
            Image.fromarray(pixels).save(tmp_path / f"{number:04d}_{half}.png")
    return tmp_path


def check_pixels(domain: Domain) -> None:
    pairs = domain.sample(None, np.random.default_rng(0))
    np.testing.assert_array_equal(pairs.before, PIXELS[:, 0])
    np.testing.assert_array_equal(pairs.after, PIXELS[:, 1])
    assert pairs.states_before is None


def test_a_folder(folder: Path) -> None:
    (folder / "notes.txt").write_text("left alone")
    check_pixels(build(f"images:path={folder}"))


@pytest.mark.parametrize("heading", ["", "before,after\n", "\ufeffBefore, After\n"])
def test_a_table(folder: Path, heading: str) -> None:
    rows = "".join(f"{number:04d}_a.png, {number:04d}_b.png\n\n" for number in range(4))
    (folder / "pairs.csv").write_text(heading + rows, encoding="utf-8")
    check_pixels(build(f"images:path={folder / 'pairs.csv'}"))


@pytest.mark.parametrize("kind", ["uint8", "float32", "float64"])
def test_an_archive(tmp_path: Path, kind: str) -> None:
    pixels = PIXELS if kind == "uint8" else (PIXELS / 255).astype(kind)
    np.savez(tmp_path / "pairs.npz", before=pixels[:, 0], after=pixels[:, 1])
    check_pixels(build(f"images:path={tmp_path / 'pairs.npz'}"))


def test_it_has_no_rules(folder: Path) -> None:
    assert not isinstance(build(f"images:path={folder}"), Simulator)


def test_drawing_some_pairs_keeps_them_together(folder: Path) -> None:
    domain = build(f"images:path={folder}")
    pairs = domain.sample(3, np.random.default_rng(0))
    assert len(np.unique(pairs.before, axis=0)) == len(pairs) == 3
    for one, other in zip(pairs.before, pairs.after, strict=True):
        assert any((one == pair[0]).all() and (other == pair[1]).all() for pair in PIXELS)
    with pytest.raises(UsageError, match="only 4 pairs"):
        domain.sample(5, np.random.default_rng(0))


def test_more_pictures_than_a_byte_can_count(tmp_path: Path) -> None:
    numbers = np.arange(400, dtype=np.uint16)
    before = np.stack([numbers >> 8, numbers & 255], axis=1).astype(np.uint8).reshape(-1, 1, 2)
    np.savez(tmp_path / "many.npz", before=before, after=255 - before)
    domain = build(f"images:path={tmp_path / 'many.npz'}")
    np.testing.assert_array_equal(domain.sample(None, np.random.default_rng(0)).before, before)
    drawn = domain.sample(400, np.random.default_rng(0)).before
    assert len(np.unique(drawn, axis=0)) == 400


def test_colour_is_kept_forced_or_dropped(folder: Path) -> None:
    assert build(f"images:path={folder},colour=rgb").image_shape == (6, 8, 3)
    Image.new("RGB", (8, 6), (200, 30, 30)).save(folder / "0000_a.png")
    assert build(f"images:path={folder}").image_shape == (6, 8, 3)
    assert build(f"images:path={folder},colour=grey").image_shape == (6, 8)


def test_resizing_makes_one_size_of_many(folder: Path, tmp_path: Path) -> None:
    Image.new("L", (30, 20), 7).save(folder / "0000_a.png")
    assert build(f"images:path={folder},resize=10x12").image_shape == (10, 12)
    np.savez(tmp_path / "pairs.npz", before=PIXELS[:, 0], after=PIXELS[:, 1])
    assert build(f"images:path={tmp_path / 'pairs.npz'},resize=5x4,colour=rgb").image_shape == (5, 4, 3)


def test_pairs_of_different_size_are_named(folder: Path) -> None:
    Image.new("L", (9, 6)).save(folder / "0002_b.png")
    message = complaint(f"images:path={folder}")
    assert "'0002_b.png' is 6x9, most are 6x8" in message
    assert "resize=" in message


def test_all_bad_files_are_named_at_once(folder: Path) -> None:
    (folder / "0000_a.png").write_bytes(b"")
    (folder / "0001_b.png").write_text("not a picture")
    whole = (folder / "0003_a.png").read_bytes()
    (folder / "0003_a.png").write_bytes(whole[: len(whole) // 2])
    message = complaint(f"images:path={folder}")
    for name, reason in (("0000_a.png", "empty"), ("0001_b.png", "not a picture"), ("0003_a.png", "cannot be read")):
        assert re.search(f"{name}[^;]*{reason}", message)
    assert "0002" not in message


def test_files_without_a_partner_are_named(folder: Path) -> None:
    (folder / "0001_b.png").unlink()
    Image.new("L", (8, 6)).save(folder / "cover.png")
    Image.new("L", (8, 6)).save(folder / "0002_a.bmp")
    message = complaint(f"images:path={folder}")
    assert "'0001_a.png' has no partner _b" in message
    assert "'cover.png' ends neither in _a nor in _b" in message
    assert "'0002_a.png' and '0002_a.bmp' are the same half" in message


def test_tables_with_faults_are_refused(folder: Path) -> None:
    table = folder / "pairs.csv"
    table.write_text("0000_a.png,0000_b.png\n0001_a.png\n")
    assert "row 2 has 1 cells" in complaint(f"images:path={table}")
    table.write_text("0000_a.png,gone.png\n")
    assert "gone.png" in complaint(f"images:path={table}")
    table.write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in complaint(f"images:path={table}")
    table.write_text("")
    assert "no pairs" in complaint(f"images:path={table}")


ARRAYS = {
    "no after": ({"before": PIXELS[:, 0]}, "after"),
    "different shapes": ({"before": PIXELS[:, 0], "after": PIXELS[:3, 1]}, "must be equal"),
    "too few axes": ({"before": PIXELS[0, 0], "after": PIXELS[0, 1]}, "shape"),
    "nothing": ({"before": PIXELS[:0, 0], "after": PIXELS[:0, 1]}, "shape"),
    "out of range": ({"before": PIXELS[:, 0] / 1.0, "after": PIXELS[:, 1] / 1.0}, "outside"),
    "not a number": ({"before": PIXELS[:, 0] * np.nan, "after": PIXELS[:, 1] * np.nan}, "not numbers"),
    "integers": ({"before": PIXELS[:, 0].astype(int), "after": PIXELS[:, 1].astype(int)}, "int64"),
    "objects": ({"before": np.array([None]), "after": np.array([None])}, "before"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_archives_with_faults_are_refused(tmp_path: Path, case: str) -> None:
    arrays, reason = ARRAYS[case]
    np.savez(tmp_path / "pairs.npz", allow_pickle=True, **arrays)
    message = complaint(f"images:path={tmp_path / 'pairs.npz'}")
    assert "pairs.npz" in message
    assert reason in message


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.npz").write_bytes(b"PK\x03\x04 no more")
    assert "pairs.npz" in complaint(f"images:path={tmp_path / 'pairs.npz'}")


def test_absent_empty_and_other_places_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in complaint(f"images:path={tmp_path / 'gone'}")
    assert "no pairs" in complaint(f"images:path={tmp_path}")
    (tmp_path / "pairs.tar").touch()
    assert "neither a folder" in complaint(f"images:path={tmp_path / 'pairs.tar'}")


@pytest.mark.parametrize("options", ["", ":path=x,resize=42", ":path=x,resize=0x3", ":path=x,colour=cmyk"])
def test_bad_options_are_refused(options: str) -> None:
    with pytest.raises(UsageError):
        build(f"images{options}")


def test_a_member_of_an_archive_that_is_no_array_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("before.npy", b"")
        archive.writestr("after.npy", b"nothing")
    assert "'before'" in complaint(f"images:path={tmp_path / 'x.npz'}")


def test_of_many_bad_files_the_first_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("".join(f"{number}.png,{number}.png\n" for number in range(3000)))
    said = complaint(f"images:path={tmp_path / 'pairs.csv'}")
    assert "0.png" in said
    assert said.endswith("and 2,990 more")


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 300 + "/y.png"])
def test_a_name_that_no_disk_takes_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "pairs.csv").write_text(f"{name},{name}\n")
    assert "too long" in complaint(f"images:path={tmp_path / 'pairs.csv'}")
    assert "too long" in complaint(f"images:path={tmp_path / name}")


def test_pictures_in_a_format_that_is_not_read_are_named_and_documents_left_alone(folder: Path) -> None:
    (folder / "notes.pdf").write_text("left alone")
    check_pixels(build(f"images:path={folder}"))
    (folder / "0009_a.eps").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n")
    (folder / "0009_b.eps").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 1 1\n")
    assert "0009_a.eps' is not a picture, or its format is not supported" in complaint(f"images:path={folder}")


def test_many_moving_pictures_are_one_note(tmp_path: Path) -> None:
    for name in ("0_a", "0_b", "1_a", "1_b"):
        frames = [Image.fromarray(pixels) for pixels in PIXELS[0]]
        frames[0].save(tmp_path / f"{name}.gif", save_all=True, append_images=frames[1:])
    with pytest.warns(CubeNote) as notes:
        build(f"images:path={tmp_path}").sample(None, RNG)
    assert len(notes) == 1
    assert str(notes[0].message).endswith("only the first is used … and 3 more")
