"""Draw pairs of pictures of a kitchen in which somebody makes tea: the data set of the tutorial.

    python examples/kitchen.py kitchen
    cube run --domain images:path=kitchen/pairs -o kitchen/run
    cube plan --run kitchen/run kitchen/start.png kitchen/goal.png

What the pictures show is known here and nowhere else: cubespace gets the PNG files, not the rules below.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

# lamp: off, on; cupboard: closed, open; cup: put away, on the table, with a bag, with tea; kettle: empty, full, boiling
State = tuple[int, int, int, int]
START: State = (0, 0, 0, 0)
GOAL: State = (1, 0, 3, 0)
WALL, WOOD, DARK, METAL, WATER, TEA = "#d8cfc0", "#a9744f", "#5b3a29", "#b8bec4", "#6fb1e0", "#c8702a"
NOISE = 4  # standard deviation of the camera's noise, of 255


def moves(state: State) -> Iterator[tuple[str, State]]:
    """Yield each possible action and the state after it."""
    lamp, door, cup, kettle = state
    yield "switch the lamp", (1 - lamp, door, cup, kettle)
    yield "open or close the cupboard", (lamp, 1 - door, cup, kettle)
    if door and cup == 0:
        yield "take the cup", (lamp, door, 1, kettle)
    if door and cup == 1:
        yield "put the cup back", (lamp, door, 0, kettle)
    if cup == 1:
        yield "put a tea bag into the cup", (lamp, door, 2, kettle)
    if kettle == 0:
        yield "fill the kettle", (lamp, door, cup, 1)
    if kettle == 1:
        yield "boil the water", (lamp, door, cup, 2)
    if kettle == 2 and cup == 2 and lamp:  # nobody pours boiling water in the dark
        yield "pour", (lamp, door, 3, 0)
    if cup == 3:
        yield "drink the tea", (lamp, door, 1, kettle)


def draw(state: State, rng: np.random.Generator) -> Image.Image:
    """Return a picture, 64 pixels wide and 48 high, as a camera would take it."""
    lamp, door, cup, kettle = state
    image = Image.new("RGB", (64, 48), WALL)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 40, 63, 47), WOOD)  # the table
    pen.line((14, 0, 14, 5), DARK)
    pen.polygon([(14, 4), (6, 13), (22, 13)], "#ffe14d" if lamp else "#8a8270")
    pen.rectangle((36, 3, 59, 19), DARK if door else WOOD, outline=DARK)
    if not door:
        pen.line((47, 3, 47, 19), DARK)
    elif cup == 0:
        draw_cup(pen, 42, 10, "white")
    if cup > 0:
        draw_cup(pen, 42, 31, TEA if cup == 3 else "white")
    if cup == 2:
        pen.line((45, 31, 45, 28), "#3c8d40")
        pen.rectangle((43, 25, 47, 28), "#3c8d40")
    pen.rectangle((9, 28, 24, 39), METAL, outline=DARK)
    pen.arc((19, 29, 29, 38), 270, 90, DARK)
    if kettle > 0:
        pen.rectangle((12, 31, 21, 37), WATER)
    if kettle == 2:
        for left in (11, 16, 21):
            pen.arc((left - 2, 19, left + 2, 26), 90, 270, "white", width=2)
    noise = rng.normal(0, NOISE, (48, 64, 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8))


def draw_cup(pen: ImageDraw.ImageDraw, left: int, top: int, inside: str) -> None:
    """Draw a cup with something in it."""
    pen.rectangle((left, top, left + 8, top + 8), "#e9e9ee", outline=DARK)
    pen.rectangle((left + 1, top + 1, left + 7, top + 3), inside)
    pen.arc((left + 6, top + 1, left + 12, top + 7), 270, 90, DARK)


def states() -> list[State]:
    """Return every state that can be reached from the start."""
    reached = [START]
    for state in reached:  # grows while it is walked through
        reached += [after for _, after in moves(state) if after not in reached]
    return reached


def main() -> None:
    """Draw pairs, a start and a goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    known = states()
    (arguments.folder / "pairs").mkdir(parents=True, exist_ok=True)
    for number in range(arguments.pairs):
        before = known[rng.integers(len(known))]
        possible = [after for _, after in moves(before)]
        after = possible[rng.integers(len(possible))]
        draw(before, rng).save(arguments.folder / "pairs" / f"{number:04d}_a.png")
        draw(after, rng).save(arguments.folder / "pairs" / f"{number:04d}_b.png")
    draw(START, rng).save(arguments.folder / "start.png")
    draw(GOAL, rng).save(arguments.folder / "goal.png")
    print(f"{arguments.pairs} pairs of {len(known)} states, start.png and goal.png in {arguments.folder}")


if __name__ == "__main__":
    main()
