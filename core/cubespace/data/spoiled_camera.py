"""Pictures as a camera takes them that moves and turns between any two, over a table, in a light that changes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from cubespace.base.arrays import Images
from cubespace.settings.spoiled_camera import CameraSpoiling

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

WHITE = 255
LENS = 0.5  # pixels, the standard deviation of what a lens makes of a point; a pixel sees an area besides
TEXTURE_SEED = 7  # the table is the same in all pictures, and in those of all seeds
COARSE, FINE = 3.0, 0.8  # pixels, the two sizes of the texture
TEXTURE_MEAN, TEXTURE_DEVIATION = 115.0, 32.0  # grey levels
WOOD = np.array([1.1, 0.95, 0.75])  # red, green and blue of it, relative to grey
CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])  # of a picture, (x, y) from its middle


def margin(spoiling: CameraSpoiling) -> int:
    """Return how many pixels of ground are seen on each side."""
    return 0 if spoiling.ground == "none" else spoiling.ground_width


def lay_down(images: Images, spoiling: CameraSpoiling) -> Images:
    """Return the pictures with the ground that they lie on around them; it is always the same."""
    width = margin(spoiling)
    if not width:
        return images
    height, breadth, *colours = images.shape[1:]
    ground = _ground((height + 2 * width, breadth + 2 * width, *colours), spoiling)
    laid = np.repeat(ground[None], len(images), axis=0)
    laid[:, width:-width, width:-width] = images
    return laid


def pick_up(images: Images, spoiling: CameraSpoiling) -> Images:
    """Return the pictures without the ground around them."""
    width = margin(spoiling)
    return np.ascontiguousarray(images[:, width:-width, width:-width]) if width else images


def _ground(shape: tuple[int, ...], spoiling: CameraSpoiling) -> Images:
    """Return an empty table, (height, width) or (height, width, 3)."""
    if spoiling.ground == "black":
        return np.zeros(shape, dtype=np.uint8)
    noise = np.random.default_rng(TEXTURE_SEED).standard_normal((2, *shape[:2]))
    layers = [gaussian_filter(layer, size) for layer, size in zip(noise, (COARSE, FINE), strict=True)]
    texture: Doubles = TEXTURE_MEAN + TEXTURE_DEVIATION * sum(layer / layer.std() for layer in layers) / math.sqrt(2)
    coloured = texture if len(shape) == 2 else texture[..., None] * WOOD
    return np.asarray(np.clip(np.rint(coloured), 0, WHITE), dtype=np.uint8)


def photograph(images: Images, spoiling: CameraSpoiling, rng: np.random.Generator) -> Images:
    """Return what a camera sees that moves between any two pictures, in the light of each."""
    if not spoiling.shaking and not spoiling.lit:
        return images
    seen = _seen(images, spoiling, rng) if spoiling.shaking else images.astype(np.float32)
    if spoiling.lit:
        seen = _lit(seen, spoiling, rng)
    return np.clip(np.rint(seen), 0, WHITE).astype(np.uint8)


def _seen(images: Images, spoiling: CameraSpoiling, rng: np.random.Generator) -> Floats:
    """Return pictures from points of view of their own.

    A pixel sees a square of its own size: of a scene that is drawn in such squares, that is what linear interpolation
    gives. What comes in from outside repeats the edge.
    """
    height, width = images.shape[1:3]
    sharp = gaussian_filter(images.astype(np.float32), (0, LENS, LENS) + (0,) * (images.ndim - 3), mode="nearest")
    views = _views(len(images), height, width, spoiling, rng)  # (pictures, 3, 3)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    rays = np.stack([x.ravel() - (width - 1) / 2, y.ravel() - (height - 1) / 2, np.ones(height * width)])
    spots = views @ rays  # (pictures, 3, pixels)
    column = np.clip(spots[:, 0] / spots[:, 2] + (width - 1) / 2, 0, width - 1)
    row = np.clip(spots[:, 1] / spots[:, 2] + (height - 1) / 2, 0, height - 1)
    return _interpolated(sharp.reshape(len(images), height * width, -1), row, column, (height, width)).reshape(
        images.shape
    )


def _interpolated(flat: Floats, row: Doubles, column: Doubles, size: tuple[int, int]) -> Floats:
    """Return pictures, given as (pictures, pixels, colours), at points between their pixels, linearly."""
    height, width = size
    top, left = (
        np.minimum(each.astype(np.intp), most - 2) for each, most in ((row, max(height, 2)), (column, max(width, 2)))
    )
    down, right = ((each - whole).astype(np.float32)[..., None] for each, whole in ((row, top), (column, left)))
    number, first = np.arange(len(flat))[:, None], top * width + left
    upper = flat[number, first] * (1 - right) + flat[number, first + 1] * right
    lower = flat[number, first + width] * (1 - right) + flat[number, first + width + 1] * right
    return np.asarray(upper * (1 - down) + lower * down, dtype=np.float32)


def _views(count: int, height: int, width: int, spoiling: CameraSpoiling, rng: np.random.Generator) -> Doubles:
    """Return the homography of each picture: from a pixel of it, counted from the middle, to the point that it shows.

    A homography is given by what it does to the four corners: they are turned, moved together and moved each by itself.
    """
    half = np.array([(width - 1) / 2, (height - 1) / 2])
    angle = np.radians(rng.uniform(-spoiling.turn, spoiling.turn, count))
    turned = np.stack([np.stack([np.cos(angle), -np.sin(angle)], 1), np.stack([np.sin(angle), np.cos(angle)], 1)], 1)
    corners = CORNERS * half
    seen = corners @ turned.transpose(0, 2, 1)  # (pictures, corners, 2)
    seen += rng.uniform(-spoiling.move, spoiling.move, (count, 1, 2))
    seen += rng.uniform(-spoiling.perspective, spoiling.perspective, (count, 4, 2))
    equations, target = np.zeros((count, 8, 8)), seen.reshape(count, 8)
    for number, (x, y) in enumerate(corners):
        u, v = seen[:, number, 0], seen[:, number, 1]
        equations[:, 2 * number, :3] = x, y, 1
        equations[:, 2 * number + 1, 3:6] = x, y, 1
        equations[:, 2 * number, 6:] = np.stack([-x * u, -y * u], 1)
        equations[:, 2 * number + 1, 6:] = np.stack([-x * v, -y * v], 1)
    solved = np.linalg.solve(equations, target[..., None])[..., 0]  # (pictures, 8)
    return np.concatenate([solved, np.ones((count, 1))], axis=1).reshape(count, 3, 3)


def _lit(seen: Floats, spoiling: CameraSpoiling, rng: np.random.Generator) -> Floats:
    """Return pictures in the light of each: gain times a slope in a random direction, and an offset."""
    count, height, width = seen.shape[:3]
    angle, strength = rng.uniform(0, 2 * np.pi, (count, 1, 1)), rng.uniform(0, spoiling.slope, (count, 1, 1))
    y, x = np.linspace(-1, 1, height)[:, None], np.linspace(-1, 1, width)
    light = 1 + strength * (np.cos(angle) * x + np.sin(angle) * y) / math.sqrt(2)  # (pictures, height, width)
    light = light * (1 + rng.uniform(-spoiling.gain, spoiling.gain, (count, 1, 1)))
    added = WHITE * rng.uniform(-spoiling.offset, spoiling.offset, (count, 1, 1))
    each = (count, height, width) + (1,) * (seen.ndim - 3)
    plus = added.reshape(count, 1, 1, *[1] * (seen.ndim - 3))
    return np.asarray(seen * light.reshape(each) + plus, dtype=np.float32)
