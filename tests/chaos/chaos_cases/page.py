"""The page of a run: how many cases of each class were done, which promises were broken, and what failed."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from chaos_cases.harness import Verdict

TITLES = {
    "kill": "kill -9 of `cube`, all stages",
    "killed search": "kill -9 of planner or supervisor",
    "signal": "SIGINT, SIGTERM, SIGHUP, all stages",
    "places": "full disk, read-only, odd folders, environment, closed outputs",
    "two at once": "two `cube` on one run, folder removed",
    "pictures": "pictures",
    "npz of the user": "npz of the user",
    "CSV of the user": "CSV of the user",
    "settings": "`--set`, domain strings, arguments, TOML",
    "model and checkpoint": "code.safetensors, checkpoint",
    "arrays of a run": "strips.npz, data.npz, bits.npz, traces",
    "tables of a run": "JSON files, metrics, lies of manifest and results",
    "links": "links in a run folder",
    "planner faults": "planner process faults, memory limits",
    "HTML": "HTML injection",
    "plugins": "plugins",
    "numbers": "numerics, odd sizes",
    "reproducibility": "reproducibility",
    "bundles": "bundles of strangers",
    "identity": "the user's pictures changed after a run",
    "studio": "requests to the studio",
    "matrix": "matrices with changed cells",
    "killed matrix": "kill -9 of the driver of a matrix",
    "tune": "tunings with changed files",
}
PROMISES = {
    "results lost or changed": ("lost", "changed"),
    "tracebacks": ("traceback",),
    "hangs": ("hang",),
    "litter": ("litter",),
    "orphans": ("orphan",),
    "wrong culprits": ("wrong culprit",),
    "code run": ("code run", "injected", "written through a link", "a device was replaced"),
    "limits beyond 10 %": ("limit",),
}
SHOWN = 60  # failures that are listed


def summary(verdicts: Sequence[Verdict], seed: int, repeated: Sequence[Verdict], missing: int) -> dict[str, Any]:
    """Return the table, the promises, and what failed."""
    from cubespace.runs.folder.machine import environment

    rows = []
    for group, title in TITLES.items():
        mine = [verdict for verdict in verdicts if verdict.group == group]
        if mine:
            number = sum(sum(verdict.counts.values()) if verdict.counts else 1 for verdict in mine)
            kinds = Counter(kind_of(complaint) for verdict in mine for complaint in set(verdict.complaints))
            rows.append(
                {
                    "class": title,
                    "cases": number,
                    "failures": sum(bool(verdict.complaints) for verdict in mine),
                    "unforeseen": sum(verdict.unexpected for verdict in mine),
                    "worst": ", ".join(f"{kind} {count}" for kind, count in kinds.most_common(3)),
                    "cpu_seconds": round(sum(verdict.cpu_seconds for verdict in mine), 1),
                }
            )
    hit: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        if verdict.counts:
            hit.setdefault(TITLES[verdict.group], Counter()).update(verdict.counts)
    kinds = Counter(kind_of(complaint) for verdict in verdicts for complaint in verdict.complaints)
    limits = [verdict.seconds for verdict in verdicts if verdict.group == "planner faults"]
    return {
        "command": command(),
        "environment": environment(),
        "time": time.strftime("%Y-%m-%d %H:%M"),
        "seed": seed,
        "missing": missing,
        "classes": rows,
        "repeated": [verdict.record() for verdict in repeated],
        "hits": {title: dict(counts) for title, counts in hit.items()},
        "promises": {name: sum(kinds[kind] for kind in of) for name, of in PROMISES.items()},
        "longest_planner_case": max(limits, default=None),
        "failures": [verdict.record() for verdict in verdicts if verdict.complaints],
        "excused": [verdict.record() for verdict in verdicts if verdict.excused],
    }


def command() -> str:
    """Return the command line, without what does not matter: the working folder, and in which parts it was done."""
    words = iter(sys.argv)
    kept = [word for word in words if word not in ("--work", "--slice", "--minutes") or not next(words, None)]
    return shlex.join(["python", *(word for word in kept if word not in ("--again", "--page"))])


def kind_of(complaint: str) -> str:
    """Return the sort of a complaint."""
    return complaint.partition(":")[0]


def markdown(result: dict[str, Any]) -> str:
    """Return the tables."""
    machine = result["environment"]
    lines = [
        f"`{result['command']}`, seed {result['seed']}, {result['time']}, cubespace {machine['cubespace']}, "
        f"{machine['processor']}, {machine['cores']} cores",
        *(["", f"**Not finished: {result['missing']:,} of the cases are missing.**"] if result["missing"] else []),
        "",
        "| class | cases | failures | unforeseen | worst | CPU s |",
        "|---|---|---|---|---|---|",
    ]
    rows = result["classes"]
    lines += [
        f"| {row['class']} | {row['cases']} | {row['failures']} | {row['unforeseen']} | {row['worst'] or '-'} "
        f"| {row['cpu_seconds']:.0f} |"
        for row in rows
    ]
    sums = {name: sum(row[name] for row in rows) for name in ("cases", "failures", "unforeseen", "cpu_seconds")}
    lines += [
        f"| sum (kills and signals one by one) | {sums['cases']} | {sums['failures']} | {sums['unforeseen']} | "
        f"| {sums['cpu_seconds']:.0f} |",
        "",
    ]
    for title, counts in result["hits"].items():
        lines += [f"{title}: " + ", ".join(f"{name} {count}" for name, count in counts.items()) + ".", ""]
    lines += ["| promise | broken |", "|---|---|"]
    lines += [f"| {name} | {count} |" for name, count in result["promises"].items()]
    lines += [
        "",
        "*Unforeseen*: reported in one line with exit code 1, as an unexpected error; not counted as a failure. "
        "CPU seconds are those of `cube` and of all that it started.",
    ]
    lines += _listed(result["repeated"], "failed at first and were done again")
    lines += _listed(result["failures"], "failures")
    waited = "searches ended late while a program that only waits for the limit was late too, by as much"
    lines += _listed(result["excused"], waited, "excused")
    return "\n".join(lines) + "\n"


def _listed(records: Sequence[dict[str, Any]], words: str, what: str = "complaints") -> list[str]:
    """Return lines about some cases, and what was wrong with them; none if there are none."""
    if not records:
        return []
    more = ", the first" if len(records) > SHOWN else ""
    cases = [f"- {one['group']}, `{_plain(one['name'])}`: {_plain('; '.join(one[what]))}" for one in records[:SHOWN]]
    return ["", f"{len(records)} {words}{more}:", "", *cases]


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() and letter not in "`|<>" else "?" for letter in text)[:160]
