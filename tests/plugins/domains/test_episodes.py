"""Films: frames in order, as files or video; what stays the same is dropped, what follows what is a pair."""

from __future__ import annotations

import weakref
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cubespace.base.errors import InputError, UsageError
from cubespace.data import transitions
from cubespace.data.domain import Domain
from cubespace.plugins.catalogue import load_plugins
from cubespace_domains import videos
from cubespace_domains.episodes import usual_still


def film(cells: list[int], side: int = 8) -> np.ndarray:
    """Return frames of a lamp that is in one of four corners, or none."""
    frames = np.full((len(cells), 2 * side, 2 * side), 20, dtype=np.uint8)
    for frame, cell in zip(frames, cells, strict=True):
        row, column = divmod(cell, 2)
        frame[side * row : side * row + side, side * column : side * column + side] = 220
    return frames


def write(folder: Path, frames: np.ndarray) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, frame in enumerate(frames):
        Image.fromarray(frame).save(folder / f"frame{number}.png")


def build(spec: str) -> Domain:
    domain = load_plugins().create("domain", spec)
    assert isinstance(domain, Domain)
    return domain


def lamps(images: np.ndarray) -> list[int]:
    grey = images if images.ndim == 3 else images.mean(3)
    quarters = grey.reshape(len(images), 2, images.shape[1] // 2, 2, images.shape[2] // 2)
    return quarters.mean((2, 4)).reshape(len(images), 4).argmax(1).tolist()


def test_frames_of_a_folder_come_in_the_order_of_their_numbers_and_repeats_are_dropped(tmp_path: Path) -> None:
    cells = [0, 0, 1, 1, 1, 3, 2, 2, 0, 1, 3, 2, 2]  # frame 10 comes after frame 9
    write(tmp_path, film(cells))
    pairs = build(f"images:frames={tmp_path}").sample(None, np.random.default_rng(0))
    assert list(zip(lamps(pairs.before), lamps(pairs.after), strict=True)) == [
        (0, 1), (1, 3), (3, 2), (2, 0), (0, 1), (1, 3), (3, 2),
    ]  # fmt: skip


def test_no_pair_goes_from_one_episode_to_the_next(tmp_path: Path) -> None:
    write(tmp_path / "one", film([0, 1, 3]))
    write(tmp_path / "two", film([2, 0]))
    pairs = build(f"images:frames={tmp_path}").sample(None, np.random.default_rng(0))
    assert lamps(pairs.before) == [0, 1, 2]
    assert pairs.episodes is not None
    assert pairs.episodes.tolist() == [0, 0, 1]


def test_noise_between_frames_is_no_change(tmp_path: Path) -> None:
    frames = film([0, 0, 0, 1, 1, 3, 3, 3]).astype(float)
    noisy = np.clip(frames + np.random.default_rng(0).normal(0, 4, frames.shape), 0, 255).astype(np.uint8)
    write(tmp_path, noisy)
    assert len(build(f"images:frames={tmp_path}").sample(None, np.random.default_rng(0))) == 2
    assert len(build(f"images:frames={tmp_path},still=0").sample(None, np.random.default_rng(0))) == 7


def test_what_is_still_is_told_by_the_largest_gap() -> None:
    assert usual_still(np.array([0.0, 2, 3, 2, 90, 80, 85])) == 3
    assert usual_still(np.array([80.0, 85, 90])) == 0
    assert usual_still(np.zeros(3)) == 1


def test_whole_episodes_are_held_out(tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path / str(number), film([0, 1, 3, 2, 0, 1]))
    made = transitions.make(build(f"images:frames={tmp_path}"), "film", None, 0)
    assert [len(part) for part in (made.train, made.validation, made.test)] == [90, 5, 5]
    parts = [set(part.episodes.tolist()) for part in (made.train, made.validation, made.test)]
    assert not parts[0] & parts[1]
    assert not (parts[0] | parts[1]) & parts[2]
    made.save(tmp_path / "data.npz")
    assert transitions.load(tmp_path / "data.npz").sizes == made.sizes


def test_one_long_film_is_held_out_piece_by_piece(tmp_path: Path) -> None:
    write(tmp_path, film([0, 1, 3, 2] * 30))
    made = transitions.make(build(f"images:frames={tmp_path}"), "film", None, 0)
    assert len(made.train) + len(made.validation) + len(made.test) == 119
    assert 5 <= len(made.test) <= 12


@pytest.mark.parametrize("grey", [True, False])
def test_a_video_is_a_film(tmp_path: Path, grey: bool) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="the extra [video] is not installed")
    import imageio.v3 as video

    cells = [0, 1, 3, 2, 0, 2, 3]
    frames = film(cells, side=16).repeat(5, axis=0)[..., None].repeat(3, axis=3)
    if not grey:
        frames[..., 2] = 128
    video.imwrite(tmp_path / "film.mp4", frames, plugin="FFMPEG", fps=10, macro_block_size=16)
    pairs = build(f"images:video={tmp_path / 'film.mp4'}").sample(None, np.random.default_rng(0))
    assert lamps(pairs.before) == cells[:-1]
    assert lamps(pairs.after) == cells[1:]
    assert (pairs.before.ndim == 3) == grey


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ("", UsageError, "needs one of path=PATH, frames=FOLDER and video=FILE"),
        (":frames={0},video={0}", UsageError, "needs one of"),
        (":frames={0}/nowhere", InputError, "not a folder"),
        (":frames={0}/empty", InputError, "has no frames"),
        (":frames={0}/same", InputError, "nothing changes"),
        (":frames={0}/sizes", InputError, "not all of one size"),
    ],
)
def test_what_is_no_film_is_refused(tmp_path: Path, options: str, error: type[Exception], words: str) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "same", film([1, 1, 1]))
    write(tmp_path / "sizes", film([1, 2]))
    Image.new("L", (5, 5)).save(tmp_path / "sizes" / "odd.png")
    with pytest.raises(error, match=words):
        _ = build(f"images{options.format(tmp_path)}").image_shape


