"""How long `make run` and `make test` take, by the clock and by the processor, in a fresh clone of this repository.

    python benchmarks/times.py [run] [test] [--repeat 1] [--venv .venv]

The clone is made in a temporary folder. An environment that is already set up is used as it is, so that nothing is
downloaded; its packages are those of constraints.txt. Writes results/times.json and times.md; targets that are not
asked for stay. It belongs on a machine that does nothing else: the load before each call is written beside the times.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from cubespace.base.files import read_json, write_json, write_text
from cubespace.runs.folder.machine import environment

ROOT = Path(__file__).parents[1]
RESULTS = Path("results")
TARGETS = ("run", "test")
PASSED = re.compile(r"\d+ passed(?:, \d+ skipped)?")
PLANS = re.compile(r"^fd-\S+ +(\d+) +(\d+) +(\d+) +(\d+) ", re.MULTILINE)


def main() -> None:
    """Time the targets and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="run, test; without any: both")
    parser.add_argument("--repeat", type=int, default=1, help="how often each target is made")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="an environment that is set up")
    arguments = parser.parse_args()
    if unknown := set(arguments.targets) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))} (there are: {', '.join(TARGETS)})")
    file = RESULTS / "times.json"
    known = read_json(file) if file.is_file() else {"targets": {}}
    assert isinstance(known, dict)
    targets = dict(known["targets"])
    for target in arguments.targets or TARGETS:
        targets[target] = [made(target, arguments.venv.absolute()) for _ in range(arguments.repeat)]
        write_results(targets)  # after each: nothing is lost if the next one is interrupted


def made(target: str, venv: Path) -> dict[str, Any]:
    """Make a target in a clone of its own, and return how long it took."""
    with tempfile.TemporaryDirectory(prefix="cubespace-") as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        load = os.getloadavg()[0]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources(clone)))}
        (venv / ".ready").touch()  # newer than the clone, so that nothing is set up again
        command = ["make", target, f"VENV={venv}"]
        begun, before = time.monotonic(), os.times()
        answer = subprocess.run(command, cwd=clone, env=variables, stdout=subprocess.PIPE, text=True, check=True)
        after = os.times()
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=clone, capture_output=True, text=True, check=True
        )
    cpu = sum(getattr(after, name) - getattr(before, name) for name in ("children_user", "children_system"))
    return {
        "seconds": round(time.monotonic() - begun, 1),
        "cpu_seconds": round(cpu, 1),
        "load_before": round(load, 2),
        "commit": commit.stdout.strip(),
        "said": said(answer.stdout),
        "date": time.strftime("%Y-%m-%d"),
    }


def sources(clone: Path) -> list[Path]:
    """Return the folders of a clone that hold packages, so that the environment imports these and not its own."""
    return [clone / "core", *sorted(path for path in (clone / "plugins").iterdir() if path.is_dir())]


def said(text: str) -> str:
    """Return what a target came to, in its own words: plans found, or tests passed."""
    plans = [f"{found}/{valid}/{optimal} of {number}" for number, found, valid, optimal in PLANS.findall(text)]
    return "; ".join([*plans, *PASSED.findall(text)])


def write_results(targets: dict[str, list[dict[str, Any]]]) -> None:
    """Write all times, as they are and as a table."""
    machine = {key: value for key, value in environment().items() if key != "date"}
    write_json(RESULTS / "times.json", {"machine": machine, "targets": targets})
    lines = [
        "| command | seconds | CPU seconds | load before | commit | date | it says |",
        "|---|---|---|---|---|---|---|",
    ]
    for target, several in targets.items():
        for each in several:
            cells = (
                each["seconds"],
                each["cpu_seconds"],
                each["load_before"],
                each["commit"],
                each["date"],
                each["said"],
            )
            lines.append(f"| `make {target}` | {' | '.join(map(str, cells))} |")
    about = (
        f"{machine['processor']}, {machine['cores']} cores; each in a fresh clone, with an environment that was set up."
    )
    command = "`python benchmarks/times.py`"
    write_text(RESULTS / "times.md", "\n".join(["# What make takes", "", about, "", command, "", *lines, ""]))


if __name__ == "__main__":
    main()
