"""A run with default settings, judged: what benchmarks of pictures that come from cameras have in common."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from processes import cube

from cubespace.base.files import read_json
from cubespace.runs.folder.machine import environment

PLANNER, INSTANCES = "fd-lmcut", 30
NOT_VALID = 4  # exit code of a run whose plans are not valid, or may not be
INSTANCE_SEED, DIAGNOSIS_SEED, DIAGNOSED_STATES = 62060, 90909, 500  # used by nothing else
PROBLEMS = {  # between pictures that no training has seen
    "plan.instances": str(INSTANCES),
    "plan.seed": str(INSTANCE_SEED),
    "plan.random_goals": "on",
}
Record = dict[str, Any]


def judged(run: Path, domain: str, seed: int, settings: Mapping[str, str]) -> Record:
    """Run ``cube run`` and ``cube diagnose`` in processes of one thread, and return what came of it."""
    typed = [word for name, value in {**settings, **PROBLEMS}.items() for word in ("--set", f"{name}={value}")]
    command = ["--domain", domain, "--seed", str(seed), *typed, "--planner", PLANNER, "-o", str(run)]
    learned = cube(run, "run", *command, accepted=(0, NOT_VALID))
    diagnosis = cube(run, "diagnose", str(run), "--seed", str(DIAGNOSIS_SEED), "--states", str(DIAGNOSED_STATES))
    chosen, extraction, judgement = (table(run / f"{name}.json") for name in ("learner", "extraction", "judgement"))
    counts = learned["planners"][PLANNER]
    return {
        **{key: chosen[key] for key in ("learner", "variables", "bits", "registration")},
        **{key: extraction[key] for key in ("differences", "actions")},
        **{key: diagnosis[key] for key in ("recall", "wrong")},
        "plans": [counts[key] for key in ("found", "valid", "optimal")],
        "warnings": [finding["about"] for finding in judgement["findings"] if finding["warning"]],
        "cpu_seconds": cpu_seconds(run),
        "instance_seed": INSTANCE_SEED,
        "date": time.strftime("%Y-%m-%d"),
        "machine": environment()["processor"],
    }


def cpu_seconds(run: Path) -> float:
    """Return the CPU seconds of all stages of a run but the diagnosis, also if it was interrupted."""
    stages = table(run / "manifest.json")["stages"]
    return round(sum(stage["cpu_seconds"] for name, stage in stages.items() if name != "diagnose"), 1)


def outcome(row: Record) -> list[str]:
    """Return the cells of a table that say what came of a run, from its plans to the day on which it was made."""
    return [
        "/".join(map(str, row["plans"])),
        f"{row['recall']:.4f}",
        f"{row['wrong']:.4f}",
        ", ".join(row["warnings"]) or "none",
        f"{row['cpu_seconds']:.0f}",
        row["date"],
    ]


def table(path: Path) -> Record:
    """Return the table that a file holds."""
    content = read_json(path)
    assert isinstance(content, dict)
    return content


def known(path: Path) -> dict[str, Record]:
    """Return the records of earlier runs of a benchmark."""
    return dict(table(path)["records"]) if path.is_file() else {}
