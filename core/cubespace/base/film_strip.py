"""Plans as pictures: a strip that a person can follow, and an animation."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from cubespace.base.arrays import Images
from cubespace.base.files import replacing

FRAME_HEIGHT = 126  # pixels, about
FRAMES_PER_ROW = 10
BORDER, CAPTION, GAP = 3, 16, 8
PAPER, INK, GIVEN, WRONG, UNSEEN = (255, 255, 255), (60, 60, 60), (40, 90, 200), (210, 40, 40), (200, 110, 0)
NEW = (20, 120, 70)


def film_strip(
    init: Images,
    goal: Images,
    frames: Images,
    wrong: int | None = None,
    unseen: Collection[int] = (),
    accepted: Collection[int] = (),
) -> Image.Image:
    """Lay out the two given pictures (batches of one) and between them the decoded frames, in reading order.

    The given pictures have a blue border; the frame at which the plan went wrong, and its caption, are red. Steps that
    were ``unseen`` in training lead to frames that are orange and say so, unless a judge has ``accepted`` them: then
    they are captioned as new and valid.
    """
    marks = [_mark(step, wrong, unseen, accepted) for step in range(len(frames))]
    captions, colours = zip(("init", GIVEN), *marks, ("goal", GIVEN), strict=True)
    pictures = [_enlarged(picture) for picture in np.concatenate([init, frames, goal])]
    width, height = pictures[0].size
    cell = (width + 2 * BORDER + GAP, height + 2 * BORDER + CAPTION + GAP)
    columns = min(len(pictures), FRAMES_PER_ROW)
    rows = math.ceil(len(pictures) / columns)
    strip = Image.new("RGB", (columns * cell[0] + GAP, rows * cell[1] + GAP), PAPER)
    draw = ImageDraw.Draw(strip)
    font = ImageFont.load_default(12)
    for position, (picture, caption, colour) in enumerate(zip(pictures, captions, colours, strict=True)):
        left, top = GAP + position % columns * cell[0], GAP + position // columns * cell[1]
        draw.text((left, top), caption, fill=colour, font=font)
        top += CAPTION
        draw.rectangle((left, top, left + width + 2 * BORDER - 1, top + height + 2 * BORDER - 1), fill=colour)
        strip.paste(picture, (left + BORDER, top + BORDER))
    return strip


def _mark(
    step: int, wrong: int | None, unseen: Collection[int], accepted: Collection[int]
) -> tuple[str, tuple[int, int, int]]:
    """Return the caption and the colour of a frame."""
    if step == wrong:
        return f"{step} unseen" if step in unseen else str(step), WRONG
    if step not in unseen:
        return str(step), INK
    return (f"{step} new, valid", NEW) if step in accepted else (f"{step} unseen", UNSEEN)


def stacked(strips: Mapping[str, Image.Image]) -> Image.Image:
    """Put strips below each other, each under its name."""
    width = max(strip.width for strip in strips.values())
    sheet = Image.new("RGB", (width, sum(CAPTION + GAP + strip.height for strip in strips.values())), PAPER)
    draw, font, top = ImageDraw.Draw(sheet), ImageFont.load_default(14), 0
    for name, strip in strips.items():
        draw.text((GAP, top + GAP // 2), name, fill=GIVEN, font=font)
        sheet.paste(strip, (0, top + CAPTION + GAP // 2))
        top += CAPTION + GAP + strip.height
    return sheet


def write_picture(path: Path, picture: Image.Image) -> None:
    """Write a PNG, whole or not at all."""
    with replacing(path) as file:
        picture.save(file, format="PNG", optimize=True)


def write_animation(path: Path, frames: Images, milliseconds: int = 600) -> None:
    """Write the frames as an animated PNG that pauses at both ends."""
    first, *rest = [_enlarged(picture) for picture in frames]
    durations = [2 * milliseconds, *[milliseconds] * (len(rest) - 1), 3 * milliseconds][: len(frames)]
    with replacing(path) as file:
        first.save(file, format="PNG", save_all=True, append_images=rest, duration=durations, loop=0)


def _enlarged(picture: Images) -> Image.Image:
    """Return a picture enlarged by whole pixels, so that nothing is smoothed away."""
    scale = max(1, round(FRAME_HEIGHT / picture.shape[0]))
    return Image.fromarray(picture.repeat(scale, axis=0).repeat(scale, axis=1)).convert("RGB")
