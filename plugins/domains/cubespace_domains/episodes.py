"""Films: frames in the order in which they were taken, as picture files or as video; successive frames form pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.arrays import Images, Indices
from cubespace.base.errors import InputError
from cubespace.base.images import Colour, read_picture
from cubespace.data.domain import Pairs
from cubespace_domains.pair_files import Size, in_colour

BLOCK = 4  # pixels along a side: changes are measured in blocks, so that a small object counts as much as a large one
CLEAR = 3.0  # factor by which changes exceed the differences between frames that show the same
LEVEL = 1.0  # of 255: the difference that rounding may cause
MOST_BYTES = 1 << 31  # of the frames that are kept, which are learned from in memory


@attrs.frozen(eq=False, kw_only=True)
class Film:
    """The frames of one episode, which need not be in memory."""

    name: str
    shape: tuple[int, int]  # height and width
    coloured: bool
    changes: NDArray[np.float64]  # of each frame from the one before, (frames - 1,)
    take: Callable[[Indices], Images]  # returns frames by their numbers, in ascending order

    def size(self, frames: int, coloured: bool) -> int:
        """Return the size in bytes of this many frames."""
        return frames * self.shape[0] * self.shape[1] * (3 if coloured else 1)


def read_folder(folder: Path, colour: Colour, size: Size | None) -> list[Film]:
    """Read the pictures of a folder in the order of their names, or of each of its sub-folders as an episode."""
    if not folder.is_dir():
        raise InputError(f"'{folder}' is not a folder of frames")
    folders = sorted((each for each in folder.iterdir() if each.is_dir()), key=natural)
    films = [_read_pictures(each, colour, size) for each in (folders or [folder])]
    return [film for film in films if film is not None]


def pairs_of(films: Sequence[Film], still: float | None, source: Path) -> Pairs:
    """Return the pictures before and after each change, and the episode of each pair.

    Frames that show the same are one picture, the last of them: a video is sharpest there. They differ by at most
    ``still``, of 1, in any block; if it is None, the limit is estimated from the films.
    """
    _refuse_unlike(films, source)
    limit = usual_still(np.concatenate([film.changes for film in films])) if still is None else 255 * still
    kept = [np.flatnonzero(np.append(film.changes > limit, True)) for film in films]  # the last that show the same
    coloured = any(film.coloured for film in films)  # if one is in colour, all are
    _refuse_large(films, [len(numbers) for numbers in kept], coloured)
    before, after, episodes = [], [], []
    for number, (film, last) in enumerate(zip(films, kept, strict=True)):
        if len(last) < 2:  # nothing changes
            continue
        shown = film.take(last)
        shown = np.stack([in_colour(frame) for frame in shown]) if coloured else shown
        before.append(shown[:-1])
        after.append(shown[1:])
        episodes.append(np.full(len(shown) - 1, number))
    if not episodes:
        raise InputError("nothing changes from one frame to the next: there are no pairs to learn from")
    return Pairs(np.concatenate(before), np.concatenate(after), episodes=np.concatenate(episodes))


def usual_still(changes: NDArray[np.float64]) -> float:
    """Return the largest change, in levels of 255, between frames that show the same scene.

    It lies below the largest ratio of successive changes, if that gap is clear; otherwise only equal frames show the
    same.

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
    return np.array([change(*frames[number : number + 2]) for number in range(len(frames) - 1)], dtype=np.float64)


def change(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Return how much two frames differ, in the block that differs most."""
    apart = np.abs(one.astype(np.float64) - other)
    apart = apart if apart.ndim == 2 else apart.max(2)
    height, width = (-(-side // BLOCK) * BLOCK for side in apart.shape)
    padded = np.pad(apart, [(0, height - apart.shape[0]), (0, width - apart.shape[1])], mode="edge")
    return float(padded.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).mean((1, 3)).max())


def _read_pictures(folder: Path, colour: Colour, size: Size | None) -> Film | None:
    """Return the pictures of a folder as a film; None if there are none."""
    known = set(Image.registered_extensions())
    files = sorted((file for file in folder.iterdir() if file.suffix.lower() in known), key=natural)
    pictures = [read_picture(file, colour, size) for file in files if not file.name.startswith(".")]
    if not pictures:
        return None
    coloured = any(picture.ndim == 3 for picture in pictures)  # if one is in colour, all are
    pictures = [in_colour(picture) for picture in pictures] if coloured else pictures
    shapes = {(picture.shape[0], picture.shape[1]) for picture in pictures}
    if len(shapes) > 1:
        raise InputError(f"the frames of '{folder}' are not all of one size: scale them with resize=HEIGHTxWIDTH")
    frames = np.stack(pictures)
    return Film(
        name=folder.name,
        shape=shapes.pop(),
        coloured=coloured,
        changes=_changes(frames),
        take=lambda numbers: np.asarray(frames[numbers]),
    )


def _refuse_unlike(films: Sequence[Film], source: Path) -> None:
    """Raise unless there are films, all of one size."""
    if not films:
        raise InputError(f"'{source}' has no frames")
    odd = [film.name for film in films if film.shape != films[0].shape]
    if odd:
        raise InputError(f"'{odd[0]}' has frames of another size than '{films[0].name}': use resize=HEIGHTxWIDTH")


def _refuse_large(films: Sequence[Film], frames: Sequence[int], coloured: bool) -> None:
    """Raise if the frames that would be kept fill the memory."""
    size = sum(film.size(count, coloured) for film, count in zip(films, frames, strict=True))
    if size > MOST_BYTES:
        shape = "x".join(map(str, films[0].shape))
        raise InputError(
            f"{sum(frames):,} different frames of {shape} pixels would take {size >> 20:,} MB, at most "
            f"{MOST_BYTES >> 20:,} are allowed: use resize=HEIGHTxWIDTH, or say with still= what shows the same"
        )


def natural(path: Path) -> list[tuple[int, int | str]]:
    """Return a key by which frame 9 comes before frame 10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", path.name)
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]
