"""Matrices and tunings whose files are changed, and matrices whose driver is killed."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from chaos_cases.harness import Case, Ended, Verdict, end_descendants, litter, run_cube
from chaos_cases.kills import Process, complaints_about
from chaos_cases.mutation import damaged, odd_json
from chaos_cases.world import MATRIX, World, difference

FILES = (
    "results.json",
    "manifest.json",
    "measures.json",
    "code.safetensors",
    "strips.npz",
    "data.npz",
    "diagnosis.json",
    "config.toml",
)
OF_TUNING = ("journal.log", "tuning.toml", "best.toml")
LEFT_OUT = re.compile(r"warning: (.*) left out, without a finished stage")


def changed_cells(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases in which files of a finished matrix are changed: table and matrix must agree on what is done."""
    for number in range(count):
        rng = random.Random(f"{seed} matrix {number}")

        def prepare(rng: random.Random, folder: Path) -> Sequence[str]:
            shutil.copytree(world.matrix, folder / "mx")
            for _ in range(rng.choice((1, 1, 2))):
                _change(rng.choice(sorted((folder / "mx" / "cells").iterdir())) / rng.choice(FILES), rng)
            return ["tables", "mx", "--values", "plans"]

        yield Case(
            group="matrix",
            name=f"cells {number}",
            prepare=partial(prepare, rng),
            codes=frozenset({0, 3}),
            check=partial(_agree, world),
        )


def _change(path: Path, rng: random.Random) -> None:
    kind = rng.randrange(4)
    if kind == 0:
        path.unlink(missing_ok=True)
    elif kind == 1 and path.name == "results.json":
        path.write_text(path.read_text("utf-8").replace('"valid": 2', '"valid": 1'))
    elif kind == 2 and path.suffix == ".json" and path.is_file():
        path.write_bytes(odd_json(path.read_bytes(), rng))
    elif path.is_file():
        path.write_bytes(damaged(path.read_bytes(), rng))


def _agree(world: World, folder: Path, ended: Ended) -> str:
    """Return whether the table leaves out, by name, the cells that the matrix would do again, and no others."""
    if ended.code != 0:
        return ""
    again, _ = run_cube(["matrix", "mx", "--dry-run", "--json"], folder)
    if again.code != 0:
        return f"lost: the matrix cannot be looked at: {again.errors.strip()[-120:]}"
    cells = json.loads(again.output)["cells"]
    todo = {Path(cell["run"]).name for cell in cells if not cell["done"] and _lacks_plans(world, folder, cell["run"])}
    named = {cell["run"] for cell in cells if Path(cell["run"]).name in ended.errors}
    left_out = {Path(run).name for run in named}
    return "" if left_out == todo else f"lost: left out {sorted(left_out)}, to be done {sorted(todo)}"


def _lacks_plans(world: World, folder: Path, run: str) -> bool:
    """Return whether a cell is open because of its evaluation, not only because its diagnosis is missing.

    Its settings are those that the matrix gives it, whatever became of its copy of them.
    """
    shutil.copy(world.matrix / "cells" / Path(run).name / "config.toml", folder / run / "config.toml")
    ended, _ = run_cube(["tables", run, "--values", "plans"], folder)
    return ended.code != 0 or "left out" in ended.errors or not re.search(r"\d/\d/\d of \d", ended.output)


def changed_tunings(world: World, seed: int, count: int) -> Iterator[Case]:
    """Yield cases in which files of a finished tuning are changed."""
    for number in range(count):
        rng = random.Random(f"{seed} tune {number}")

        def prepare(number: int, rng: random.Random, folder: Path) -> Sequence[str]:
            shutil.copytree(world.tuning, folder / "tuning")
            path = folder / "tuning" / OF_TUNING[number % len(OF_TUNING)]
            path.write_bytes(rng.choice((damaged(path.read_bytes(), rng), b"garbage\n", rng.randbytes(50), b"")))
            return ["tune", "tuning", "--trials", "2", "--jobs", "1"]

        name = f"{OF_TUNING[number % len(OF_TUNING)]} {number}"
        yield Case(group="tune", name=name, prepare=partial(prepare, number, rng), seconds=240.0)


def killed_matrix(world: World, folder: Path, seed: str) -> Verdict:
    """Kill the driver of a matrix three times at random moments; the cells must be those of the undisturbed one."""
    rng = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "m.toml").write_text(MATRIX)
    words = ["matrix", "m.toml", "-o", "mx", "--jobs", "2"]
    counts: Counter[str] = Counter()
    complaints: list[str] = []
    begun = time.monotonic()
    for _ in range(3):
        process = Process.start(words, folder, fresh=True)
        time.sleep(rng.uniform(0.5, 12.0))
        if not process.ended():
            counts["driver"] += 1
            os.kill(process.pid, signal.SIGKILL)
        code = process.wait()
        complaints += complaints_about(process, code, "matrix", signal.SIGKILL)
        complaints += [f"orphan: {name}" for name in end_descendants()]
    ended, orphans = run_cube(words, folder, seconds=600)
    complaints += [f"orphan: {name}" for name in orphans]
    if ended.code != 0:
        complaints.append(f"lost: it did not continue ({ended.errors.strip()[-200:]})")
    for cell in sorted((world.matrix / "cells").iterdir()):
        change = difference(folder / "mx" / "cells" / cell.name, cell) if ended.code == 0 else ""
        complaints += [f"{change} in {cell.name}"] if change else []
    complaints += [f"litter: {name}" for name in litter(folder)]
    shutil.rmtree(folder, ignore_errors=True)
    return Verdict(
        group="killed matrix",
        name=f"driver {seed}",
        complaints=tuple(complaints),
        code=ended.code,
        seconds=round(time.monotonic() - begun, 3),
        counts=dict(counts),
    )
