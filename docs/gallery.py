"""Make the gallery of worlds: for each, one command, how many of its plans are right, and the best plan as a strip.

    python docs/gallery.py            # those that are missing
    python docs/gallery.py NAME …     # these, again

Writes results/gallery.json, which docs/gallery.md is made from, and docs/pictures/world-NAME.png. Two or three minutes
of one core; the levels of MiniGrid need `pip install minigrid`.
"""

from __future__ import annotations

import subprocess
import sys

from cases import ROOT, Case, Gallery

FEW = ("--planner", "fd-lmcut", "--instances", "10")
SEVERAL_GOALS = ("--set", "plan.random_goals=on")


def kitchen() -> None:
    """Draw the pictures of the tutorial, as a camera would."""
    folder = ROOT / "runs" / "gallery-kitchen"
    if not (folder / "pairs").is_dir():
        subprocess.run([sys.executable, ROOT / "examples" / "kitchen.py", folder], check=True)


def world(name: str, title: str, why: str, *words: str) -> Case:
    """Return a world that is learned and planned in."""
    return Case(name=name, title=title, why=why, words=("run", "--domain", *words, *FEW))


CASES = (
    world("mnist", "8-puzzle, MNIST digits", "The paper's first world.", "mnist"),
    world("spider", "8-puzzle, spider", "Tiles that look alike; our own drawing.", "spider"),
    world("photo", "8-puzzle, photograph", "The same with a cat.", "photo"),
    world("lightsout", "LightsOut", "A press switches a lamp and its neighbours.", "lightsout"),
    world("twisted", "LightsOut, twisted", "The same, bent around the middle.", "twisted"),
    Case(
        name="bundle",
        title="LightsOut with nine lamps, by the paper's network",
        why="Trained by gradient and kept in the repository, so nothing is learned here.",
        words=(
            *("plan", "--run", "examples/bundles/twisted.cube"),
            *("examples/bundles/twisted-start.png", "examples/bundles/twisted-goal.png"),
        ),
    ),
    world("hanoi", "Towers of Hanoi", "Four disks on three pegs.", "hanoi:disks=4", *SEVERAL_GOALS),
    world("blocks", "Blocks in columns", "What may be lifted depends on what stands above it.", "blocks"),
    world("solid", "Blocks with depth", "Blocks hide parts of each other.", "blocks:solid=on"),
    world(
        *("doorkey", "MiniGrid's DoorKey", "Fetch the key, open the door, go to the goal."),
        *("gym:id=MiniGrid-DoorKey-5x5-v0,tile=6", *SEVERAL_GOALS),
    ),
    Case(
        name="kitchen",
        title="Pictures of one's own",
        why="The kitchen of the tutorial, from files; nobody judges the plans.",
        words=("run", "--domain", "images:path=runs/gallery-kitchen/pairs", *FEW),
        first=kitchen,
    ),
)


if __name__ == "__main__":
    Gallery(name="gallery", prefix="world", cases=CASES, choose=lambda facts: facts.best).main(__doc__ or "")
