"""Videos as films: decoded frame by frame, twice. First for what changes, then for the frames that are kept.

So a video takes the memory of the pictures that come of it, however long it is.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.arrays import Images, Indices
from cubespace.base.errors import InputError, UsageError
from cubespace.base.images import Colour
from cubespace_domains.episodes import LEVEL, Film, change, natural
from cubespace_domains.pair_files import Size, converted, files_of

INSTALL = "pip install 'cubespace[video]'"
HEAD = 4096  # bytes at the beginning of a file, by which texts are recognised
TEXTS = (b"ffconcat", b"#EXTM3U", b"<", b"v=0", b"[")  # beginnings of lists that name other files
BLANK = b" \t\r\n\f\v\xef\xbb\xbf"
MOST_PIXELS = 10**12  # of all frames of a video: ten hours of 720p; to decode more takes hours


def read_videos(path: Path, colour: Colour, size: Size | None) -> list[Film]:
    """Read a video file, or each file of a folder as an episode."""
    if not path.exists():
        raise InputError(f"there is no video '{path}'")
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise UsageError(f"videos need the package imageio-ffmpeg: {INSTALL}")
    files = sorted(files_of(path), key=natural) if path.is_dir() else [path]
    return [_film(file, colour, size) for file in files]


def _film(file: Path, colour: Colour, size: Size | None) -> Film:
    """Look at all frames of a video, two at a time."""
    _refuse_text(file)
    shape, tint, coloured, grey = (0, 0), 0, list[float](), list[float]()
    previous: list[NDArray[np.uint8]] = []  # the last frame, in colour and in grey
    for frame in _frames(file, size):
        now = [frame, converted(frame, "grey", None)]
        if previous:
            coloured.append(change(previous[0], now[0]))
            grey.append(change(previous[1], now[1]))
        tint = max(tint, int((frame.max(2) - frame.min(2)).max()))
        previous, shape = now, (frame.shape[0], frame.shape[1])
    if not previous:
        raise InputError(f"video '{file}' has no frames")
    is_grey = colour == "grey" or (colour == "auto" and tint <= LEVEL)
    return Film(
        name=file.name,
        shape=shape,
        coloured=not is_grey,
        changes=np.array(grey if is_grey else coloured, dtype=np.float64),
        take=partial(_take, file, size, "grey" if is_grey else "rgb"),
    )


def _take(file: Path, size: Size | None, colour: Colour, numbers: Indices) -> Images:
    """Return some frames of a video, by their numbers in ascending order."""
    wanted = set(numbers.tolist())
    kept = [converted(frame, colour, None) for number, frame in enumerate(_frames(file, size)) if number in wanted]
    if len(kept) != len(wanted):
        raise InputError(f"video '{file}' has changed while it was read")
    return np.stack(kept)


def _frames(file: Path, size: Size | None) -> Iterator[NDArray[np.uint8]]:
    """Yield the frames in colour, scaled to ``size``; what a decoder raises is reported with the file."""
    pixels = 0
    try:
        for frame in _decoded(file):
            pixels += frame.shape[0] * frame.shape[1]
            if frame.shape[0] * frame.shape[1] > (Image.MAX_IMAGE_PIXELS or MOST_PIXELS):
                raise InputError(
                    f"video '{file}' is too large: {frame.shape[0]}x{frame.shape[1]} pixels; scale it down"
                )
            if pixels > MOST_PIXELS:
                raise InputError(f"video '{file}' is too long: more than {MOST_PIXELS:.0e} pixels; cut or scale it")
            yield converted(frame, "rgb", size)
    except InputError:
        raise
    except Exception as error:  # decoders may raise anything
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"video '{file}' cannot be read: {first}") from error


def _decoded(file: Path) -> Iterator[NDArray[np.uint8]]:
    import imageio.v3 as video  # noqa: PLC0415 - needed only to read videos

    yield from video.imiter(file, plugin="FFMPEG")


def _refuse_text(file: Path) -> None:
    """Raise if a file is a text: decoders take some for lists, and read the files that they name."""
    try:
        with file.open("rb") as opened:
            head = opened.read(HEAD)
    except OSError as error:
        raise InputError(f"video '{file}' cannot be read: {error.strerror or error}") from error
    is_text = not any(byte < ord(" ") and byte not in BLANK for byte in head)
    if is_text or head.lstrip(BLANK).startswith(TEXTS):
        raise InputError(f"video '{file}' cannot be read: it is a text, and a text may name other files to play")