def test_a_file_that_is_no_video_is_said_so(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="the extra [video] is not installed")
    (tmp_path / "film.mp4").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"film\.mp4' cannot be read"):
        _ = build(f"images:video={tmp_path / 'film.mp4'}").image_shape


def video_of(path: Path, frames: np.ndarray) -> Path:
    """Write frames, grey, as a video."""
    pytest.importorskip("imageio_ffmpeg", reason="the extra [video] is not installed")
    import imageio.v3 as video

    video.imwrite(path, frames[..., None].repeat(3, axis=3), plugin="FFMPEG", fps=10, macro_block_size=16)
    return path


def test_a_video_is_never_held_in_memory(tmp_path: Path, monkeypatch) -> None:
    path = video_of(tmp_path / "film.mp4", film([0, 1, 3, 2], side=16).repeat(50, axis=0))
    held, most = Counter(), 0

    def converted(*given: Any) -> np.ndarray:
        nonlocal most
        frame = original(*given).copy()
        weakref.finalize(frame, held.subtract, ["frames"])
        held.update(["frames"])
        most = max(most, held["frames"])
        return frame

    original = videos.converted
    monkeypatch.setattr(videos, "converted", converted)
    domain = build(f"images:video={path}")
    assert lamps(domain.sample(None, np.random.default_rng(0)).before) == [0, 1, 3]
    assert most < 10, "of 200 frames"


def test_what_would_fill_the_memory_is_refused_with_the_way_out(tmp_path: Path, monkeypatch) -> None:
    path = video_of(tmp_path / "film.mp4", film([0, 1, 3, 2], side=16))
    monkeypatch.setattr("cubespace_domains.episodes.MOST_BYTES", 4 * 32 * 32 - 1)
    with pytest.raises(InputError, match=r"4 different frames of 32x32 pixels .* use resize=HEIGHTxWIDTH"):
        _ = build(f"images:video={path}").image_shape
    assert build(f"images:video={path},resize=16x16").image_shape == (16, 16)
    monkeypatch.setattr(videos, "MOST_PIXELS", 3 * 32 * 32)
    with pytest.raises(InputError, match=r"film\.mp4' is too long"):
        _ = build(f"images:video={path}").image_shape


@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile ok.mp4\n",
        "ffconcat version 1.0\nfile ok.mp4\n#\0\1\2",
        "#EXTM3U\n#EXTINF:1,\nok.mp4\n",
        "\ufeff<MPD><BaseURL>ok.mp4</BaseURL></MPD>",
    ],
)
def test_a_text_that_names_other_videos_is_not_played(tmp_path: Path, text: str) -> None:
    video_of(tmp_path / "ok.mp4", film([0, 1, 3, 2], side=16))
    (tmp_path / "list.mp4").write_text(text)
    with pytest.raises(InputError, match=r"list\.mp4' cannot be read: it is a text"):
        _ = build(f"images:video={tmp_path / 'list.mp4'}").image_shape


def test_digits_that_are_no_numbers_are_part_of_a_name(tmp_path: Path) -> None:
    for name, frame in zip(("²1.png", "x٣.png", "2.png"), film([0, 1, 3]), strict=True):
        Image.fromarray(frame).save(tmp_path / name)
    assert len(build(f"images:frames={tmp_path}").sample(None, np.random.default_rng(0))) == 2
