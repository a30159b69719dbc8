"""Picture files: read defensively, written whole, and laid out on contact sheets."""

from __future__ import annotations

import io
import math
import warnings
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from cubespace.base.arrays import Images
from cubespace.base.errors import CubeNote, InputError
from cubespace.base.files import replacing

Colour = Literal["auto", "grey", "rgb"]

# The formats that are read, whatever the file is called: those that hold only pixels. PostScript, for example, would
# start a program.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM", "XPM")
PAGED = ("GIF", "PNG", "TIFF", "WEBP")  # those in which a second picture is more than a thumbnail
SIXTEEN_BITS = ("PNG", "PPM")  # formats whose mode I has 16 bits, not 32
LEAST_BRIGHTEST = 16  # of 255, of a picture with 16 bits: with less, it was not meant for the whole range

SHEET_WIDTH = 1200  # pixels; a contact sheet is enlarged to about this width
MAX_ENLARGEMENT = 8
GOLDEN = 0.618034  # of the colour circle, from one region to the next: neighbours differ
GAP_GREY = 96  # between pictures: neither black nor white


def open_picture(source: Path | bytes) -> Image.Image:
    """Read a picture, from a file or from the bytes of one: whole, upright and without transparency.

    Its mode is ``L`` or ``RGB``. Of an animation or a file with several pages, the first frame is taken, with a
    :class:`CubeNote`.
    """
    if isinstance(source, bytes):
        what, name = "this", "the picture"
    else:
        what, name = f"'{source}'", f"picture '{source}'"
        _refuse_no_file(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source, formats=FORMATS) as image:
                moves = image.format in PAGED and getattr(image, "is_animated", False)
                deep = ";16" in str(image.tile)  # known only before the pixels are unpacked
                image.load()
                plain = _plain(ImageOps.exif_transpose(image), deep)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        limit = (Image.MAX_IMAGE_PIXELS or 0) // 10**6
        raise InputError(f"{name} is too large: more than {limit} million pixels; scale it down") from None
    except UnidentifiedImageError:
        raise InputError(f"{what} is not a picture, or its format is not supported: save it as PNG") from None
    except Exception as error:  # decoders may raise anything on damaged files
        raise InputError(f"{name} cannot be read: {error}") from error
    if moves:
        warnings.warn(f"{name} has several frames: only the first is used", CubeNote, stacklevel=2)
    return plain


def read_picture(
    source: Path | bytes, colour: Colour = "auto", size: tuple[int, int] | None = None
) -> NDArray[np.uint8]:
    """Read a picture as ``(height, width)`` or ``(height, width, 3)``, scaled to ``size = (height, width)`` if given.

    With ``auto``, a picture whose colours are all grey comes back as grey.
    """
    image = open_picture(source)
    if size is not None:
        image = image.resize((size[1], size[0]), Image.Resampling.LANCZOS)
    if colour != "auto":
        return np.asarray(image.convert("L" if colour == "grey" else "RGB"))
    pixels = np.asarray(image)
    grey = pixels.ndim == 2 or (pixels == pixels[..., :1]).all()
    return pixels if pixels.ndim == 2 or not grey else pixels[..., 0]


