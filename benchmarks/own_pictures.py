"""Pictures of a robot arm, without a simulator: whether the tool says which plans to doubt, and why.

    python benchmarks/own_pictures.py --work WORK        # draws, learns, plans; results/own_pictures.json and .md

Pictures of three joints with four angles each, with pixel noise, given as pairs. The tool has no simulator for them.
Here we know the angles, so we can judge its plans afterwards: a frame shows the arm it is nearest to, a step turns one
joint by one angle. Runs that are done are not done again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cubespace
from cubespace.base.files import write_json, write_text
from cubespace.runs.folder.plan_files import planner_folder
from cubespace.runs.folder.trace_file import TRACE, load_trace

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples"))

from arm import ANGLES, SEGMENTS, draw  # noqa: E402 - needs the path above

NOISE = 0.01  # standard deviation, of 1
LAMP = slice(1, 4)  # rows and columns of the lamp that blinks
INSTANCES = 40
PLANNER = "fd-lmcut"
CASES = {  # the run folder, how many pairs, whether a lamp blinks, settings that differ from the defaults
    "3000 pairs": ("run-arm3000", 3000, False, {}),
    "3000 pairs, plain network": ("mlp-arm3000", 3000, False, {"learner.name": "autoencoder"}),
    "200 pairs": ("run-arm200", 200, False, {}),
    "3000 pairs, a lamp blinks": ("run-lamp3000", 3000, True, {}),
    "3000 pairs, a lamp blinks, plain network": ("mlp-lamp3000", 3000, True, {"learner.name": "autoencoder"}),
}


def main() -> None:
    """Run all cases, or those named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="where pictures and runs go")
    parser.add_argument("--only", action="append", help="a case, by its name; repeatable")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "own_pictures.json")
    given = parser.parse_args()
    known = json.loads(given.output.read_text("utf-8")) if given.output.is_file() else {}
    output = given.output.resolve()
    given.work.mkdir(parents=True, exist_ok=True)
    os.chdir(given.work)  # so that runs name their pictures without the folders of this machine
    for name in given.only or CASES:
        known[name] = case(*CASES[name])
        print(json.dumps({name: known[name]}, indent=2), flush=True)
        write_json(output, known)
    write_text(output.with_suffix(".md"), table({name: known[name] for name in CASES if name in known}))


def case(folder: str, pairs: int, lamp: bool, settings: dict[str, Any]) -> dict[str, Any]:
    """Draw the pairs, learn, plan between pictures that were held out, and judge the plans."""
    file = f"{'lamp' if lamp else 'arm'}{pairs}.npz"
    before, after = draw_pairs(pairs, lamp)
    np.savez_compressed(file, before=before, after=after)
    config = {"plan.instances": INSTANCES, "plan.planners": (PLANNER,), **settings}
    run = cubespace.run(config, folder=folder, domain=f"images:path={file}")
    row = run.results["planners"][PLANNER]
    judged = [(record, legal(run, record)) for record in row["records"] if record["plan"] is not None]
    judgement = json.loads((run.path / "judgement.json").read_text("utf-8"))
    extraction = json.loads((run.path / "extraction.json").read_text("utf-8"))
    return {
        "learner": json.loads((run.path / "learner.json").read_text("utf-8"))["learner"],
        "actions": extraction["actions"],
        "instances": row["instances"],
        "found": row["found"],
        "all_seen": row["all_seen"],
        "all_seen_right": sum(right for record, right in judged if not record["unseen_steps"]),
        "unseen": row["found"] - row["all_seen"],
        "unseen_right": sum(right for record, right in judged if record["unseen_steps"]),
        "warnings": [each["about"] for each in judgement["findings"] if each["warning"]],
        "judgement": judgement["paragraph"],
    }


def worlds() -> tuple[NDArray[np.int_], NDArray[np.uint8]]:
    """Return the angles of all arms and their pictures."""
    states = np.indices((ANGLES,) * len(SEGMENTS)).reshape(len(SEGMENTS), -1).T
    return states, np.stack([draw(state) for state in states.tolist()])


def draw_pairs(count: int, lamp: bool, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Return pictures before and after random moves."""
    rng = np.random.default_rng(seed)
    states, frames = worlds()
    moves = np.argwhere(np.abs(states[:, None] - states).sum(2) == 1)
    chosen = moves[rng.integers(len(moves), size=count)]
    return [photographs(frames[chosen[:, side]], lamp, rng) for side in (0, 1)]


def photographs(frames: NDArray[np.uint8], lamp: bool, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return frames with noise and, with ``lamp``, a lamp that is lit at random."""
    pixels = frames.astype(np.float32)
    if lamp:
        pixels[rng.random(len(pixels)) < 0.5, LAMP, LAMP] = 255
    pixels += rng.normal(0, 255 * NOISE, pixels.shape)
    return np.clip(np.rint(pixels), 0, 255).astype(np.uint8)


def legal(run: cubespace.Run, record: dict[str, Any]) -> bool:
    """Return whether every step of a plan turns one joint by one angle, between the arms that were given."""
    folder = run.path / "problems" / record["problem"]
    trace = load_trace(folder / planner_folder(record["planner"]) / TRACE, record["trace"])
    assert trace is not None
    given = [run.picture(folder / f"{name}.png") for name in ("init", "goal")]
    arms = read(np.concatenate([given[0], run.code.draw(trace), given[1]]))
    steps = np.abs(np.diff(arms[1:-1], axis=0)).sum(1)
    return bool((steps == 1).all() and (arms[0] == arms[1]).all() and (arms[-1] == arms[-2]).all())


def read(pictures: NDArray[np.uint8]) -> NDArray[np.int_]:
    """Return the angles of the arm that each picture is nearest to, the corner of the lamp left out."""
    states, frames = worlds()
    seen, known = (part.astype(np.float32) for part in (pictures, frames))
    for part in (seen, known):
        part[:, LAMP, LAMP] = 0
    apart = np.square(seen[:, None] - known[None]).reshape(len(seen), len(known), -1).sum(2)
    return states[apart.argmin(1)]


def table(known: dict[str, dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Own pictures of a robot arm, without a simulator",
        "",
        "Made by `benchmarks/own_pictures.py`. Right: as judged by us, who know the angles; the tool does not.",
        "",
        "| data | learner | actions | found | all steps seen, right | with unseen steps, right | warnings |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, case in known.items():
        lines.append(
            f"| {name} | {case['learner']} | {case['actions']} | {case['found']} of {case['instances']} "
            f"| {case['all_seen']}, {case['all_seen_right']} | {case['unseen']}, {case['unseen_right']} "
            f"| {', '.join(case['warnings']) or 'none'} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
