"""Pictures inside the page: PNGs and animations as data addresses, in their own size; the page enlarges them."""

from __future__ import annotations

import base64
import io
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cubespace.base.arrays import Bits, Images

FRAME_PIXELS = 86  # longer side of a frame on the page, about
ADDED, DELETED, KEPT, BLANK = np.array(
    [(47, 111, 222, 255), (224, 122, 40, 255), (128, 138, 155, 255), (128, 138, 155, 56)], dtype=np.uint8
)


@attrs.frozen(kw_only=True)
class Picture:
    """A picture for a page: its data address, the size to show it in, and a text for those who cannot see it."""

    source: str
    width: int
    height: int
    alt: str


def picture(pixels: NDArray[np.uint8], alt: str, side: int = FRAME_PIXELS) -> Picture:
    """Return one picture, grey, colour or with transparency."""
    return _shown(Image.fromarray(pixels), alt, side)


def animation(frames: Images, alt: str, side: int = FRAME_PIXELS, milliseconds: int = 600) -> Picture:
    """Return frames as an animated PNG that pauses at both ends."""
    first, *rest = [Image.fromarray(frame) for frame in frames]
    durations = [2 * milliseconds, *[milliseconds] * (len(rest) - 1), 3 * milliseconds][: len(frames)]
    return _shown(first, alt, side, save_all=True, append_images=rest, duration=durations, loop=0)


def barcode(now: Bits, before: Bits | None, alt: str) -> Picture:
    """Return the bits of a state as a small square: true bits filled, those just added or deleted in colour."""
    columns = int(np.ceil(np.sqrt(now.size)))
    cells = np.zeros((columns * columns, 4), dtype=np.uint8)
    cells[: now.size] = np.where(now[:, None], KEPT, BLANK)
    if before is not None:
        cells[: now.size][now & ~before] = ADDED
        cells[: now.size][before & ~now] = DELETED
    rows = int(np.ceil(now.size / columns))
    return picture(cells.reshape(columns, columns, 4)[:rows], alt, side=56)


def signed(values: NDArray[np.floating[Any]], alt: str, side: int = FRAME_PIXELS) -> Picture:
    """Return differences in [-1, 1] as colours on a transparent ground: blue for more, orange for less."""
    flat = values.mean(axis=-1) if values.ndim == 3 else values  # (height, width)
    strength = np.abs(flat) / max(float(np.abs(flat).max()), 1e-6)
    pixels = np.empty((*flat.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where((flat > 0)[..., None], ADDED[:3], DELETED[:3])
    pixels[..., 3] = (255 * strength).round().astype(np.uint8)
    return picture(pixels, alt, side)


def _shown(image: Image.Image, alt: str, side: int, **options: object) -> Picture:
    buffer = io.BytesIO()
    image.save(buffer, format="PNG", optimize=not options, **options)
    scale = side / max(image.size)
    if scale >= 1:
        scale = max(1, round(scale))  # whole pixels, so that nothing is smoothed away
    return Picture(
        source="data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode(),
        width=round(image.width * scale),
        height=round(image.height * scale),
        alt=alt,
    )