def resized(pixels: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a picture scaled to ``size = (height, width)``."""
    return np.asarray(Image.fromarray(pixels).resize((size[1], size[0]), Image.Resampling.LANCZOS))


def write_png(path: Path, picture: NDArray[np.uint8]) -> None:
    """Write one picture, grey or colour; the file appears whole or not at all."""
    image = Image.fromarray(picture)
    with replacing(path) as file:
        image.save(file, format="PNG")


def side_by_side(before: Images, after: Images, gap: int = 1) -> Images:
    """Join each picture to its partner on the right, with a narrow gap."""
    between = np.full((*before.shape[:2], gap, *before.shape[3:]), GAP_GREY, dtype=np.uint8)
    return np.concatenate([before, between, after], axis=2)  # (batch, height, 2 width + gap, …)


def region_picture(regions: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return a picture of regions, (height, width), each in a colour of its own; -1 is dark, -2 hatched."""
    hue = (regions * GOLDEN) % 1.0
    light = np.where(regions % 2 == 0, 1.0, 0.78)
    wheel = (hue[..., None] + np.array([0.0, 2 / 3, 1 / 3])) % 1.0
    colour = np.clip(np.abs(wheel * 6 - 3) - 1, 0, 1) * 0.7 + 0.3  # (height, width, 3)
    shown = np.where(regions[..., None] >= 0, colour * light[..., None], 0.12)
    rows, columns = np.indices(regions.shape)
    hatched = (regions == -2) & ((rows + columns) % 2 == 0)
    return np.asarray(np.where(hatched[..., None], 0.6, shown) * 255, dtype=np.uint8)


def contact_sheet(
    images: Images, columns: int | None = None, scale: int | None = None, gap: int = 3
) -> NDArray[np.uint8]:
    """Lay pictures out in rows on one sheet, enlarged by whole pixels so that a person can see them."""
    count, height, width = images.shape[:3]
    if columns is None:  # about square
        columns = max(1, min(count, round(math.sqrt(count * (height + gap) / (width + gap)))))
    rows = max(1, math.ceil(count / columns))
    cells = np.full((rows * columns, height + gap, width + gap, *images.shape[3:]), GAP_GREY, dtype=np.uint8)
    cells[:count, gap:, gap:] = images
    sheet = cells.reshape(rows, columns, *cells.shape[1:]).swapaxes(1, 2)
    sheet = sheet.reshape(rows * (height + gap), columns * (width + gap), *images.shape[3:])
    sheet = np.pad(sheet, [(0, gap), (0, gap)] + [(0, 0)] * (sheet.ndim - 2), constant_values=GAP_GREY)
    if scale is None:
        scale = min(MAX_ENLARGEMENT, max(1, SHEET_WIDTH // sheet.shape[1]))
    return sheet.repeat(scale, axis=0).repeat(scale, axis=1)


def _refuse_no_file(path: Path) -> None:
    """Raise if there is no file to read."""
    try:
        if not path.exists():
            raise InputError(f"there is no picture '{path}'")
        if not path.is_file():
            raise InputError(f"'{path}' is not a file")
        if path.stat().st_size == 0:
            raise InputError(f"picture '{path}' is empty (0 bytes)")
    except (OSError, ValueError) as error:  # a name that is too long, or has a zero byte
        raise InputError(f"picture '{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _plain(image: Image.Image, deep: bool) -> Image.Image:
    """Return the picture in mode ``L`` or ``RGB``, on white where it is transparent.

    A picture with 16 bits (``deep``) is assumed to use their whole range. One that does not, or one of 32 bits, whose
    range is unknown, is refused: it would come out nearly black.
    """
    if image.mode == "F" or (image.mode == "I" and image.format not in SIXTEEN_BITS):
        raise ValueError("its pixels have 32 bits, and their intended brightness is not known; save it with 8")
    if image.mode.startswith("I"):  # 16 bits of grey, which convert("L") would clip
        wide = np.asarray(image)
        _refuse_dark(wide // 257, bool(np.ptp(wide)))
        return Image.fromarray(np.clip(wide // 257, 0, 255).astype(np.uint8))
    if deep:
        bands = np.asarray(image.convert("RGB"))
        _refuse_dark(bands, bool(np.ptp(bands)))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("L" if image.mode in ("1", "L") else "RGB")


def _refuse_dark(pixels: NDArray[np.generic], shows_something: bool) -> None:
    brightest = int(np.max(pixels))  # of 255
    if shows_something and brightest < LEAST_BRIGHTEST:
        raise ValueError(
            f"it uses only the darkest {(brightest + 1) / 256:.0%} of its 16 bits; save it with 8 bits, "
            "or with values up to 65,535"
        )
