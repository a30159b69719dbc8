"""Pictures with a name below each, on one sheet: a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from cubespace.base.images import GAP_GREY

CELL = 72  # pixels, the minimum width of a picture on the sheet
TEXT = 14  # pixels below each picture
SHEET = 900  # pixels, the width of a sheet
GAP = 8


def labelled_sheet(pictures: Sequence[NDArray[np.uint8]], names: Sequence[str]) -> NDArray[np.uint8]:
    """Lay out pictures, grey or colour and of any size, in rows with their names below them."""
    tiles = [_enlarged(picture) for picture in pictures]
    width = max((tile.width for tile in tiles), default=CELL) + GAP
    height = max((tile.height for tile in tiles), default=CELL) + TEXT + GAP
    columns = max(1, min(len(tiles), SHEET // width))
    rows = max(1, math.ceil(len(tiles) / columns))
    sheet = Image.new("RGB", (columns * width + GAP, rows * height + GAP), "white")
    pen = ImageDraw.Draw(sheet)
    for number, (tile, name) in enumerate(zip(tiles, names, strict=True)):
        left, top = GAP + number % columns * width, GAP + number // columns * height
        sheet.paste(tile, (left, top))
        pen.rectangle((left - 1, top - 1, left + tile.width, top + tile.height), outline=(GAP_GREY,) * 3)
        pen.text((left, top + tile.height + 1), name, fill="black")
    return np.asarray(sheet)


def _enlarged(picture: NDArray[np.uint8]) -> Image.Image:
    """Return a picture enlarged by whole pixels to at least the width of a cell."""
    image = Image.fromarray(picture).convert("RGB")
    scale = max(1, math.ceil(CELL / image.width))
    return image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
