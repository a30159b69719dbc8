"""Films: frames in the order in which they were taken, as picture files or as video; successive frames form pairs."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.arrays import Images, Indices
from cubespace.base.errors import InputError, UsageError
from cubespace.base.images import Colour, read_picture
from cubespace_domains.pair_files import Size, converted, in_colour

INSTALL = "pip install 'cubespace[video]'"
BLOCK = 4  # pixels along a side: changes are measured in blocks, so that a small object counts as much as a large one
CLEAR = 3.0  # factor by which changes exceed the differences between frames that show the same
LEVEL = 1.0  # of 255: the difference that rounding may cause


@attrs.frozen(eq=False)
class Film:
    """The frames of one episode."""

    name: str
    frames: Images


def read_folder(folder: Path, colour: Colour, size: Size | None) -> list[Film]:
    """Read the pictures of a folder in the order of their names, or of each of its sub-folders as an episode."""
    if not folder.is_dir():
        raise InputError(f"'{folder}' is not a folder of frames")
    folders = sorted((each for each in folder.iterdir() if each.is_dir()), key=_natural)
    films = [_read_pictures(each, colour, size) for each in (folders or [folder])]
    return _alike([film for film in films if len(film.frames)], folder)


def read_videos(path: Path, colour: Colour, size: Size | None) -> list[Film]:
    """Read a video file, or each file of a folder as an episode."""
    if not path.exists():
        raise InputError(f"there is no video '{path}'")
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise UsageError(f"videos need the package imageio-ffmpeg: {INSTALL}")
    files = sorted((file for file in path.iterdir() if file.is_file()), key=_natural) if path.is_dir() else [path]
    return _alike([Film(file.name, _read_video(file, colour, size)) for file in files], path)


def pairs_of(films: list[Film], still: float | None) -> tuple[Images, Indices]:
    """Return the pictures before and after each change, alternating, and the episode of each pair.

    Frames that show the same are one picture, the last of them: a video is sharpest there. They differ by at most
    ``still``, of 1, in any block; if it is None, the limit is estimated from the films.
    """
    changes = [_changes(film.frames) for film in films]
    limit = usual_still(np.concatenate(changes)) if still is None else 255 * still
    pictures, episodes = [], []
    for number, (film, change) in enumerate(zip(films, changes, strict=True)):
        last = np.flatnonzero(np.append(change > limit, True))  # the last of the frames that show the same
        pictures.append(film.frames[np.stack([last[:-1], last[1:]], axis=1).ravel()])
        episodes.append(np.full(len(last) - 1, number))
    together = np.concatenate(pictures)
    if not len(together):
        raise InputError("nothing changes from one frame to the next: there are no pairs to learn from")
    return together, np.concatenate(episodes)


def usual_still(changes: NDArray[np.float64]) -> float:
    """Return the largest change, in levels of 255, between frames that show the same.

    It lies below the largest ratio of successive changes, if that is clear; otherwise only equal frames are the same.

    Worked example: changes 0, 2, 3, 2, 90, 80 and 85. Between 3 and 80 is the clearest gap: 3 is still the same.
    """
    line = np.sort(changes)
    if not len(line) or line[-1] <= LEVEL:
        return LEVEL
    ratio = (line[1:] + LEVEL) / (line[:-1] + LEVEL)
    if not len(ratio) or ratio.max() < CLEAR:
        return 0.0
    return float(line[int(ratio.argmax())])


def _changes(frames: Images) -> NDArray[np.float64]:
    """Return how much each frame differs from the one before, (frames - 1,): in the block that differs most."""
    return np.array([_change(*frames[number : number + 2]) for number in range(len(frames) - 1)], dtype=np.float64)


def _change(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    apart = np.abs(one.astype(np.float64) - other)
    apart = apart if apart.ndim == 2 else apart.max(2)
    height, width = (-(-side // BLOCK) * BLOCK for side in apart.shape)
    padded = np.pad(apart, [(0, height - apart.shape[0]), (0, width - apart.shape[1])], mode="edge")
    return float(padded.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).mean((1, 3)).max())


def _read_pictures(folder: Path, colour: Colour, size: Size | None) -> Film:
    known = set(Image.registered_extensions())
    files = sorted((file for file in folder.iterdir() if file.suffix.lower() in known), key=_natural)
    pictures = [read_picture(file, colour, size) for file in files if not file.name.startswith(".")]
    if any(picture.ndim == 3 for picture in pictures):  # if one is in colour, all are
        pictures = [in_colour(picture) for picture in pictures]
    shapes = {picture.shape[:2] for picture in pictures}
    if len(shapes) > 1:
        raise InputError(f"the frames of '{folder}' are not all of one size: scale them with resize=HEIGHTxWIDTH")
    return Film(folder.name, np.stack(pictures) if pictures else np.zeros((0, 1, 1), dtype=np.uint8))


def _read_video(file: Path, colour: Colour, size: Size | None) -> Images:
    try:
        frames = [converted(frame, "rgb", size) for frame in _video_frames(file)]
    except Exception as error:  # decoders may raise anything
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"video '{file}' cannot be read: {first}") from error
    if not frames:
        raise InputError(f"video '{file}' has no frames")
    film = np.stack(frames)
    grey = colour == "grey" or (colour == "auto" and (film.max(3) - film.min(3)).max() <= LEVEL)
    return np.stack([converted(frame, "grey", None) for frame in film]) if grey else film


def _video_frames(file: Path) -> Iterator[NDArray[np.uint8]]:
    import imageio.v3 as video  # noqa: PLC0415 - needed only to read videos

    yield from video.imiter(file, plugin="FFMPEG")


def _alike(films: list[Film], source: Path) -> list[Film]:
    """Return films that are all grey or all in colour, of one size."""
    if not films:
        raise InputError(f"'{source}' has no frames")
    if any(film.frames.ndim == 4 for film in films):
        films = [attrs.evolve(film, frames=np.stack([in_colour(frame) for frame in film.frames])) for film in films]
    shape = films[0].frames.shape[1:]
    odd = [film.name for film in films if film.frames.shape[1:] != shape]
    if odd:
        raise InputError(f"'{odd[0]}' has frames of another size than '{films[0].name}': use resize=HEIGHTxWIDTH")
    return films


def _natural(path: Path) -> list[tuple[int, int | str]]:
    """Return a key by which frame 9 comes before frame 10."""
    parts = re.findall(r"\d+|\D+", path.name)
    return [(0, int(part)) if part.isdigit() else (1, part) for part in parts]
