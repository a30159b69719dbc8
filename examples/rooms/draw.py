"""Take pictures of the rooms: pairs to learn from, and problems to solve, which learning never sees.

python examples/rooms/draw.py rooms
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from world import HAND, Rooms, photograph

from cubespace.base.images import write_png
from cubespace.evaluation import distances


def main() -> None:
    """Write ``FOLDER/pairs/00000_a.png, 00000_b.png …`` and ``FOLDER/problems/00_init.png, 00_goal.png …``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=5000, help="pictures before and after an action")
    parser.add_argument("--problems", type=int, default=30, help="pictures of a start and a goal")
    parser.add_argument("--distance", type=int, default=9, help="moves from each start to its goal")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    world, rng = Rooms(), np.random.default_rng(arguments.seed)
    before, after = watch(world, arguments.pairs, rng)
    write(arguments.folder / "pairs", "{:05d}_a.png", photograph(world.render(before), rng))
    write(arguments.folder / "pairs", "{:05d}_b.png", photograph(world.render(after), rng))
    drawn = distances.draw(world, arguments.distance, arguments.problems, arguments.seed, random_goals=True)
    write(arguments.folder / "problems", "{:02d}_init.png", photograph(world.render(drawn.inits), rng))
    write(arguments.folder / "problems", "{:02d}_goal.png", photograph(world.render(drawn.goals), rng))
    print(f"{len(before)} pairs and {len(drawn)} problems in {arguments.folder}")


def watch(world: Rooms, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return states before and after actions, drawn from all that exist; those with the key in hand more often.

    In most states the key lies somewhere, so evenly drawn actions would rarely show the robot carrying it.
    """
    after, parents = world.successors(world.states)
    before = world.states[parents]
    in_hand = (before[:, 1] == HAND) | (after[:, 1] == HAND)
    weights = np.where(in_hand, 4.0, 1.0)
    chosen = rng.choice(len(after), size=count, p=weights / weights.sum())
    return before[chosen], after[chosen]


def write(folder: Path, name: str, pictures: np.ndarray) -> None:
    """Write pictures under numbered names."""
    for number, picture in enumerate(pictures):
        write_png(folder / name.format(number), picture)


if __name__ == "__main__":
    main()
