"""Pictures of a camera in a hand: it moves, turns and tilts, the light changes, things are put down inexactly.

    python benchmarks/camera.py [--rows mnist-all,lightsout-all] [--seeds 820-822] [--pairs 3000] [--print]

Each row is a run of ``cube run`` with default settings, and of ``cube diagnose``, in a process of one thread. Learning
sees spoiled pairs; plans are asked for between spoiled pictures that no training has seen, and a simulator that knows
the clean world judges. Fixed cameras are beside them: there the registration must say that nothing moves. Writes
results/camera.json and camera.md; rows that are there already stay, unless ``--again`` asks for them. Seeds below 800
were for tuning.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
from judged_runs import judged, known, outcome

from cubespace.base.files import write_json, write_text

LIGHT = {"gain": "0.2", "offset": "0.05", "slope": "0.1", "noise": "0.012"}
KINDS: dict[str, dict[str, str]] = {
    "fixed": {"noise": "0.008"},
    "shift1": {"move": "1", "noise": "0.008"},
    "shift2": {"move": "2", "noise": "0.008"},
    "turn": {"turn": "2", "noise": "0.008"},
    "tilt": {"perspective": "1.5", "noise": "0.008"},
    "light": LIGHT,
    "all": {"move": "2", "turn": "2", "perspective": "1.5", **LIGHT},
    "far": {"move": "8", "noise": "0.008"},
    "place": {"place": "1.5", "place_turn": "12", "noise": "0.008"},
}
WORLDS = {"mnist": "mnist", "photo": "photo", "lightsout": "lightsout", "hanoi4": "hanoi:disks=4", "blocks": "blocks"}
GROUNDS = {"": "textured", "-black": "black"}


@attrs.frozen(kw_only=True)
class Row:
    """A world, seen by a camera."""

    world: str
    kind: str
    ground: str
    seed: int
    pairs: int

    @property
    def name(self) -> str:
        """Return what the row is called in the table."""
        return f"{self.world}-{self.kind}{'-black' if self.ground == 'black' else ''}"

    @property
    def key(self) -> str:
        """Return a key that is unique to the row."""
        return f"{self.name}-n{self.pairs}-s{self.seed}"

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings of ``cube run``."""
        spoiled = {f"data.spoil.{name}": value for name, value in KINDS[self.kind].items()}
        around = {} if self.kind == "fixed" else {"data.spoil.ground": self.ground}
        return {**spoiled, **around, "data.transitions": str(self.pairs)}


def named(name: str, seed: int, pairs: int) -> Row:
    """Return the row of a name such as ``mnist-all-black``."""
    world, kind, *black = name.split("-")
    return Row(world=world, kind=kind, ground="black" if black else "textured", seed=seed, pairs=pairs)


def work(row: Row, folder: Path) -> dict[str, Any]:
    """Run a row and return its record."""
    record = judged(folder / row.key, WORLDS[row.world], row.seed, row.settings)
    return {**attrs.asdict(row), "name": row.name, **record}


def page(records: Mapping[str, dict[str, Any]]) -> str:
    """Return the page of results."""
    lines = [
        "Made by `benchmarks/camera.py`, seeds that nothing was tuned on, one training each.",
        "Shift in pixels each way, turn 2°, corners off by 1.5 pixels, light ±20 %, offset ±5 %, slope ±10 %, noise;",
        "`all` is all of it; `place`: things are put down off by up to 1.5 pixels and 12°. On textured ground, unless",
        "*black* is said.",
        "Plans are found/valid/optimal of 30, fd-lmcut; moves against the true ones, wrong ones per state.",
        "",
        "| data | pairs | seed | learner | what moved | actions | plans | recall | wrong | warnings | CPU s | made |",
        "|---|---:|---:|---|---|---:|---|---:|---:|---|---:|---|",
    ]
    for _, row in sorted(records.items()):
        cells = [
            row["name"],
            f"{row['pairs']:,}",
            str(row["seed"]),
            row["learner"],
            _moved(row["registration"]),
            str(row["actions"]),
            *outcome(row),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _moved(registration: Mapping[str, Any] | None) -> str:
    """Return what the registration found, in a few words."""
    if registration is None or not registration["registered"]:
        return "nothing"
    found = registration["deviations"]
    return ", ".join(f"{name} {found[name]:.2f}" for name in ("right", "down", "turned", "gain") if found[name] >= 0.01)


def main(arguments: Sequence[str] | None = None) -> None:
    """Work the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=",".join(f"{world}-all" for world in WORLDS))
    parser.add_argument("--seeds", default="820")
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--folder", type=Path, default=Path("runs/camera"))
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--print", action="store_true", help="write the page again, from the records that are there")
    chosen = parser.parse_args(arguments)
    kept = chosen.results / "camera.json"
    first, last = (int(part) for part in (chosen.seeds.split("-") * 2)[:2])
    for seed in () if chosen.print else range(first, last + 1):
        for row in (named(name, seed, chosen.pairs) for name in chosen.rows.split(",")):
            if row.key in known(kept) and not chosen.again:
                continue
            record = work(row, chosen.folder)
            write_json(kept, {"records": {**known(kept), row.key: record}})  # others may write rows meanwhile
            print(row.key, record["plans"], record["recall"], record["wrong"], record["cpu_seconds"], flush=True)
    write_text(chosen.results / "camera.md", page(known(kept)))


if __name__ == "__main__":
    main()
