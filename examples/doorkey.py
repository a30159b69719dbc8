"""Write the world of a MiniGrid level as one file: all frames that can be reached, and the moves between them.

    pip install gymnasium minigrid
    python examples/doorkey.py --size 5 -o doorkey5.npz
    cube run --domain frames:path=doorkey5.npz --set plan.random_goals=on

The states are found breadth first from the start of the level; a state is what the frame shows.
"""

from __future__ import annotations

import argparse
import copy
from pathlib import Path
from typing import Any

import numpy as np


def main() -> None:
    """Explore the level and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=5, choices=(5, 6, 8), help="cells along a side, walls included")
    parser.add_argument("--level", type=int, default=0, help="seed of the level")
    parser.add_argument("--tile", type=int, default=6, help="pixels of a cell")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    import gymnasium
    import minigrid  # noqa: F401 - registers the levels

    env = gymnasium.make(f"MiniGrid-DoorKey-{arguments.size}x{arguments.size}-v0", render_mode="rgb_array")
    env.reset(seed=arguments.level)
    frames, edges = explore(env.unwrapped, arguments.tile)
    np.savez_compressed(arguments.output, frames=frames, edges=edges)
    print(f"{len(frames)} states and {len(edges)} moves in {arguments.output}")


def explore(start: Any, tile: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all frames that can be reached, (states, height, width, 3), and the moves that change a frame."""

    def look(level: Any) -> np.ndarray:
        return np.asarray(level.get_frame(highlight=False, tile_size=tile))

    levels, frames = [copy.deepcopy(start)], [look(start)]
    number = {frames[0].tobytes(): 0}
    edges = set()
    for state, level in enumerate(levels):  # grows while it is walked through
        for action in range(start.action_space.n):
            following = copy.deepcopy(level)
            following.step(action)
            following.step_count = 0  # the level must not end before all of it is known
            frame = look(following)
            if frame.tobytes() not in number:
                number[frame.tobytes()] = len(levels)
                levels.append(following)
                frames.append(frame)
            if number[frame.tobytes()] != state:
                edges.add((state, number[frame.tobytes()]))
    return np.stack(frames), np.array(sorted(edges))


if __name__ == "__main__":
    main()
