"""Run in a child process: solves ``task.json`` by a search of LAPKT and writes ``answer.json``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lapkt import planner

COMPLETE = ("bfws",)  # if these find no plan, there is none
PLAN = "plan.ipc"


def main() -> None:
    """Read, solve, write."""
    record = json.loads(Path("task.json").read_text())
    true = set(record["init"])
    if all(holds == (bit in true) for bit, holds in record["goal"]):
        answer("SOLVED", [])  # LAPKT writes no plan if there is nothing to do
        return
    engine = configured(record["search"], record["width"])
    build(engine, record, true)
    engine.setup(True)
    engine.solve()
    steps = read_plan(record)
    if steps is not None:
        answer("SOLVED", steps)
    else:
        answer("UNSOLVABLE" if record["search"] in COMPLETE else "NOT_FOUND", None)


def configured(search: str, width: int) -> Any:
    """Return a configured planner of LAPKT that writes its plan to a file."""
    if search in ("bfws", "k-bfws"):
        configured_planner = planner.BFWS()
        configured_planner.search = "BFWS-f5" if search == "bfws" else "k-BFWS"
        configured_planner.max_novelty = width
    else:
        configured_planner = planner.IW_Planner() if search == "iw" else planner.SIW_Planner()
        configured_planner.iw_bound = width
    configured_planner.plan_filename = PLAN
    return configured_planner


def build(task: Any, record: dict[str, Any], true: set[int]) -> None:
    """Give LAPKT the task: proposition ``b`` is bit ``b``, proposition ``bits + b`` its complement."""
    bits = record["bits"]

    def literals(positive: list[int], negative: list[int]) -> list[tuple[int, bool]]:
        return [(bit, False) for bit in positive] + [(bits + bit, False) for bit in negative]

    task.set_domain_name("learned")
    task.set_problem_name("task")
    for bit in range(bits):
        task.add_atom(f"(z{bit})")
    for bit in range(bits):
        task.add_atom(f"(n{bit})")
    task.create_negated_fluents()  # without arguments, it sets up what actions need
    for number, row in enumerate(record["actions"]):
        task.add_action(f"({row['name']})", False)
        task.add_precondition(number, literals(row["positive"], row["negative"]))
        deleted = [(bit, True) for bit in row["delete"]] + [(bits + bit, True) for bit in row["add"]]
        task.add_effect(number, literals(row["add"], row["delete"]) + deleted)
        task.set_cost(number, 1.0)
    false = [bit for bit in range(bits) if bit not in true]
    task.set_init(literals(sorted(true), false))
    goal = record["goal"]
    task.set_goal(literals([bit for bit, holds in goal if holds], [bit for bit, holds in goal if not holds]))


def read_plan(record: dict[str, Any]) -> list[str] | None:
    """Return the names of the actions of the plan file, or None if there is no plan."""
    if not Path(PLAN).is_file():
        return None
    names = {row["name"] for row in record["actions"]}
    words = re.findall(r"\(\s*([a-z0-9_-]+)\s*\)", Path(PLAN).read_text().lower())
    steps = [word for word in words if word in names]
    return steps or None


def answer(outcome: str, plan: list[str] | None) -> None:
    """Write the answer, whole or not at all."""
    Path("answer.part").write_text(json.dumps({"outcome": outcome, "plan": plan, "detail": ""}))
    Path("answer.part").rename("answer.json")


if __name__ == "__main__":
    main()
