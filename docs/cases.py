"""Commands that are typed for a page, each with what it said, how it ended, and one film strip that is kept."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
from PIL import Image

from cubespace.base.files import read_json, write_json
from cubespace.evaluation.plan_record import PlanRecord
from cubespace.report.run_files import Facts, read_facts

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SAID = ("warning:", "cube:")  # how the lines begin that a failure comes with
TEMPORARY = re.compile(rf"{tempfile.gettempdir()}/cube-[^/]*/")  # a folder that has another name each time
COLOURS = 128
Choose = Callable[[Facts], PlanRecord | None]  # the plan of a run to show


@attrs.frozen(kw_only=True)
class Case:
    """A command: its name, what it shows, what is typed, and what has to be there before."""

    name: str
    title: str
    why: str
    words: tuple[str, ...]
    first: Callable[[], None] = lambda: None


@attrs.frozen(kw_only=True)
class Gallery:
    """Cases of one page: results go to results/NAME.json, strips to docs/pictures/PREFIX-CASE.png."""

    name: str
    prefix: str
    cases: Sequence[Case]
    choose: Choose

    def main(self, about: str) -> None:
        """Type the cases that are named, or all that have no result yet."""
        parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(case.name for case in self.cases))
        again = parser.parse_args().names
        if unknown := set(again) - {case.name for case in self.cases}:
            parser.error(f"there is no {', '.join(sorted(unknown))}")
        target = ROOT / "results" / f"{self.name}.json"
        known = read_json(target) if target.is_file() else {}
        done = dict(known) if isinstance(known, dict) else {}
        for case in self.cases:
            if case.name in again or (not again and case.name not in done):
                done[case.name] = self.typed(case)
                write_json(target, {each.name: done[each.name] for each in self.cases if each.name in done})

    def typed(self, case: Case) -> dict[str, object]:
        """Do what a case types and return what came of it."""
        case.first()
        folder = ROOT / "runs" / self.name / case.name
        shutil.rmtree(folder, ignore_errors=True)
        words = [sys.executable, "-m", "cubespace.cli", *case.words, "-o", str(folder)]
        answer = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
        print(case.name, answer.returncode, flush=True)
        lines = [*answer.stdout.splitlines(), *answer.stderr.splitlines()]
        said = [TEMPORARY.sub("…/", line.replace(f"{ROOT}/", "")) for line in lines if line.startswith(SAID)]
        return {
            "title": case.title,
            "why": case.why,
            "command": shlex.join(["cube", *case.words]),
            "exit_code": answer.returncode,
            "said": list(dict.fromkeys(said)),
            **self._shown(case, folder),
        }

    def _shown(self, case: Case, folder: Path) -> dict[str, object]:
        """Return who made the model and how many plans are right, and keep the strip of one."""
        strip = folder / "strip.png"
        facts: dict[str, object] = {}
        if (folder / "results.json").is_file():
            found = read_facts(folder)
            (row,) = found.planners.values()
            facts = {"learner": found.made_by, "instances": row.instances, "found": row.found}
            facts |= {"valid": row.valid, "optimal": row.optimal}
            plan = self.choose(found)
            strip = folder / "problems" / plan.problem / plan.planner / "strip.png" if plan else strip
        picture = PICTURES / f"{self.prefix}-{case.name}.png"
        picture.unlink(missing_ok=True)
        if strip.is_file():
            Image.open(strip).convert("RGB").quantize(COLOURS).save(picture, optimize=True)
            facts["picture"] = picture.name
        return facts
