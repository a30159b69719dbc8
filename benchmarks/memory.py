"""How much memory and time own pictures take, by their number and size.

    python benchmarks/memory.py --work WORK        # draws, learns, plans; results/memory.json and .md

Pictures of an 8-puzzle made of a photograph, in colour and with noise, as one ``.npz`` of pairs. Each case is a process
of its own; its peak is what the operating system says. Cases that are done are not done again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cubespace.base.files import write_json, write_text
from cubespace.data.domain import StateSpace
from cubespace.data.memory import needed_bytes
from cubespace.plugins.catalogue import load_plugins

ROOT = Path(__file__).parents[1]
SIZES = [(42, 5000), (42, 20000), (64, 20000), (128, 2500), (128, 5000), (128, 20000), (256, 1000)]
INSTANCES = 5
NOISE = 2  # grey levels, up to which each pixel of each picture is off
TINT = np.array([1.0, 0.9, 0.75])
BATCH = 200


def main() -> None:
    """Run all cases that are not done yet, or those named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="where pictures and runs go")
    parser.add_argument("--case", action="append", help="SIDExPAIRS; repeatable; all if left out")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "memory.json")
    given = parser.parse_args()
    known = json.loads(given.output.read_text("utf-8")) if given.output.is_file() else {}
    given.work.mkdir(parents=True, exist_ok=True)
    for side, pairs in SIZES:
        name = f"{side}x{pairs}"
        if name in (given.case or [name]) and (given.case or name not in known):
            known[name] = measure(given.work, side, pairs)
            print(json.dumps({name: known[name]}), flush=True)
            write_json(given.output, known)
    write_text(given.output.with_suffix(".md"), table(known))


def measure(work: Path, side: int, pairs: int) -> dict[str, Any]:
    """Draw pictures, learn and plan in another process, and return what it took."""
    file, folder = work / f"{side}x{pairs}.npz", work / f"run-{side}x{pairs}"
    if not file.is_file():
        before, after = draw_pairs(side, pairs)
        np.savez(file, before=before, after=after)
        del before, after
    command = [sys.executable, "-c", "from cubespace.cli import main; main()", "run", "-o", str(folder)]
    command += ["--domain", f"images:path={file.name}", "--instances", str(INSTANCES)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    child = subprocess.Popen(command, cwd=work, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    results = json.loads((folder / "results.json").read_text("utf-8"))
    row = next(iter(results["planners"].values()))
    return {
        "side": side,
        "pairs": pairs,
        "exit": os.waitstatus_to_exitcode(status),
        "pictures_gb": round(2 * pairs * side * side * 3 / 1e9, 3),
        "peak_gb": round(used.ru_maxrss * 1024 / 1e9, 3),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "learner": results["learner"],
        "actions": json.loads((folder / "extraction.json").read_text("utf-8"))["actions"],
        "found": row["found"],
        "instances": row["instances"],
    }


def estimated(side: int, pairs: int) -> float:
    """Return how many GB the tool counts with."""
    return needed_bytes(pairs, (side, side, 3)) / 1e9


def draw_pairs(side: int, count: int, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Return pictures before and after random moves of the puzzle, each with noise of its own."""
    domain = load_plugins().create("domain", "photo")
    assert isinstance(domain, StateSpace)
    rng = np.random.default_rng(seed)
    pairs = domain.sample(count, rng)
    return [np.concatenate(list(_photographs(part, side, rng))) for part in (pairs.before, pairs.after)]


def _photographs(pictures: NDArray[np.uint8], side: int, rng: np.random.Generator) -> Any:
    """Yield pictures of a size, in colour, a batch at a time; each pixel is repeated, and the last ones once more."""
    place = np.minimum(np.arange(side) * pictures.shape[1] // side, pictures.shape[1] - 1)
    for first in range(0, len(pictures), BATCH):
        large = pictures[first : first + BATCH][:, place][:, :, place]
        coloured = (large[..., None] * TINT).astype(np.int16)
        coloured += rng.integers(-NOISE, NOISE + 1, coloured.shape, dtype=np.int16)
        yield np.clip(coloured, 0, 255).astype(np.uint8)


def table(known: dict[str, dict[str, Any]]) -> str:
    """Return the results as Markdown."""
    lines = [
        "# Memory of own pictures",
        "",
        "Made by `benchmarks/memory.py`: an 8-puzzle in colour and with noise, as an `.npz` of pairs, `cube run` with",
        f"default settings and {INSTANCES} instances: pictures of two pairs, which moves connect in half of all cases.",
        "Estimate: what the tool counts with before it learns.",
        "",
        "| pictures | pairs | as bytes, GB | peak, GB | estimate, GB | CPU s | learner | actions | plans |",
        "|---|---:|---:|---:|---:|---:|---|---:|---|",
    ]
    for name in sorted(known, key=lambda each: (known[each]["side"], known[each]["pairs"])):
        case = known[name]
        estimate = estimated(case["side"], case["pairs"])
        sizes = " | ".join(f"{each:.2f}" for each in (case["pictures_gb"], case["peak_gb"], estimate))
        lines.append(
            f"| {case['side']} x {case['side']} | {case['pairs']:,} | {sizes} | {case['cpu_seconds']:.0f} "
            f"| {case['learner']} | {case['actions']} | {case['found']} of {case['instances']} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
