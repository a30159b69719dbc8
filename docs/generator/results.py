"""The tables of results in README.md: what ``cube tables --format json`` wrote, beside the paper's own figures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
OURS = ROOT / "results" / "domains.json"  # cube tables runs/domains --rows domain --values plans --format json
PAPERS = ROOT / "results" / "paper-table2.json"  # python benchmarks/paper_tables.py table2 runs/table2
FAR = ROOT / "results" / "paper-distances.json"  # python benchmarks/paper_tables.py distances runs/distances
NETWORK = ROOT / "results" / "paper-network.json"  # python benchmarks/paper_tables.py network runs/network
PRINTED = ROOT / "examples" / "paper" / "printed" / "domains.csv"
# by row: the domain in the paper's tables, and the domains of our matrix whose counts are added
ROWS = {
    "8-puzzle, MNIST digits": ("mnist", ("mnist",)),
    "8-puzzle, mandrill": ("mandrill", ("mandrill",)),
    "8-puzzle, spider": ("spider", ("spider",)),
    "8-puzzle, photograph": ("photo", ("photo",)),
    "LightsOut": ("lightsout", ("lightsout",)),
    "LightsOut, twisted": ("twisted", ("twisted",)),
    "15-puzzle, 14 and 21 steps": ("mandrill15", ("mandrill15-14", "mandrill15-21")),
    "Hanoi, 9 disks": ("hanoi9", ("hanoi9", "hanoi9-goals")),
}
# variants of table2.toml: trained as long as in the paper, or cut and marked
TRAINED = {"paper-whole": "", "paper": " †", "paper-short": " †"}
GREEDY = ("fd-gc", "fd-lama")
NONE = "–"
SPACE = "\u00a0"  # no line breaks here
Records = list[dict[str, Any]]


def readme() -> str:
    """Return a row per domain: the paper, its method here, ours with an optimal planner, ours with greedy ones."""
    head = ["domain", "paper", "preset `paper` here", "ours", "ours, greedy GC, LAMA: valid"]
    ours, papers, printed = _read(OURS), _read(PAPERS), _printed()
    lines = [head, ["---"] * len(head)]
    for title, (name, domains) in ROWS.items():
        paper, here = printed.get(name, NONE), _paper_here(papers, name)
        lines.append([title, paper, here, _plans(ours, domains, "fd-lmcut"), _valid(ours, domains)])
    return _table(lines)


def network() -> str:
    """Return a row per domain: the paper, and its network as we train it, with its preconditions and with ours."""
    records = _read(NETWORK)
    if not records:
        return "No run yet: `cube matrix examples/paper/network.toml -o runs/network`.\n"
    head = ["domain", "paper: LMcut", "its rules, LMcut", "its rules, LAMA", "ours, LMcut", "ours, LAMA"]
    lines = [head, ["---"] * len(head)]
    printed = _printed()
    for title, (name, _) in ROWS.items():
        matching = [record for record in records if record["domain"] == name]
        if matching:
            plans = [
                _counts([record for record in matching if record["variant"] == variant], planner)
                for variant in ("paper-rules", "ours")
                for planner in ("fd-lmcut", "fd-lama")
            ]
            lines.append([title, printed.get(name, NONE), *plans])
    return _table(lines)


def far() -> str:
    """Return a row per distance of the 8-puzzle, or a note that there is no run yet."""
    records = _read(FAR)
    if not records:
        return "No run yet: `cube matrix examples/paper/distances.toml -o runs/distances`.\n"
    planners = list(dict.fromkeys(str(record["planner"]) for record in records))
    lines = [["distance", *planners], ["---"] * (len(planners) + 1)]
    for length in dict.fromkeys(str(record["plan.length"]) for record in records):
        matching = [record for record in records if str(record["plan.length"]) == length]
        lines.append([length, *(_counts(matching, planner) for planner in planners)])
    return _table(lines)


def _table(lines: list[list[str]]) -> str:
    """Return a table in which figures are not broken."""
    cells = ([first, *(cell.replace(" of ", f"{SPACE}of{SPACE}") for cell in others)] for first, *others in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


def _read(path: Path) -> Records:
    found = json.loads(path.read_text("utf-8")) if path.is_file() else []
    plans = (record for record in found if record["measure"] == "plans" and record.get("instances"))
    return [record for record in plans if "summary" not in record]  # added up, not medians


def _printed() -> dict[str, str]:
    """Return the paper's figures by domain: title of the column apart."""
    rows = list(csv.reader(PRINTED.read_text("utf-8").splitlines()))
    return {row[0]: row[1] for row in rows[1:]}


def _paper_here(records: Records, domain: str) -> str:
    """Return the results of the paper's method here, marked if its training was cut."""
    for variant, mark in TRAINED.items():
        matching = [record for record in records if record["variant"] == variant and record["domain"] == domain]
        if matching:
            return _counts(matching, "fd-lmcut") + mark
    return NONE


def _plans(records: Records, domains: tuple[str, ...], planner: str) -> str:
    return _counts([record for record in records if record["domain"] in domains], planner)


def _counts(records: Records, planner: str) -> str:
    """Return found/valid/optimal of all, added up."""
    matching = [record for record in records if record["planner"] == planner]
    found, valid, optimal, instances = (
        sum(record[name] for record in matching) for name in ("found", "valid", "optimal", "instances")
    )
    return f"{found}/{valid}/{optimal} of {instances}" if matching else NONE


def _valid(records: Records, domains: tuple[str, ...]) -> str:
    """Return how many plans of each greedy planner are valid, and of how many instances."""
    matching = [[r for r in records if r["domain"] in domains and r["planner"] == planner] for planner in GREEDY]
    if not all(matching):
        return NONE
    valid = ", ".join(str(sum(record["valid"] for record in each)) for each in matching)
    return f"{valid} of {sum(record['instances'] for record in matching[0])}"
