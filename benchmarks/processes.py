"""Commands of ``cube`` in processes of their own, one thread each: what benchmarks that train have in common."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from cubespace.base.options import Spec, parse_spec


def cube(run: Path, *arguments: str, accepted: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run a command of one thread, its messages kept in a log beside the run; return its JSON and its CPU seconds.

    Exit codes that are not ``accepted`` raise.
    """
    run.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "cubespace.cli", *arguments, "--json"]
    with Path(f"{run}.log").open("a") as log, tempfile.TemporaryFile() as answer:
        log.write(f"{time.strftime('%H:%M:%S')} {' '.join(arguments)}\n")
        log.flush()
        process = subprocess.Popen(command, stdout=answer, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
        _, status, usage = os.wait4(process.pid, 0)  # of this child and its own children alone
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in accepted:
            raise subprocess.CalledProcessError(process.returncode, command)
        answer.seek(0)
        result: dict[str, Any] = json.loads(answer.read())
    return {**result, "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1)}


def domain_spec(domain: str, mandrill: Path | str | None) -> str:
    """Return the spec of a domain, with the picture of the mandrill, which is not shipped, where it is needed."""
    spec = parse_spec(domain)
    if spec.name != "mandrill" or not mandrill:
        return domain
    return str(Spec(spec.name, {**spec.options, "image": mandrill}))
