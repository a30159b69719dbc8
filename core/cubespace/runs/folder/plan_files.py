"""The files of instances and of their plans: ``problems/<instance>/<planner>/…`` below a run folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

PROBLEMS = "problems"
INIT_PICTURE, GOAL_PICTURE, PROBLEM_PDDL = "init.png", "goal.png", "problem.pddl"  # of an instance
PLAN, STRIP, ANIMATION, PLANNER_LOG = "plan", "strip.png", "plan.png", "planner.log"  # of a plan
RESULT = "result.json"  # the record of a search


def problem_folder(run: Path, problem: str) -> Path:
    """Return the folder of an instance."""
    return run / PROBLEMS / problem


def plan_folder(run: Path, problem: str, planner: str) -> Path:
    """Return the folder of a planner's plan for an instance."""
    return problem_folder(run, problem) / planner_folder(planner)


def planner_folder(spec: str) -> str:
    """Return the name of the folder of a planner's plans: its spec, made fit for a file system."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", spec).strip("-")
    return plain if plain == spec else f"{plain[:40]}-{hashlib.sha256(spec.encode()).hexdigest()[:6]}"
