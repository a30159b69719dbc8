"""Make the gallery of failures from real runs: what was typed, what the program said, and a picture of what went wrong.

    python docs/failures.py           # those that are missing
    python docs/failures.py NAME …    # these, again

Writes results/failures.json, which docs/when-it-fails.md is made from, and docs/pictures/fail-NAME.png. Runs are kept
in runs/failures, so that a second call only reads them.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import numpy as np
from PIL import Image

from cubespace.base.files import read_json, write_json
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.report.run_files import VERDICTS, read_facts, verdict

ROOT = Path(__file__).parents[1]
RUNS, PICTURES, TARGET = ROOT / "runs" / "failures", ROOT / "docs" / "pictures", ROOT / "results" / "failures.json"
BUNDLE = "examples/bundles/mnist.cube"
SAID = ("warning:", "cube:")  # how the lines begin that a failure comes with
FEW = ("--planner", "fd-lmcut", "--instances", "10")
COLOURS = 128


@attrs.frozen(kw_only=True)
class Case:
    """A failure: its name, what it shows, what is typed, and what has to be there before."""

    name: str
    title: str
    why: str
    words: tuple[str, ...]
    first: Callable[[], None] = lambda: None


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
        words=("run", "--domain", "mnist", "--apply", "btl", "--set", "train.epochs=8", *FEW),
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
        why="Pictures that are shifted against each other have no fixed places.",
        words=("run", "--domain", "mnist", "--learner", "places", "--set", "data.spoil.shift=2", *FEW),
    ),
    Case(
        name="chance",
        title="A world of chance",
        why="On slippery ice a move may lead elsewhere, and no STRIPS action says so.",
        words=("run", "--domain", "gym:id=FrozenLake-v1,arguments=is_slippery=True", *FEW),
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


def main() -> None:
    """Run the cases that are named, or every one that has no result yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(case.name for case in CASES))
    again = parser.parse_args().names
    if unknown := set(again) - {case.name for case in CASES}:
        parser.error(f"no such failure: {', '.join(sorted(unknown))}")
    known = read_json(TARGET) if TARGET.is_file() else {}
    done = dict(known) if isinstance(known, dict) else {}
    for case in CASES:
        if case.name in again or (not again and case.name not in done):
            done[case.name] = happened(case)
            write_json(TARGET, {each.name: done[each.name] for each in CASES if each.name in done})


def happened(case: Case) -> dict[str, object]:
    """Do what a case types and return what came of it."""
    case.first()
    folder = RUNS / case.name
    shutil.rmtree(folder, ignore_errors=True)
    words = [sys.executable, "-m", "cubespace.cli", *case.words, "-o", str(folder)]
    answer = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    print(case.name, answer.returncode, flush=True)
    lines = [*answer.stdout.splitlines(), *answer.stderr.splitlines()]
    said = [line.replace(f"{ROOT}/", "") for line in lines if line.startswith(SAID)]
    return {
        "title": case.title,
        "why": case.why,
        "command": shlex.join(["cube", *case.words]),
        "exit_code": answer.returncode,
        "said": list(dict.fromkeys(said)),
        **_judged(case, folder),
    }


def _judged(case: Case, folder: Path) -> dict[str, object]:
    """Return how many plans are right, and keep the strip that shows best what is wrong."""
    strip = folder / "strip.png"
    facts: dict[str, object] = {}
    if (folder / "results.json").is_file():
        (row,) = read_facts(folder).planners.values()
        facts = {"instances": row.instances, "found": row.found, "valid": row.valid, "optimal": row.optimal}
        worst = max((each for each in row.records if each.found), key=_badness, default=None)
        strip = folder / "problems" / worst.problem / worst.planner / "strip.png" if worst else strip
    picture = PICTURES / f"fail-{case.name}.png"
    picture.unlink(missing_ok=True)
    if strip.is_file():
        Image.open(strip).convert("RGB").quantize(COLOURS).save(picture, optimize=True)
        facts["picture"] = picture.name
    return facts


def _badness(record: PlanRecord) -> tuple[int, int]:
    """Return how bad a plan is: the worst verdict first, and of these the shorter plan, which is easier to follow."""
    order = [name for name in VERDICTS if name != "none"]
    return order.index(verdict(record)), -record.steps


if __name__ == "__main__":
    main()
