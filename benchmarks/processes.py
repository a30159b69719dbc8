"""Commands of ``cube`` in processes of their own, one thread each: what benchmarks that train have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def cube(folder: Path, *arguments: str) -> dict[str, Any]:
    """Run a command about a run folder, its talk kept in a log beside the folder, and return its JSON."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "cubespace.cli", *arguments, "--json"]
    with folder.with_suffix(".log").open("a") as log:
        log.write(f"{time.strftime('%H:%M:%S')} {' '.join(arguments)}\n")
        log.flush()
        alone = {**os.environ, "OMP_NUM_THREADS": "1"}
        answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, check=True, env=alone)
    result: dict[str, Any] = json.loads(answer.stdout)
    return result


def domain_spec(domain: str, mandrill: Path | None) -> str:
    """Return the spec of a domain; the mandrill's picture is not shipped."""
    return f"mandrill:image={mandrill}" if domain == "mandrill" and mandrill else domain


def train_minutes(folder: Path) -> float:
    """Return the time that the training of a run took, over all interruptions."""
    rows = (json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines())
    return round(sum(row["seconds"] for row in rows) / 60, 2)
