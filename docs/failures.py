"""Make the gallery of failures from real runs: what was typed, what the program said, and a picture of what went wrong.

    python docs/failures.py           # those that are missing
    python docs/failures.py NAME …    # these, again

Writes results/failures.json, which docs/when-it-fails.md is made from, and docs/pictures/fail-NAME.png.
"""

from __future__ import annotations

import numpy as np
from cases import ROOT, Case, Gallery
from PIL import Image

from cubespace.evaluation.plan_record import PlanRecord
from cubespace.report.run_files import VERDICTS, Facts, verdict

RUNS = ROOT / "runs" / "failures"
BUNDLE = "examples/bundles/mnist.cube"
FEW = ("--planner", "fd-lmcut", "--instances", "10")


def out_of_reach() -> None:
    """Draw a goal that no move leads to: the usual one with two tiles exchanged."""
    picture = np.asarray(Image.open(ROOT / "examples" / "bundles" / "mnist-goal.png")).copy()
    side = len(picture) // 3
    one, other = (slice(side, 2 * side), slice(0, side)), (slice(side, 2 * side), slice(side, 2 * side))
    picture[one], picture[other] = picture[other].copy(), picture[one].copy()
    RUNS.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(RUNS / "swapped.png")


CASES = (
    Case(
        name="few",
        title="Too few pairs",
        why="What no pair shows is not in the model, so plans are missing or take a detour.",
        words=("run", "--domain", "mnist", "--set", "data.transitions=500", *FEW),
    ),
    Case(
        name="noise",
        title="Noise that hides what differs",
        why="Where noise is larger than the difference between two things, they become one.",
        words=("run", "--domain", "mnist", "--set", "data.spoil.noise=0.8", *FEW),
    ),
    Case(
        name="short",
        title="A training that was cut short",
        why="The network has not learned what its labels do, so it plans with effects that do not exist.",
        words=(
            *("run", "--domain", "lightsout:size=3", "--apply", "btl"),
            *("--set", "train.updates=300", "--length", "5", *FEW),
        ),
    ),
    Case(
        name="taxi",
        title="Rules that few pictures show",
        why="In Taxi, a passenger is picked up in four cells only; each case of it is seen a few times.",
        words=("run", "--domain", "gym:id=Taxi-v4", "--set", "plan.random_goals=on", *FEW),
    ),
    Case(
        name="shift",
        title="A camera that moves",
        why="Lamps on black ground hardly say how the camera stood; `--learner places` insists on a code all the same.",
        words=("run", "--domain", "lightsout:size=3", "--learner", "places", "--set", "data.spoil.shift=2", *FEW),
    ),
    Case(
        name="chance",
        title="A world of chance",
        why="On slippery ice a move may lead elsewhere, and no STRIPS action says so.",
        words=("run", "--domain", "gym:id=FrozenLake-v1,arguments=is_slippery:true", *FEW),
    ),
    Case(
        name="reach",
        title="A goal that cannot be reached",
        why="Two tiles were exchanged by hand; no sequence of moves does that.",
        words=("plan", "--run", BUNDLE, "examples/bundles/mnist-start.png", "runs/failures/swapped.png"),
        first=out_of_reach,
    ),
    Case(
        name="foreign",
        title="A picture of another world",
        why="The code describes any picture by the bits that it has, also one that it has never seen the like of.",
        words=(
            "plan",
            "--run",
            BUNDLE,
            "examples/bundles/blocks-start.png",
            "examples/bundles/mnist-goal.png",
            "--resize",
        ),
    ),
)


def worst(facts: Facts) -> PlanRecord | None:
    """Return the plan that best shows what is wrong."""
    return max((each for each in facts.records if each.found), key=_badness, default=None)


def _badness(record: PlanRecord) -> tuple[int, int]:
    """Return how bad a plan is: the worst verdict first, and of these the shorter plan, which is easier to follow."""
    order = [name for name in VERDICTS if name != "none"]
    return order.index(verdict(record)), -record.steps


if __name__ == "__main__":
    Gallery(name="failures", prefix="fail", cases=CASES, choose=worst).main(__doc__ or "")
