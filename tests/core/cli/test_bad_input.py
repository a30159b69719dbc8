"""Whatever the user gets wrong: one line that names it, the documented exit code, nothing left half-written."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image


def huge_png() -> bytes:
    """Return a well-formed PNG header that promises ten billion pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def files(tmp_path):
    """Pictures that cannot be used, and folders of pairs with something wrong."""
    (tmp_path / "empty.png").touch()
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "huge.png").write_bytes(huge_png())
    Image.new("L", (90, 90), 128).save(tmp_path / "plain.png")
    whole = (tmp_path / "plain.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    for folder, sizes in {"sizes": (8, 9), "alone": (8, None)}.items():
        (tmp_path / folder).mkdir()
        for side, size in zip("ab", sizes, strict=True):
            if size:
                pixels = np.arange(size * size, dtype=np.uint8).reshape(size, size)
                Image.fromarray(pixels).save(tmp_path / folder / f"0001_{side}.png")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "file").write_text("in the way")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["show", "mnits"], 2, "Did you mean 'mnist'?"),
        (["show", "mnist:siez=3"], 2, "'siez'"),
        (["show", "mnist:size=one"], 2, "size"),
        (["show", "mnist:size=1"], 2, "size: must be >= 2, not 1"),
        (["show", "mnist", "-n", "0"], 2, "--count"),
        (["show", "mnist", "--bogus"], 2, "--bogus"),
        (["shwo", "mnist"], 2, "shwo"),
        (["show"], 2, "DOMAIN"),
        (["show", "photo:image=absent.png"], 3, "absent.png"),
        (["show", "photo:image=empty.png"], 3, "empty.png"),
        (["show", "photo:image=text.png"], 3, "text.png"),
        (["show", "photo:image=cut.png"], 3, "cut.png"),
        (["show", "photo:image=huge.png"], 3, "huge.png"),
        (["show", "photo:image=plain.png"], 3, "0.000"),
        (["show", "images"], 2, "path"),
        (["show", "images:path=absent"], 3, "absent"),
        (["show", "images:path=nothing"], 3, "nothing"),
        (["show", "images:path=sizes"], 3, "0001"),
        (["show", "images:path=alone"], 3, "0001"),
        (["show", "mnist", "-o", "file/sheet.png"], 3, "file/sheet.png"),
        (["data", "mnist", "-n", "20", "-o", "file/data.npz"], 3, "file/data.npz"),
        (["data", "mnist", "-n", "2", "-o", "few.npz"], 2, "2 transitions"),
        (["new-plugin", "rooms", "--kind", "domain", "-o", "file/rooms"], 3, "file"),
        (["run", "--domain", "mnits"], 2, "Did you mean 'mnist'?"),
        (["run", "--planner", "fd-lmctu"], 2, "fd-lmcut"),
        (["run", "--apply", "blt"], 2, "Did you mean 'btl'?"),
        (["run", "--preset", "papr"], 2, "Did you mean 'paper'? Available: ama1, ama2, head, paper"),
        (["train", "--preset", "huge"], 2, "Available: ama1, ama2, head, paper"),
        (["run", "--set", "train.epoch=3"], 2, "epochs"),
        (["run", "--config", "absent.toml"], 3, "absent.toml"),
        (["run", "--config", "text.png"], 3, "text.png"),
        (["run", "-o", "nothing/../sizes"], 3, "sizes"),
        (["train", "absent"], 3, "absent"),
        (["extract", "nothing"], 3, "nothing"),
        (["evaluate", "nothing"], 3, "nothing"),
        (["diagnose", "nothing"], 3, "nothing"),
        (["plan", "plain.png", "plain.png", "--run", "nothing"], 3, "nothing"),
        (["train", "--device", "abacus"], 2, "abacus"),
        (["plan", "plain.png", "plain.png", "--run", "nothing", "--time-limit", "0"], 2, "--time-limit"),
        (["run", "--set", "train.batch=1"], 2, "train.batch: must be >= 2, not 1"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_one_line_and_the_right_exit_code(cube, files, arguments, code, named) -> None:
    before = sorted(files.rglob("*"))
    answer = cube(*arguments)
    assert answer.returncode == code, answer.stderr
    assert named in answer.stderr
    assert answer.stderr.startswith("cube: ")
    assert answer.stderr.count("\n") == 1, answer.stderr
    assert answer.stdout == ""
    assert sorted(files.rglob("*")) == before


def test_a_traceback_is_shown_on_request(cube) -> None:
    assert "Traceback" in cube("--debug", "show", "mnits").stderr


def test_every_bad_file_of_a_collection_is_named(cube, files) -> None:
    for number, source in enumerate(("empty.png", "text.png", "cut.png"), start=2):
        for side in "ab":
            (files / "alone" / f"000{number}_{side}.png").write_bytes((files / source).read_bytes())
    answer = cube("show", "images:path=alone")
    assert all(f"000{number}_" in answer.stderr for number in (1, 2, 3, 4))


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_pictures_that_are_not_there_leave_no_run_folder(cube, tmp_path, more) -> None:
    answer = cube("run", "--domain", "images:path=absent", "-o", "run", *more)
    assert answer.returncode == 3
    assert "'absent' does not exist: images:path=… names what to read" in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_contact_sheet_is_called_what_it_is(cube, tmp_path) -> None:
    answer = cube("show", "lightsout", "-o", "sheet.jpg")
    assert answer.returncode == 2
    assert "give it a name that ends in .png" in answer.stderr
    assert list(tmp_path.iterdir()) == []
