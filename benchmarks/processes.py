"""Commands of ``cube`` in processes of their own, one thread each: what benchmarks that train have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cubespace import __version__
from cubespace.base.files import read_json, write_json
from cubespace.base.options import Spec, parse_spec


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


def kept(file: Path, key: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what ``file`` has under ``key``, or else make it and keep it there; another version makes it anew."""
    mark = {"cubespace": __version__, "key": key}
    known = read_json(file) if file.is_file() else None
    if isinstance(known, dict) and known.items() >= mark.items():
        answer: dict[str, Any] = known["answer"]
        return answer
    answer = make()
    write_json(file, {**mark, "answer": answer})
    return answer


def domain_spec(domain: str, mandrill: Path | str | None) -> str:
    """Return the spec of a domain, with the picture of the mandrill, which is not shipped, where it is wanted."""
    spec = parse_spec(domain)
    if spec.name != "mandrill" or not mandrill:
        return domain
    return str(Spec(spec.name, {**spec.options, "image": mandrill}))


def train_minutes(folder: Path) -> float:
    """Return the time that the training of a run took, over all interruptions."""
    rows = (json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines())
    return round(sum(row["seconds"] for row in rows) / 60, 2)
