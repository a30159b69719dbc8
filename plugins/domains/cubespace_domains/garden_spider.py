"""A spider on its web, drawn by a program, since we have no photograph that we may ship."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

SIDE = 672  # pixels: a multiple of 42 and 56, the sides of the 8- and the 15-puzzle
HUB = (0.50, 0.47)  # where the threads meet, in fractions of the side
THREADS = 17
TURNS = 9
SEED = 16  # of those tried, the one whose tiles differ most

# Hip, knee, ankle and foot of the left legs, seen from above, head up; each right leg differs a little from its mirror.
LEGS = (
    ((0.46, 0.40), (0.34, 0.25), (0.27, 0.13), (0.31, 0.02)),
    ((0.45, 0.43), (0.28, 0.35), (0.13, 0.29), (0.04, 0.20)),
    ((0.45, 0.46), (0.29, 0.49), (0.16, 0.57), (0.05, 0.59)),
    ((0.46, 0.48), (0.31, 0.62), (0.24, 0.79), (0.13, 0.93)),
)
WIDTHS = (0.034, 0.026, 0.016)  # of thigh, shin and foot

Point = tuple[float, float]


def draw_spider() -> Image.Image:
    """Draw the picture; it is always the same."""
    rng = np.random.default_rng(SEED)
    picture = Image.fromarray(_backdrop(rng))
    pen = ImageDraw.Draw(picture)
    _draw_web(pen, rng)
    legs = [*LEGS, *(_mirrored(leg, rng) for leg in LEGS)]
    shadow = Image.new("L", picture.size, 0)
    for leg in legs:
        _draw_leg(ImageDraw.Draw(shadow), leg, (150, 150), shift=0.02)
    _draw_body_shape(ImageDraw.Draw(shadow), 170, shift=0.02)
    picture.paste(10, mask=shadow.filter(ImageFilter.GaussianBlur(SIDE * 0.012)))
    pen = ImageDraw.Draw(picture)
    for leg in legs:
        _draw_leg(pen, leg, (18, 120))
    _draw_body_shape(pen, 22)
    _draw_markings(pen)
    return picture


def _backdrop(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return leaves out of focus: light from the top left, with soft blotches that distinguish the corners."""
    down, right = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    light = 205 - 60 * right - 42 * down
    for _ in range(30):
        y, x = rng.uniform(-0.05, 1.05, 2)
        radius, strength = rng.uniform(0.06, 0.12), rng.choice([-1, 1]) * rng.uniform(48, 120)
        light += strength * np.exp(-((right - x) ** 2 + (down - y) ** 2) / radius**2)
    greys: NDArray[np.uint8] = np.clip(light, 25, 240).astype(np.uint8)
    return greys


def _draw_web(pen: ImageDraw.ImageDraw, rng: np.random.Generator) -> None:
    """Draw threads from the hub outwards and a spiral that sags between them."""
    angles = 2 * np.pi * (np.arange(THREADS) + rng.uniform(-0.25, 0.25, THREADS)) / THREADS
    for angle in angles:
        pen.line([_scaled(HUB), _scaled(_polar(angle, 1.2))], fill=250, width=_pixels(0.007))
    radii = 0.09 + 0.068 * np.arange(TURNS * THREADS + 1) / THREADS
    for step in range(TURNS * THREADS):
        here, there = angles[step % THREADS], angles[(step + 1) % THREADS]
        there += 2 * np.pi * (there < here)
        middle = _polar((here + there) / 2, 0.93 * (radii[step] + radii[step + 1]) / 2)
        curve = [_polar(here, radii[step]), middle, _polar(there, radii[step + 1])]
        pen.line([_scaled(point) for point in curve], fill=240, width=_pixels(0.005), joint="curve")


def _draw_leg(pen: ImageDraw.ImageDraw, leg: tuple[Point, ...], tones: tuple[int, int], shift: float = 0) -> None:
    """Draw three segments that taper, with a lighter band below each joint."""
    dark, band = tones
    points = [(x + shift, y + shift) for x, y in leg]
    for start, end, width in zip(points, points[1:], WIDTHS, strict=False):
        pen.line([_scaled(start), _scaled(end)], fill=dark, width=_pixels(width))
        _draw_disk(pen, start, width / 2, dark)
        near, far = (_between(start, end, part) for part in (0.42, 0.66))
        pen.line([_scaled(near), _scaled(far)], fill=band, width=_pixels(width * 0.8))
    _draw_disk(pen, points[-1], WIDTHS[-1] / 2, dark)


def _draw_body_shape(pen: ImageDraw.ImageDraw, tone: int, shift: float = 0) -> None:
    """Draw abdomen, thorax, head and jaws."""
    for (x, y), across, along in (
        ((0.50, 0.635), 0.135, 0.175),
        ((0.50, 0.435), 0.082, 0.092),
        ((0.50, 0.352), 0.052, 0.042),
        ((0.478, 0.312), 0.015, 0.030),
        ((0.522, 0.312), 0.015, 0.030),
    ):
        _draw_oval(pen, (x + shift, y + shift), across, along, tone)


def _draw_markings(pen: ImageDraw.ImageDraw) -> None:
    """Draw the cross of a garden spider, spots along the abdomen, a sheen, and eight eyes."""
    _draw_oval(pen, (0.455, 0.59), 0.055, 0.10, 62)
    for y, across in ((0.52, 0.018), (0.56, 0.022), (0.61, 0.026), (0.66, 0.022), (0.71, 0.016), (0.75, 0.012)):
        _draw_oval(pen, (0.50, y), across, 0.017, 245)
    for x, y in ((0.435, 0.60), (0.565, 0.60), (0.405, 0.605), (0.595, 0.605), (0.44, 0.69), (0.56, 0.69)):
        _draw_oval(pen, (x, y), 0.019, 0.014, 235)
    _draw_oval(pen, (0.475, 0.42), 0.028, 0.05, 78)
    for away, y, radius in ((0.014, 0.342, 0.010), (0.034, 0.350, 0.008), (0.012, 0.366, 0.006), (0.030, 0.370, 0.005)):
        for side in (-1, 1):
            _draw_disk(pen, (0.5 + side * away, y), radius, 250)


def _mirrored(leg: tuple[Point, ...], rng: np.random.Generator) -> tuple[Point, ...]:
    """Return the leg on the other side, in a different pose; the hip stays in place."""
    hip, *others = ((1 - x, y) for x, y in leg)
    moves = rng.uniform(-0.035, 0.035, (len(others), 2))
    return hip, *((x + dx, y + dy) for (x, y), (dx, dy) in zip(others, moves.tolist(), strict=True))


def _draw_oval(pen: ImageDraw.ImageDraw, centre: Point, across: float, along: float, tone: int) -> None:
    x, y = centre
    pen.ellipse([_scaled((x - across, y - along)), _scaled((x + across, y + along))], fill=tone)


def _draw_disk(pen: ImageDraw.ImageDraw, centre: Point, radius: float, tone: int) -> None:
    _draw_oval(pen, centre, radius, radius, tone)


def _between(start: Point, end: Point, part: float) -> Point:
    return start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1])


def _polar(angle: float, radius: float) -> Point:
    return HUB[0] + radius * float(np.cos(angle)), HUB[1] + radius * float(np.sin(angle))


def _scaled(point: Point) -> Point:
    return point[0] * SIDE, point[1] * SIDE


def _pixels(width: float) -> int:
    return max(1, round(width * SIDE))
