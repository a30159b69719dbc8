"""The default recipe, without presets, on boards, photographs, lamps, towers and spoiled data.

    python benchmarks/recipe.py domains [--mandrill PICTURE] [--seeds 0-4] [--jobs 2]
    python benchmarks/recipe.py stacks --seeds 700-702
    python benchmarks/recipe.py boards towers robustness held-out [--worlds FOLDER]

Every row is a run of ``cube run`` and ``cube diagnose`` in processes of one thread. Instances and the states of the
diagnosis come from seeds of their own, which no tuning has used. Runs go to folders below ``--folder``. Writes
results/recipe.json and recipe.md; rows that are there already stay, unless ``--again`` asks for them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
from processes import cube

from cubespace.base.files import read_json, write_json, write_text
from cubespace.runs.folder.machine import environment

PLANNERS = ("fd-blind", "fd-lmcut", "fd-ms", "fd-gc", "fd-lama")
TWO = ("fd-lmcut", "fd-lama")
WITHOUT_MERGING = ("fd-blind", "fd-lmcut", "fd-gc", "fd-lama")
INSTANCE_SEED, DIAGNOSIS_SEED = 60221, 90210  # used by nothing else
RESULTS = Path("results")
COLUMNS = ("data", "seed", "learner", "differences", "actions", "recall", "wrong per state")


SPOILED: dict[str, tuple[str, ...]] = {
    "noise-1": ("data.spoil.noise=0.1",),
    "noise-2": ("data.spoil.noise=0.2",),
    "noise-3": ("data.spoil.noise=0.3",),
    "light": ("data.spoil.light=0.3",),
    "lamp-1": ("data.spoil.blink=1",),
    "lamps-2": ("data.spoil.blink=2",),
    "walks-100x50": ("data.spoil.walks=100",),
    "walk-5000": ("data.spoil.walks=1",),
    "from-goal-5000": ("data.spoil.walks=1", "data.spoil.from_goal=on"),
    "pairs-1500": ("data.transitions=1500",),
    "pairs-1000": ("data.transitions=1000",),
    "wrong-5%": ("data.spoil.wrong=0.05",),
}
SHIFTED: dict[str, tuple[str, ...]] = {"shift-1": ("data.spoil.shift=1",)}  # no places: the plain recipe, minutes each


@attrs.frozen(kw_only=True)
class Row:
    """One training, and the problems that are solved with it."""

    section: str
    name: str
    domain: str
    seed: int = 0
    settings: tuple[str, ...] = ()
    planners: tuple[str, ...] = PLANNERS
    problems: tuple[tuple[str, ...], ...] = ((),)  # further options of `cube evaluate`, one set after the other

    @property
    def key(self) -> str:
        """Return a key that is unique to the row."""
        return f"{self.section}/{self.name}-s{self.seed}"


_ANYWHERE = ("--set", "plan.random_goals=on", "--model", "auto")
_STACKS = tuple(
    Row(
        section="stacks",
        name=name,
        domain=domain,
        settings=settings,
        planners=TWO,
        problems=(("--length", str(length), *_ANYWHERE),),
    )
    for name, domain, settings, length in (
        ("blocks-3x3", "blocks:blocks=3,columns=3", (), 3),
        ("bins-4x3", "blocks:blocks=4,columns=3", ("data.spoil.noise=0.016",), 6),
        ("blocks-5x4", "blocks:blocks=5,columns=4", (), 6),
        ("gripper-4x3", "blocks:blocks=4,columns=3,gripper=on", (), 8),
    )
)


def rows(sections: Iterable[str], seeds: Sequence[int], mandrill: str | None, worlds: Path) -> list[Row]:
    """Return the rows of some sections."""
    picture = f",image={mandrill}" if mandrill else ""
    goals = ("--length", "7", "--set", "plan.random_goals=on")
    far = (("--length", "14", "--instances", "20"), ("--length", "21", "--instances", "20"))
    table: dict[str, list[Row]] = {
        "domains": [
            Row(
                section="domains",
                name=name,
                domain=f"mandrill{picture.replace(',', ':', 1)}" if name == "mandrill" else name,
                seed=seed,
            )
            for name in ("mnist", "photo", "spider", "mandrill", "lightsout", "twisted")
            for seed in seeds
        ],
        "boards": [
            _board("mandrill15", f"mandrill:size=4{picture}", far),
            _board("photo15", "photo:size=4", far),
        ],
        "large-boards": [_board("photo24", "photo:size=5", (("--length", "14", "--instances", "10"),), "large-boards")],
        "towers": [
            Row(section="towers", name=f"hanoi{disks}", domain=f"hanoi:disks={disks}", seed=seed, problems=((), goals))
            for disks in (4, 9)
            for seed in seeds[:2]
        ],
        "stacks": [attrs.evolve(row, seed=seed) for row in _STACKS for seed in seeds],
        "robustness": [row for domain in ("mnist", "photo") for row in _spoiled(domain, SPOILED, seeds[0])],
        "shift": [row for domain in ("mnist", "photo") for row in _spoiled(domain, SHIFTED, seeds[0])],
        "worlds": [
            Row(section="worlds", name=name, domain=f"frames:path={worlds / file}", planners=TWO, problems=(goals,))
            for name, file in (
                ("doorkey5", "doorkey5.npz"),
                ("doorkey5-held", "doorkey5.npz,held_out=0.2"),
                ("doorkey6", "doorkey6.npz"),
            )
        ],
        "held-out": [
            Row(section="held-out", name="coins", domain=f"photo:image={worlds / 'coins.png'}"),
            Row(section="held-out", name="astronaut", domain=f"photo:image={worlds / 'astronaut.png'}"),
            Row(section="held-out", name="texture", domain=f"photo:image={worlds / 'texture.png'}"),
            # merge-and-shrink takes minutes for each problem with this many lamps
            Row(section="held-out", name="lightsout6", domain="lightsout:size=6", planners=WITHOUT_MERGING),
            Row(section="held-out", name="hanoi7", domain="hanoi:disks=7", problems=((), goals)),
            Row(
                section="held-out",
                name="arm",
                domain=f"frames:path={worlds / 'arm.npz'}",
                settings=("data.transitions=3000", "data.spoil.noise=0.01"),
                planners=TWO,
                problems=(("--length", "5", "--instances", "40", "--set", "plan.random_goals=on"),),
            ),
        ],
    }
    return [row for section in sections for row in table[section]]


def _board(name: str, domain: str, problems: tuple[tuple[str, ...], ...], section: str = "boards") -> Row:
    settings = ("data.transitions=10000",)
    # blind search takes minutes at distance 21
    return Row(section=section, planners=PLANNERS[1:], name=name, domain=domain, settings=settings, problems=problems)


def _spoiled(domain: str, ways: dict[str, tuple[str, ...]], seed: int) -> list[Row]:
    return [
        Row(section="robustness", name=f"{domain}-{way}", domain=domain, seed=seed, settings=settings, planners=TWO)
        for way, settings in ways.items()
    ]


def work(row: Row, folder: Path, instance_seed: int) -> dict[str, Any]:
    """Run a row and return its record."""
    run = folder / row.key.replace("/", "-").replace("%", "")
    planners = [word for planner in row.planners for word in ("--planner", planner)]
    settings = [word for setting in (*row.settings, f"plan.seed={instance_seed}") for word in ("--set", setting)]
    first, *others = row.problems
    learned = cube(
        run, "run", "--domain", row.domain, "--seed", str(row.seed), *settings, *planners, *first, "-o", str(run)
    )
    counts = [_counts(learned)] + [_counts(cube(run, "evaluate", str(run), *options)) for options in others]
    diagnosis = cube(run, "diagnose", str(run), "--seed", str(DIAGNOSIS_SEED))
    chosen, extraction = read_json(run / "learner.json"), read_json(run / "extraction.json")
    assert isinstance(chosen, dict)
    assert isinstance(extraction, dict)
    return {
        **attrs.asdict(row),
        "domain": re.sub(r"=[^,]*/(?=[^,/])", "=", row.domain),  # of paths, only the last part
        "learner": chosen["learner"],
        "variables": chosen["variables"],
        "differences": extraction["differences"],
        "actions": extraction["actions"],
        "recall": diagnosis["recall"],
        "wrong": diagnosis["wrong"],
        "plans": [
            " + ".join(each) for each in zip(*([count[name] for name in row.planners] for count in counts), strict=True)
        ],
        "model": learned["model"],
        "cpu_seconds": learned["cpu_seconds"],
        "instance_seed": instance_seed,
        "date": time.strftime("%Y-%m-%d"),
    }


def _counts(results: dict[str, Any]) -> dict[str, str]:
    return {
        name: "/".join(str(row[key]) for key in ("found", "valid", "optimal"))
        for name, row in results["planners"].items()
    }


def table(records: Sequence[dict[str, Any]]) -> str:
    """Return all records as tables in Markdown, one per section."""
    lines = []
    for section in dict.fromkeys(record["section"] for record in records):
        some = [record for record in records if record["section"] == section]
        planners = max((record["planners"] for record in some), key=len)
        lines += [
            f"\n## {section}\n",
            f"| {' | '.join((*COLUMNS, *planners))} | CPU s |",
        ]
        lines.append("|" + "---|" * (len(COLUMNS) + len(planners) + 1))
        for record in some:
            plans = [
                record["plans"][record["planners"].index(name)] if name in record["planners"] else ""
                for name in planners
            ]
            figures = (record["differences"], record["actions"], f"{record['recall']:.4f}", f"{record['wrong']:.4f}")
            other = record.get("model", "learned")  # what was planned with and diagnosed
            learner = record["learner"] + (f", {other}" if other != "learned" else "")
            cells = (record["name"], record["seed"], learner, *figures, *plans, record["cpu_seconds"])
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="+")
    parser.add_argument("--seeds", default="0-4", help="first-last")
    parser.add_argument("--mandrill", help="the picture of the mandrill, which is not shipped")
    parser.add_argument("--worlds", type=Path, default=Path("worlds"), help="folder with doorkey5.npz, coins.png …")
    parser.add_argument("--folder", type=Path, default=Path("runs/recipe"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--instance-seed", type=int, default=INSTANCE_SEED, help="of the problems that are solved")
    parser.add_argument("--again", action="store_true", help="also the rows that results/recipe.json has already")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    selected = rows(arguments.sections, list(seeds), arguments.mandrill, arguments.worlds)
    file = RESULTS / "recipe.json"
    known = read_json(file) if file.is_file() else {"rows": []}
    assert isinstance(known, dict)
    records = {f"{record['section']}/{record['name']}-s{record['seed']}": record for record in known["rows"]}

    lock = threading.Lock()

    def do(row: Row) -> None:
        if row.key in records and not arguments.again:
            return
        try:
            record = work(row, arguments.folder, arguments.instance_seed)
        except subprocess.CalledProcessError as error:
            print(f"{row.key} failed: {error}", file=sys.stderr, flush=True)
            return
        print(row.key, record["recall"], record["wrong"], *record["plans"], flush=True)
        with lock:  # after each row: nothing is lost if the rest is not run
            records[row.key] = record
            write_results([records[key] for key in sorted(records)])

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(do, selected))


def write_results(records: Sequence[dict[str, Any]]) -> None:
    """Write all records, as they are and as tables."""
    machine = {key: value for key, value in environment().items() if key != "date"}
    write_json(RESULTS / "recipe.json", {"diagnosis_seed": DIAGNOSIS_SEED, "machine": machine, "rows": list(records)})
    about = (
        f"Instances of the seeds that recipe.json has for each row, diagnosis of seed {DIAGNOSIS_SEED}; "
        f"{machine['processor']}, {machine['cores']} cores, one thread per run. Plans are found/valid/optimal."
    )
    head = f"# The recipe, by `benchmarks/recipe.py`\n\n{about}\n"
    write_text(RESULTS / "recipe.md", head + table(records))


if __name__ == "__main__":
    main()
