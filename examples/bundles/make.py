"""Make the bundles of this folder again: learn four worlds, export what was learned, keep two pictures to plan between.

    python examples/bundles/make.py [RUNS]

It takes about three minutes of one core. Runs are kept in RUNS (runs/bundles), so a second call only exports.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SMALL = ["autoencoder.encoder=mlp:width=32,dropout=0", "autoencoder.bits=14", "autoencoder.actions=200"]
NEAR = ["--length", "5", "--set", "plan.random_goals=on", "--instances", "10"]
WORLDS = {
    "mnist": ["--domain", "mnist"],
    "twisted": ["--domain", "twisted:size=3", "--apply", "btl", *(f"--set={each}" for each in SMALL), *NEAR],
    "blocks": ["--domain", "blocks"],
    "doorkey": ["--domain", "gym:id=MiniGrid-DoorKey-5x5-v0,tile=6", "--set", "plan.random_goals=on"],
}


def main(runs: Path) -> None:
    """Learn and export every world."""
    for name, words in WORLDS.items():
        run = runs / name
        cube("run", *words, "--planner", "fd-lmcut", "-o", run)
        half = ["--half"] if "--apply" in words else []
        cube("export", "bundle", run, *half, "--licence", "Apache-2.0", "-o", HERE / f"{name}.cube")
        for end, picture in (("start", "init.png"), ("goal", "goal.png")):
            shutil.copy(run / "problems" / "000" / picture, HERE / f"{name}-{end}.png")


def cube(*words: object) -> None:
    """Run a command; what is done already is not done again."""
    subprocess.run([sys.executable, "-m", "cubespace.cli", *map(str, words)], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/bundles"))
