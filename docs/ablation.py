"""Do what docs/compare-apply-modules.md says, command by command, and keep what each printed and took.

    python docs/ablation.py

Writes results/ablation.json, which the page shows, and docs/pictures/ablation.png, the head of the comparison page.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import screenshots

from cubespace.base.files import write_json

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "compare-apply-modules.md"
TARGET = ROOT / "results" / "ablation.json"
FOLDERS = ("runs/ablation", "runs/one-apply")  # what the commands make


def commands(page: str) -> list[str]:
    """Return the commands of the page, in order."""
    return [line for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]


def main() -> None:
    """Type every command into a shell."""
    for folder in FOLDERS:
        shutil.rmtree(ROOT / folder, ignore_errors=True)
    done = [typed(line) for line in commands(PAGE.read_text("utf-8"))]
    write_json(TARGET, {"date": date.today().isoformat(), "threads": os.environ.get("OMP_NUM_THREADS"), "done": done})
    picture(ROOT / "runs" / "ablation.html")


def typed(line: str) -> dict[str, object]:
    """Return what a command printed, and the seconds of the processor that it and its children took."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where cube is
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run(
        line, shell=True, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, "PATH": path}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{seconds:.1f} s", line, flush=True)
    return {
        "command": line,
        "exit_code": answer.returncode,
        "cpu_seconds": round(seconds, 1),
        "printed": answer.stdout.splitlines(),
        "said": [each for each in answer.stderr.splitlines() if each.startswith(("cube:", "warning:"))],
    }


def picture(page: Path) -> None:
    """Keep the head of the comparison page."""
    with screenshots.browser() as tab:
        tab.goto(page.as_uri())
        screenshots.keep(screenshots.shot(tab, height=860), ROOT / "docs" / "pictures" / "ablation.png")


if __name__ == "__main__":
    main()
