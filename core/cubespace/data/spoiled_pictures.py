"""Pictures as a changing light, a lens, bad pixels, a pointer on a screen and a file format leave them."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from cubespace.base.arrays import Images
from cubespace.settings.spoiled_pictures import PictureSpoiling

Floats = NDArray[np.float32]

WHITE, GREY = 255, 127.5
SHADOW = 0.25  # standard deviation of a shadow, as a fraction of the longer side of the picture


def spoil_scene(images: Images, spoiling: PictureSpoiling, rng: np.random.Generator) -> Images:
    """Return what a lens sees under a light that differs from picture to picture: what comes before the sensor."""
    if not spoiling.scene:
        return images
    pixels = images.astype(np.float32)
    each = (len(images), *[1] * (images.ndim - 1))
    if spoiling.gradient:
        pixels *= 1 - spoiling.gradient * _slopes(images, rng)
    if spoiling.shadow:
        pixels *= 1 - rng.uniform(0, spoiling.shadow, each).astype(np.float32) * _shadows(images, rng)
    if spoiling.gamma:
        most = np.log1p(spoiling.gamma)
        curve = np.exp(rng.uniform(-most, most, each)).astype(np.float32)
        pixels = (WHITE * (pixels / WHITE) ** curve).astype(np.float32)
    if spoiling.contrast:
        pixels = GREY + (pixels - GREY) * rng.uniform(1 - spoiling.contrast, 1, each).astype(np.float32)
    if spoiling.blur:
        for picture, sigma in zip(pixels, rng.uniform(0, spoiling.blur, len(images)), strict=True):
            picture[:] = gaussian_filter(picture, (sigma, sigma) + (0,) * (picture.ndim - 2))
    return _bytes(pixels)


def spoil_pixels(images: Images, spoiling: PictureSpoiling, rng: np.random.Generator) -> Images:
    """Return pictures with bad pixels, a pointer and the marks of compression: what comes after the sensor."""
    if not spoiling.pixels:
        return images
    images = images.copy()
    if spoiling.pepper:
        hit = rng.random(images.shape[:3]) < spoiling.pepper
        images[hit] = (WHITE * rng.integers(2, size=(int(hit.sum()), *[1] * (images.ndim - 3)))).astype(np.uint8)
    if spoiling.cursor:
        _point(images, spoiling.cursor, rng)
    return images if spoiling.jpeg is None else np.stack([_compressed(picture, spoiling.jpeg) for picture in images])


def _slopes(images: Images, rng: np.random.Generator) -> Floats:
    """Return for each picture a slope of random direction and strength, from 0 on one side to at most 1."""
    rows, columns = _coordinates(images)
    angle, strength = rng.uniform(0, 2 * np.pi, (len(images), 1, 1)), rng.random((len(images), 1, 1))
    along = rows * np.sin(angle) + columns * np.cos(angle)  # (pictures, height, width)
    along -= along.min((1, 2), keepdims=True)
    return _with_colours(strength * along / along.max((1, 2), keepdims=True), images)


def _shadows(images: Images, rng: np.random.Generator) -> Floats:
    """Return for each picture a soft round shadow around a random point, 1 in its middle."""
    rows, columns = _coordinates(images)
    row, column = (rng.uniform(0, side, (len(images), 1, 1)) for side in images.shape[1:3])
    radius = SHADOW * max(images.shape[1:3])
    return _with_colours(np.exp(-((rows - row) ** 2 + (columns - column) ** 2) / (2 * radius**2)), images)


def _coordinates(images: Images) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    height, width = images.shape[1:3]
    return np.arange(height, dtype=np.float64)[:, None], np.arange(width, dtype=np.float64)


def _with_colours(maps: NDArray[np.float64], images: Images) -> Floats:
    return maps.reshape(*maps.shape, *[1] * (images.ndim - 3)).astype(np.float32)


def _point(images: Images, size: int, rng: np.random.Generator) -> None:
    """Draw a pointer at a random place of each picture: a white triangle with a black edge, such as ◣."""
    height, width = images.shape[1:3]
    row, column = (rng.integers(max(1, side - size + 1), size=len(images)) for side in (height, width))
    for down, right in zip(*np.tril_indices(size), strict=True):
        y, x = np.minimum(row + down, height - 1), np.minimum(column + right, width - 1)
        images[np.arange(len(images)), y, x] = 0 if down == right else WHITE


def _compressed(picture: Images, quality: int) -> Images:
    """Return a picture after JPEG compression, in colour with all of its colour."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality, subsampling=0)
    return np.asarray(Image.open(file))


def _bytes(pixels: Floats) -> Images:
    return np.clip(np.rint(pixels), 0, WHITE).astype(np.uint8)
