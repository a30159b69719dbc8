"""Third-party worlds: levels of Gymnasium, problems of PDDLGym, and plans carried out in the environment.

    python benchmarks/worlds.py gym levels act pddlgym deepcubeai [--seeds 0-2]

Needs the extra 'gym'; the sections pddlgym and deepcubeai need the packages in examples. Every row is a run of
``cube run`` with defaults, judged by the world itself, in a process of one thread. Problems come from a seed that no
tuning has used. Runs go below ``--folder``. Writes results/worlds.json and worlds.md; rows that are there already
stay, unless ``--again`` asks for them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from processes import cube

from cubespace.base.files import read_json, write_json, write_text
from cubespace.plugins.catalogue import load_plugins
from cubespace.runs.folder.machine import environment

INSTANCE_SEED = 80808  # used by nothing else
RESULTS = Path("results/worlds")
PLANNERS = ("fd-lmcut", "fd-lama")
GOALS = ("--set", "plan.random_goals=on", "--set", f"plan.seed={INSTANCE_SEED}")

# name: domain, distance of the problems
GYM = {
    "FrozenLake 4x4": ("gym:id=FrozenLake-v1,arguments=is_slippery:false", 2),
    "FrozenLake 8x8": ("gym:id=FrozenLake8x8-v1,arguments=is_slippery:false", 7),
    "CliffWalking": ("gym:id=CliffWalking-v1", 7),
    "Taxi": ("gym:id=Taxi-v4", 7),
    "DoorKey 5x5": ("gym:id=MiniGrid-DoorKey-5x5-v0", 7),
    "DoorKey 6x6": ("gym:id=MiniGrid-DoorKey-6x6-v0", 7),
}
LEVELS = {
    **{f"DoorKey 5x5, level {level}": (f"gym:id=MiniGrid-DoorKey-5x5-v0,level={level}", 7) for level in range(1, 10)},
    "KeyCorridor S3R1": ("gym:id=MiniGrid-KeyCorridorS3R1-v0", 7),
    "GoToDoor 5x5": ("gym:id=MiniGrid-GoToDoor-5x5-v0", 3),
}
DEEPCUBEAI = {
    "IceSlider 4": ("deepcubeai:world=ice-slider,seed=4", 4),
    "DigitJump 3": ("deepcubeai:world=digit-jump,seed=3", 4),
    "DigitJump 4": ("deepcubeai:world=digit-jump,seed=4", 4),
}
ACTED = "DoorKey 5x5"
LABELS = (100, 0)

# name: problem, distances; the rows of R-latplan (ICTAI 2024) and of Latplan as its authors ran it, solved of 3
PDDLGYM = {
    "Hanoi 4-4": ("hanoi-4-4.pddl", (1, 3, 5, 8), "3 3 3 3", "3 2 0 0"),
    "Blocks 4": ("blocks-4.pddl", (1, 3, 6, 12), "3 3 3 3", "3 2 0 0"),
    "Sokoban": ("sokoban-1.pddl", (1, 5, 10, 18), "3 3 3 3", "3 2 0 0"),
}
EACH = 10  # problems of each distance
SHOWN = 4  # times that each move is shown, on average, as explored worlds have it


@attrs.frozen
class Row:
    """What is run: one training, in a section, under a name."""

    section: str
    name: str
    seed: int

    @property
    def key(self) -> str:
        """Return a key that is unique to the row."""
        return f"{self.section}/{self.name}/{self.seed}"

    def folder(self, below: Path) -> Path:
        """Return the run folder; plans are carried out in the world that was learned."""
        section = "gym" if self.section == "act" else self.section
        return below / f"{section}-{self.name}-s{self.seed}".replace(" ", "-").replace("%", "")


def learn(run: Path, domain: str, seed: int, length: int, *settings: str, instances: int = 30) -> dict[str, Any]:
    """Learn a world and solve problems in it; return the results."""
    planners = [word for planner in PLANNERS for word in ("--planner", planner)]
    problems = ("--length", str(length), "--instances", str(instances), *GOALS)
    return cube(run, "run", "--domain", domain, "--seed", str(seed), *settings, *planners, *problems, "-o", str(run))


def gym(row: Row, run: Path) -> dict[str, Any]:
    """Return the row of a level."""
    domain, length = {**GYM, **LEVELS, **DEEPCUBEAI}[row.name]
    result = learn(run, domain, row.seed, length)
    with np.load(run / "data.npz") as data:
        states, moves = len(data["found_frames"]), len(np.unique(data["found_moves"][:, [0, 2]], axis=0))
        pairs = len(data["before"])
    diagnosis = cube(run, "diagnose", str(run))
    return {
        "domain": domain,
        "states": states,
        "moves": moves,
        "pairs": pairs,
        "length": length,
        "recall": diagnosis["recall"],
        "wrong": diagnosis["wrong"],
        "warned": [each["about"] for each in result["judgement"]["findings"] if each["warning"]],
        "plans": {name: counts(table) for name, table in result["planners"].items()},
    }


def act(row: Row, run: Path) -> dict[str, Any]:
    """Return how often goals were reached in the environment itself."""
    rows = {}
    for labels in LABELS:
        out = run / f"acts-{labels}"
        done = cube(run, "act", "--run", str(run), "--labels", str(labels), "-o", str(out))
        rows[str(labels)] = {key: done[key] for key in ("starts", "reached", "as_short_as_possible", "seed")}
        rows[str(labels)]["steps"] = sum(record["steps"] for record in done["records"])
    return {"domain": GYM[row.name][0], "labels": rows}


def pddlgym(row: Row, run: Path) -> dict[str, Any]:
    """Return the row of a problem of PDDLGym, with all its moves in the data or with some held out."""
    name, _, held = row.name.partition(", ")
    problem, lengths, *_ = PDDLGYM[name]
    world, moves = explored(problem, run.parent)
    domain = f"frames:path={world}" + (",held_out=0.1" if held else "")
    settings = ("--set", f"data.transitions={max(5000, SHOWN * moves)}")
    first, *others = lengths
    results = [learn(run, domain, row.seed, first, *settings, instances=EACH)]
    results += [cube(run, "evaluate", str(run), "--length", str(length)) for length in others]
    diagnosis = cube(run, "diagnose", str(run))
    return {
        "domain": f"pddlgym:problem={problem}" + (",held_out=0.1" if held else ""),
        "lengths": lengths,
        "recall": diagnosis["recall"],
        "wrong": diagnosis["wrong"],
        "plans": {planner: " ".join(counts(result["planners"][planner]) for result in results) for planner in PLANNERS},
    }


def explored(problem: str, folder: Path) -> tuple[Path, int]:
    """Return a file with all frames and moves of a problem, explored only once, since PDDLGym is slow."""
    file = folder / problem.replace(".pddl", ".npz")
    if not file.is_file():
        domain = load_plugins().create("domain", f"pddlgym:problem={problem}")
        edges = np.unique(domain.found.moves[:, [0, 2]], axis=0)
        np.savez_compressed(file, frames=domain.found.frames, edges=edges)
    with np.load(file) as archive:
        return file, len(archive["edges"])


def counts(table: dict[str, Any]) -> str:
    """Return found/valid/optimal."""
    return "/".join(str(table[key]) for key in ("found", "valid", "optimal"))


def tables(records: dict[str, dict[str, Any]]) -> str:
    """Return all records in Markdown."""
    rows = {section: [r for key, r in sorted(records.items()) if key.startswith(f"{section}/")] for section in SECTIONS}
    lines = []
    titles = {"gym": "Gymnasium", "levels": "MiniGrid, more of them", "deepcubeai": "DeepCubeAI, without labels"}
    for section, title in titles.items():
        if not rows[section]:
            continue
        lines += ["", f"## Levels of {title}: found/valid/optimal of 30", ""]
        head = "| world | seed | states | moves | pairs | distance | recall | wrong per state | warned | LMcut | LAMA |"
        lines += [head, "|---" * 11 + "|"]
        for r in rows[section]:
            facts = [r[key] for key in ("name", "seed", "states", "moves", "pairs", "length")]
            figures = [f"{r['recall']:.4f}", f"{r['wrong']:.4f}", warned(r)]
            lines.append(line(*facts, *figures, *(r["plans"][planner] for planner in PLANNERS)))
    if rows["act"]:
        lines += ["", "## Plans carried out, judged by the environment", ""]
        lines += ["| world | seed | labelled steps | goals reached | as soon as possible | steps in all |"]
        lines += ["|---|---|---|---|---|---|"]
        for r in rows["act"]:
            for labels, done in r["labels"].items():
                reached = f"{done['reached']} of {done['starts']}"
                lines.append(line(r["name"], r["seed"], labels, reached, done["as_short_as_possible"], done["steps"]))
    if rows["pddlgym"]:
        lines += ["", f"## Problems of PDDLGym, without labels: found/valid/optimal of {EACH} at each plan length", ""]
        lines += [
            "| problem | seed | lengths | recall | wrong per state | LMcut | LAMA | R-latplan, of 3 | Latplan, of 3 |"
        ]
        lines += ["|---|---|---|---|---|---|---|---|---|"]
        for r in rows["pddlgym"]:
            published = PDDLGYM[r["name"].partition(", ")[0]][2:]
            plans = [r["plans"][planner] for planner in PLANNERS]
            lengths = " ".join(map(str, r["lengths"]))
            figures = (f"{r['recall']:.4f}", f"{r['wrong']:.4f}")
            lines.append(line(r["name"], r["seed"], lengths, *figures, *plans, *published))
    return "\n".join(lines) + "\n"


def warned(record: dict[str, Any]) -> str:
    """Return what the program warned of, from pairs alone; a dash where an older row does not say."""
    return ", ".join(record["warned"]) or "no" if "warned" in record else "–"


def line(*cells: object) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


SECTIONS = {"gym": gym, "levels": gym, "act": act, "pddlgym": pddlgym, "deepcubeai": gym}
NAMES = {
    "gym": list(GYM),
    "levels": list(LEVELS),
    "act": [ACTED],
    "deepcubeai": list(DEEPCUBEAI),
    "pddlgym": [f"{name}{way}" for way in ("", ", 10 % held out") for name in PDDLGYM],
}


def write(records: dict[str, dict[str, Any]]) -> None:
    """Write all records, as they are and as tables."""
    machine = {key: value for key, value in environment().items() if key != "date"}
    about = {"instance_seed": INSTANCE_SEED, "machine": machine}
    write_json(RESULTS.with_suffix(".json"), {**about, "rows": {key: records[key] for key in sorted(records)}})
    head = (
        "# Third-party worlds, by `benchmarks/worlds.py`\n\n"
        f"Problems with random goals, of seed {INSTANCE_SEED}; {machine['processor']}, {machine['cores']} cores, one "
        "thread per run; dates are in worlds.json. The levels are those of Gymnasium and MiniGrid, with `level=0` "
        "where nothing else is said; what the program warned of, from pairs alone, is in a column. The "
        "problems of PDDLGym are of the size that R-latplan used; its two columns are read off its publication (see "
        "the page 'Third-party worlds'), for its own instances, and it was given the label of every transition.\n"
    )
    write_text(RESULTS.with_suffix(".md"), head + tables(records))


def main() -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="+", choices=list(SECTIONS))
    parser.add_argument("--seeds", default="0-0", help="first-last, of data and training")
    parser.add_argument("--folder", type=Path, default=Path("runs/worlds"))
    parser.add_argument("--again", action="store_true", help="also the rows that results/worlds.json has already")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    known = read_json(RESULTS.with_suffix(".json")) if RESULTS.with_suffix(".json").is_file() else {"rows": {}}
    assert isinstance(known, dict)
    records = dict(known["rows"])
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for row in selected_rows(arguments.sections, range(int(first), int(last or first) + 1)):
        if row.key in records and not arguments.again:
            continue
        try:
            record = SECTIONS[row.section](row, row.folder(arguments.folder))
        except subprocess.CalledProcessError as error:
            print(f"{row.key} failed: {error}", file=sys.stderr, flush=True)
            continue
        print(row.key, record, flush=True)
        records[row.key] = {"name": row.name, "seed": row.seed, **record, "date": time.strftime("%Y-%m-%d")}
        write(records)  # after each row: nothing is lost if the rest is not run


def selected_rows(sections: Sequence[str], seeds: Sequence[int]) -> list[Row]:
    """Return the rows, all of one seed first."""
    return [Row(section, name, seed) for seed in seeds for section in sections for name in NAMES[section]]


if __name__ == "__main__":
    main()
