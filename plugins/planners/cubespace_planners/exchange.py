"""Planners that are Python packages: a child process reads the task as JSON and answers in JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from cubespace.search.planner import Answer, Limits, Outcome, PlannerBackend, Statistics
from cubespace.symbols.strips import Task

TASK, ANSWER = "task.json", "answer.json"


class PythonPlanner(PlannerBackend):
    """A planner that a script beside this file runs; the script imports the planner, but nothing from cubespace."""

    script: ClassVar[str]

    def settings(self) -> dict[str, object]:
        """Return the settings for the script, besides the task."""
        return {}

    def command(self, task: Task, folder: Path, limits: Limits) -> Sequence[str]:
        """Write the task as lists of numbers of bits."""
        settings = {**self.settings(), "megabytes": limits.megabytes}
        (folder / TASK).write_text(json.dumps({**task_record(task), **settings}))
        # -P: files in the current folder are not modules
        return [sys.executable, "-P", str(Path(__file__).with_name(self.script))]

    def answer(self, task: Task, folder: Path, exit_code: int, log: str) -> Answer:
        """Read what the script wrote; without an answer it has crashed, or run out of memory."""
        if not (folder / ANSWER).is_file():
            short = "MemoryError" in log or "bad_alloc" in log or "OutOfMemoryError" in log
            return Answer(outcome=Outcome.OUT_OF_MEMORY if short else Outcome.CRASHED)
        del exit_code
        answer = json.loads((folder / ANSWER).read_text())
        numbers = {name: number for number, name in enumerate(task.model.names)}
        plan = None if answer["plan"] is None else [numbers[name] for name in answer["plan"]]
        statistics = Statistics(search_seconds=answer.get("seconds"), expansions=answer.get("expansions"))
        return Answer(outcome=Outcome[answer["outcome"]], plan=plan, statistics=statistics, detail=answer["detail"])


def task_record(task: Task) -> dict[str, object]:
    """Return a task for JSON: per action its name, cost, and the bits of its precondition and effect."""
    model = task.model
    masks = {"positive": model.positive, "negative": model.negative, "add": model.add, "delete": model.delete}
    actions = [
        {"name": name, "cost": int(model.cost[row])}
        | {key: mask[row].nonzero()[0].tolist() for key, mask in masks.items()}
        for row, name in enumerate(model.names)
    ]
    goal = {int(bit): bool(task.goal[bit]) for bit in task.care.nonzero()[0]}
    return {
        "bits": model.bits,
        "init": task.init.nonzero()[0].tolist(),
        "goal": list(goal.items()),
        "actions": actions,
        "unit_cost": model.unit_cost,
    }
