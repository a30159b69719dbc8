"""The files of instances and of their plans: ``problems/<instance>/<planner>/…`` below a run folder."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from cubespace.base.errors import InputError
from cubespace.base.files import sha256
from cubespace.evaluation.plan_record import PlanRecord

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


def picture_digests(run: Path, problem: str, planner: str) -> dict[str, str]:
    """Return the hashes of the pictures of an instance and of a planner's plan for it, by name."""
    here, plan = problem_folder(run, problem), plan_folder(run, problem, planner)
    paths = (here / INIT_PICTURE, here / GOAL_PICTURE, plan / STRIP)
    return {path.name: _digest(path, *_signature(path)) for path in paths if path.is_file()}


def _signature(path: Path) -> tuple[int, int, int]:
    """Return what changes when a file does."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


@cache
def _digest(path: Path, *signature: int) -> str:
    """Return the hash of a file, which is read again only if its signature has changed."""
    del signature
    return sha256(path)


def pictures_changed(run: Path, record: PlanRecord) -> bool:
    """Return whether the pictures of an instance are others than those that its record was made with."""
    return bool(record.pictures) and record.pictures != picture_digests(run, record.problem, record.planner)


def refuse_changed_pictures(run: Path, record: PlanRecord) -> None:
    """Raise if a plan would be shown with pictures that are not its own."""
    if pictures_changed(run, record):
        folder = problem_folder(run, record.problem)
        raise InputError(f"pictures in '{folder}' are not those of the plan: cube evaluate {run} writes them again")
