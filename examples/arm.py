"""Write the world of a robot arm as one file: three joints of four angles each, 64 frames, 288 moves.

    python examples/arm.py -o arm.npz
    cube run --domain frames:path=arm.npz --set data.transitions=3000 --set plan.random_goals=on --length 5

Whichever joint moves, the whole arm beyond it moves too: nothing here separates into independent places.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

ANGLES = 4
SIDE = 24  # pixels
SEGMENTS = ((5.0, (220, 70, 60)), (4.0, (70, 200, 90)), (3.0, (80, 120, 240)))  # length and colour of each


def main() -> None:
    """Draw all states and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True)
    states = np.indices((ANGLES,) * len(SEGMENTS)).reshape(len(SEGMENTS), -1).T
    apart = np.abs(states[:, None] - states).sum(2)  # a move turns one joint by one step
    frames = np.stack([draw(state) for state in states.tolist()])
    output = parser.parse_args().output
    np.savez_compressed(output, frames=frames, edges=np.argwhere(apart == 1))
    print(f"{len(frames)} states and {int((apart == 1).sum())} moves in {output}")


def draw(angles: list[int]) -> np.ndarray:
    """Return the picture of an arm, (side, side, 3)."""
    rows, columns = np.indices((SIDE, SIDE))
    picture = np.full((SIDE, SIDE, 3), 25, dtype=np.uint8)
    row = column = SIDE / 2
    direction = 0.2
    for angle, (length, colour) in zip(angles, SEGMENTS, strict=True):
        direction += angle * np.pi / 2 + 0.25
        for part in np.linspace(0, length, 16):
            near = np.hypot(rows - row - part * np.sin(direction), columns - column - part * np.cos(direction)) < 1.1
            picture[near] = colour
        row, column = row + length * np.sin(direction), column + length * np.cos(direction)
    return picture


if __name__ == "__main__":
    main()
